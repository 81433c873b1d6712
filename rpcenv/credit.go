package rpcenv

import (
	"maps"
	"math"
	"slices"

	"github.com/coherer/coherer/messages/rpc"
)

// A peer says in its Hello or Welcome how many bytes of messages it takes for each of its endpoints before they are handled: its window.
// What goes beyond waits here, by endpoint, so that a slow one holds up its own messages alone. The peer gives back what its endpoint
// has handled (rpc.Credit), each time half of the window. As soon as no more than half of it is out, the next message may go, whatever its
// size: the peer may keep less than half of a window to itself for ever.

// stream is what goes by a connection to one endpoint of the peer.
type stream struct {
	name string
	out  int // bytes that were sent and not given back
	backlog
}

// open reports whether a message that counts n bytes may go.
func (s *stream) open(n, window int) bool { return s.out <= window/2 || s.out+n <= window }

// streamLocked is the stream to an endpoint, made if missing.
func (c *conn) streamLocked(name string) *stream {
	// Most messages have the endpoint of the one before, and to compare a string with itself costs nothing.
	if c.latest != nil && c.latest.name == name {
		return c.latest
	}
	s := c.streams[name]
	if s == nil {
		s = &stream{name: name}
		if c.streams == nil {
			c.streams = map[string]*stream{}
		}
		c.streams[name] = s
	}
	c.latest = s
	return s
}

// admitLocked sends o, or lets it wait for credit. Its error says that it may not even wait.
func (c *conn) admitLocked(o outgoing) error {
	if c.window == 0 {
		c.transmitLocked(o)
		return nil
	}
	s, n := c.streamLocked(o.to.Name), cost(len(o.content))
	switch {
	case len(s.queue) == 0 && s.open(n, c.window):
		s.out += n
		c.transmitLocked(o)
		return nil
	case o.body != nil && s.behind:
		return errNoRoom
	case !mayTake(c.waits, len(o.content), c.env.outboxLimit):
		return overloaded(c.waits, c.peer)
	}
	c.waits += n
	s.push(c.env, o)
	if o.pending != nil { // an ask's time runs while it waits
		c.env.asks.add(o.pending)
	}
	return nil
}

// credit is the peer's: bytes to endpoint name were handled, or never arrived. What waited for them goes out.
func (c *conn) credit(name string, bytes int) {
	c.mu.Lock()
	s := c.streams[name]
	if s == nil {
		c.mu.Unlock()
		return
	}
	s.out = max(s.out-bytes, 0) // a peer cannot give back more than it got
	for len(s.queue) > 0 && c.life.stage() == connOpen {
		n := cost(len(s.queue[0].content))
		if !s.open(n, c.window) {
			break
		}
		s.out += n
		c.waits -= n
		c.transmitLocked(s.pop())
	}
	wakes := s.caughtUp(c.env)
	if s.out == 0 && len(s.queue) == 0 { // endpoints come and go
		delete(c.streams, name)
		c.latest = nil
	}
	c.mu.Unlock()
	for _, wake := range wakes {
		wake()
	}
}

// room calls wake once there may be room for a message to an endpoint, and reports whether there is now: then it has not kept wake.
func (c *conn) room(name string, wake func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.streams[name] // none after the end
	return s == nil || s.room(wake)
}

// unsent is what waits for credit: how many messages, and their bytes.
func (c *conn) unsent() (messages, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.streams {
		messages += len(s.queue)
		bytes += s.bytes
	}
	return messages, bytes
}

// drainLocked sends what waits without asking for credit: the connection is about to end in good order.
func (c *conn) drainLocked() {
	for _, name := range slices.Sorted(maps.Keys(c.streams)) {
		for s := c.streams[name]; len(s.queue) > 0; {
			c.transmitLocked(s.pop())
		}
	}
	c.waits = 0
}

// giveUpLocked takes out what still waits when the connection has ended, and those that wait for room.
func (c *conn) giveUpLocked() (failed []outgoing, wakes []func()) {
	for _, name := range slices.Sorted(maps.Keys(c.streams)) {
		s := c.streams[name]
		failed = append(failed, s.take()...)
		wakes = append(wakes, s.caughtUp(c.env)...)
	}
	c.streams, c.latest, c.waits = nil, nil, 0
	return failed, wakes
}

// ledgerOf is the ledger of an endpoint of this Env, made if missing. c.receiving is held.
func (c *conn) ledgerOf(name string) *ledger {
	if c.counted != nil && c.counted.endpoint == name {
		return c.counted
	}
	l := c.ledgers[name]
	if l == nil {
		l = c.lostOf(name) // what came before the endpoint did
		c.lost = nil
		if c.ledgers == nil {
			c.ledgers = map[string]*ledger{}
		}
		c.ledgers[name] = l
	}
	c.counted = l
	return l
}

// unhandled gives back what came for an endpoint that has not taken it. c.receiving is held.
func (c *conn) unhandled(name string, bytes int) {
	if l := c.ledgers[name]; l != nil {
		l.add(bytes)
		return
	}
	c.lostOf(name).add(bytes)
}

// lostOf is the ledger of a name that no endpoint has. One for each name that a peer can think of would be too many: it is the last one's.
func (c *conn) lostOf(name string) *ledger {
	if c.lost == nil || c.lost.endpoint != name {
		if c.lost != nil {
			c.lost.flush()
		}
		c.lost = &ledger{endpoint: name, half: int64(c.env.window) / 2, giveBack: c.giveBack}
	}
	return c.lost
}

// forget closes the ledger of an endpoint that has ended: what it kept goes back, so that the peer forgets its stream too.
func (c *conn) forget(name string) {
	c.receiving.Lock()
	defer c.receiving.Unlock()
	if l := c.ledgers[name]; l != nil {
		l.flush()
		delete(c.ledgers, name)
		c.counted = nil
	}
}

// giveBack tells the peer what was handled.
func (c *conn) giveBack(endpoint string, bytes int64) {
	content, err := c.env.table.Append(nil, &rpc.Credit{Endpoint: endpoint, Bytes: uint32(min(bytes, math.MaxUint32))})
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil || c.life.stage() != connOpen || !c.roomLocked(len(content)) {
		return
	}
	e := &Envelope{Kind: KindOneWay, Sender: c.env.addr, Endpoint: VerifierName, Content: content}
	if c.listening {
		e.Receiver = c.peer
	}
	c.link.Send(e)
}

// takeCredit takes an envelope that is a Credit; false: it is none.
func (c *conn) takeCredit(env *Envelope) bool {
	if env.Kind != KindOneWay || env.Note != nil || env.Endpoint != VerifierName {
		return false
	}
	m, _ := c.env.table.Decode(env.Content) // without an error it may be another message, with one it is none
	switch m := m.(type) {
	case *rpc.Credit:
		c.credit(m.GetEndpoint(), int(m.GetBytes()))
		return true
	}
	return false
}
