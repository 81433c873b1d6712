package rpcenv

import (
	"fmt"
	"slices"

	"github.com/coherer/coherer/messages/rpc"
)

// A peer whose machine lost its power, or whose cable was cut, ends no connection: TCP notices by itself after 15 minutes, and only if
// something was sent. So each side of a connection looks after the other. The Env counts the rounds in which nothing came, and a silent
// peer is asked for its endpoint-verifier. Whatever comes is a sign of life, also the refusal of a peer in client mode, which has no
// verifier. A peer that says nothing at all for spark.network.timeout has gone.
//
// Rounds are counted, and no times compared: a message costs a look at a flag. And a process that stood still itself finds one late
// round when it goes on, not a time-out that has passed; what came for it meanwhile is read before the next round.
const (
	// aliveRounds is how many rounds a time-out has. In a round's length a silence may end too early: that much less than the time-out
	// can a pause be, and still lose nothing.
	aliveRounds = 24
	// askRound is the round of silence in which the peer is asked. Once is enough: no connection loses a question.
	askRound = aliveRounds / 2
	// lastRound ends the connection. The last frame came in the round before the first silent one, perhaps at its beginning: that makes
	// up the time-out, within which the end has to be noticed.
	lastRound = aliveRounds - 1
	// probe is the request id of a question that only asks for a sign of life. Other ids are above 0. Neither side counts the question
	// or its answer: the ordinals of messages name them in traces, and are the same whether a connection was silent or not.
	probe = -1
)

// watch begins to look after c, which add has entered. An Env without connections has no timer.
func (t *connections) watch(c *conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c.heard.Store(true) // its handshake
	if t.round == 0 {
		// Kept, since to look a setting up takes longer than all else of a round.
		t.round = NetworkTimeout.Get(t.env.cfg.Conf) / aliveRounds
	}
	if t.stop == nil {
		t.armLocked()
	}
}

// unwatch stops the timer when remove has taken out the last connection.
func (t *connections) unwatch() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stop != nil && len(t.byID) == 0 {
		t.stop()
		t.stop = nil
	}
}

func (t *connections) armLocked() {
	t.armed++
	n := t.armed
	t.stop = t.env.host.After(t.round, func() { t.listen(n) })
}

// listen is the end of a round: the n-th timer's. It asks the peers that have been silent for half of the time-out, and ends the
// connections of those that have been for the whole of it.
func (t *connections) listen(n uint64) {
	t.mu.Lock()
	// The timer fired just before unwatch stopped it. A connection that came since has armed its own.
	if t.stop == nil || t.armed != n || t.env.life.stage() >= envCloses {
		t.mu.Unlock()
		return
	}
	var silent, gone []*conn
	for _, c := range t.byID { // in any order: those to which something happens are sorted
		switch c.quietLocked(); {
		case c.quiet == askRound:
			silent = append(silent, c)
		case c.quiet >= lastRound:
			gone = append(gone, c)
		}
	}
	t.armLocked()
	t.mu.Unlock()
	slices.SortFunc(silent, inOrder)
	slices.SortFunc(gone, inOrder)
	for _, c := range silent {
		c.ask()
	}
	for _, c := range gone {
		c.giveUp()
	}
}

// quietLocked counts a round of silence, or the end of the silence. connections.mu is held.
func (c *conn) quietLocked() {
	queued := c.link.Queued()
	// A peer that takes what waits for it lives, though a question has to wait behind that. Its round is no round of silence, but not
	// the end of the silence either: the last bytes may have found room in the buffer of this machine.
	takes := queued < c.queued
	c.queued = queued
	switch {
	case c.heard.Swap(false):
		c.quiet = 0
	case !takes:
		c.quiet++
	}
}

// ask asks the peer for a sign of life.
func (c *conn) ask() {
	content, err := c.env.table.Append(nil, &rpc.CheckExistence{Name: VerifierName})
	if err != nil { // a bug of ours: it has no text that a peer gave
		c.env.log.WithError(err).Error("encode a question to a silent peer")
		return
	}
	c.signal(&Envelope{Kind: KindRequest, RequestID: probe, Sender: c.env.addr, Receiver: c.peer, Endpoint: VerifierName, Content: content})
}

// signal sends what is no message of the trace. A peer that reads nothing gets no more of it.
func (c *conn) signal(e *Envelope) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.life.stage() == connOpen && mayTake(c.link.Queued(), len(e.Content), c.env.outboxLimit) {
		c.link.Send(e)
	}
}

// hear takes an envelope as a sign of life. It reports whether that is all it is: a question for one, or the answer to one.
// c.receiving is held.
func (c *conn) hear(e *Envelope) bool {
	if !c.heard.Load() { // a store for each message would cost more than the look
		c.heard.Store(true)
	}
	switch {
	case e.RequestID != probe:
		return false
	case e.Kind == KindRequest:
		if e.Endpoint != VerifierName {
			return false
		}
		c.answerProbe()
	}
	return true
}

// answerProbe answers in place of the verifier, which would count the question among its messages.
func (c *conn) answerProbe() {
	if c.env.endpoints.find(VerifierName) == nil {
		c.signal(&Envelope{Kind: KindFailure, RequestID: probe, Error: dispatchFailure(c.env.endpoints.missing(VerifierName))})
		return
	}
	content, err := c.env.table.Append(nil, &rpc.Bool{Value: true})
	if err != nil {
		c.env.log.WithError(err).Error("encode a sign of life")
		return
	}
	c.signal(&Envelope{Kind: KindResponse, RequestID: probe, Content: content})
}

// giveUp ends the connection of a peer that said nothing. The words are those of Spark's TransportChannelHandler.
func (c *conn) giveUp() {
	if c.life.stage() != connOpen {
		return
	}
	limit := NetworkTimeout.Get(c.env.cfg.Conf)
	why := fmt.Errorf("Connection to %s has been quiet for at least %s, and the peer answers nothing. Assuming connection is dead; "+
		"please adjust %s (%s) if this is wrong.", c.peer, scalaDuration(limit/aliveRounds*lastRound),
		NetworkTimeout.Key(), scalaDuration(limit))
	c.env.log.Warn(why)
	c.end(why)   // now: the Link would first wait for the peer to take what is queued
	c.close(why) // which the Link reports some time
}
