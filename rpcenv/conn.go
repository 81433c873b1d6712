package rpcenv

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// conn is one connection to a peer, from the moment that its link is open: first the handshake, then messages both
// ways. It counts the messages of each direction, which is how both ends name them.
type conn struct {
	env     *Env
	seq     uint64 // in the order of their opening
	link    Link
	waiting waiting
	dialler bool
	dialled func(error) // gets the outcome of the dial; of a dialler only

	// Known after the handshake.
	id          uint64
	peer        Address // where the peer listens; in client mode its end of the connection
	sender      Ref     // of what it brings: the peer's address, and the connection of a peer in client mode
	listening   bool
	incarnation uint64
	window      int     // bytes that the peer takes before it has handled them
	promised    bool    // this side's greeting promised rpc.Full
	reached     bool    // this side dialled the address that the peer says it has
	silent      []*conn // connections to the same address whose peer did not answer for it
	beside      []*conn // those of the same incarnation, whose peer is asked whether it opened this one

	life life[connStage] // changed with mu held

	heard  atomic.Bool // something came in this round; see keepalive.go
	quiet  int         // rounds in which nothing came; guarded by connections.mu, as queued
	queued int         // what waited for the peer at the end of the last round

	mu    sync.Mutex // of this block; see the lock order in outbox.go
	why   error      // why this side gave it up
	out   uint64
	stop  func()        // of the handshake's clock
	users []func(*conn) // the outboxes that send by it: each lets it go
	going Envelope      // the one that is being sent
	way   way           // to the peer; its texts are known after the handshake
	// What goes out, by endpoint or asker at the peer; latest is the one used last.
	streams map[flow]*stream
	latest  *stream
	waits   int // bytes that wait for credit
	// awaitsFull: the peer has promised rpc.Full, and no message goes out before.
	awaitsFull bool

	// receiving is held while an envelope is received, and while endpoints and asks hear of the end: nothing is received after it. It
	// guards this block.
	receiving sync.Mutex
	doubts    int // questions without an answer: does the peer say, by its other connections, that it opened this one?
	// impostor: another process opened it and claimed to be the peer.
	impostor bool
	in       uint64
	// What came in, by endpoint or asker; counted is the one used last, lost is of what no endpoint has taken.
	ledgers       map[flow]*ledger
	counted, lost *ledger
	taker         *inbox // the receiver of the last message
	gathered      gathered
	// finishes: the peer shuts down and sends its waiting messages without credit; late counts their bytes.
	finishes bool
	late     int
	overrun  bool // the peer sent more than it may: nothing more of it is accepted
}

// errConnEnded means that the endpoints have heard of the connection's end, or are about to.
var errConnEnded = errors.New("it has ended")

// itemID names the n-th message of a direction: out is from this side.
func (c *conn) itemID(out bool, n uint64) record.ID {
	return record.ID{Conn: c.id, Back: out != c.dialler, N: n}
}

// send puts o on the wire, or lets it wait for credit. Its error says why not; errNoRoom is for a sender that would rather wait.
func (c *conn) send(o *outgoing) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch c.life.stage() {
	case connOpen:
	case connEnded: // an outbox keeps the message for the next connection
		return fmt.Errorf("%w: the connection to %s is closed: %w", ErrUnreachableDisconnected, c.peer, errConnEnded)
	default: // this side is closing it: nothing may follow what it gave up
		return fmt.Errorf("%w: the connection to %s is closed", ErrUnreachableDisconnected, c.peer)
	}
	var err error
	if queued := c.link.Queued(); o.mayWait(queued, c.env.outboxLimit) {
		err = c.admitLocked(o)
	} else {
		err = overloaded(queued, c.peer)
	}
	switch {
	case err == nil:
	case o.body != nil:
		err = errNoRoom
	case o.pending == nil: // a stream may end, it never has a hole: o fails with all that waits
		c.streamLocked(o.flow()).push(c.env, *o)
		c.closeLocked(err)
		return nil
	}
	return err
}

// transmitLocked sends o. Both ends count, so no ordinal may be used up by a message that stays here.
func (c *conn) transmitLocked(o *outgoing) {
	c.out++
	id := c.itemID(true, c.out)
	c.env.recordSent(o, id, o.question, &c.way) // before the peer can have it: a trace has causes before their effects
	env := &c.going                             // one for all messages, or each would escape to the heap; the Link does not keep it
	if o.isAnswer() {
		*env = Envelope{Kind: KindResponse, RequestID: o.request, Content: o.content}
	} else {
		*env = Envelope{Kind: KindOneWay, Sender: c.env.addr, Endpoint: o.to.Name, Content: o.content}
		if c.listening {
			env.Receiver = c.peer
		}
	}
	if p := o.pending; p != nil {
		env.Kind, env.RequestID = KindRequest, c.env.requests.Add(1)*askers+int64(p.asker)
		// As in Spark an ask that timed out while it waited for the connection is sent all the same. Its answer is late.
		c.env.asks.bind(p, c.waiting, env.RequestID, id)
	}
	if env.Note = c.note(o, id, o.question); env.Note != nil {
		f, bytes := o.flow(), cost(len(o.content))
		env.Note.Lost = func() { c.credit(f, bytes) }
	}
	c.env.metrics.Sent(len(o.content))
	c.link.Send(env)
	env.Content = nil
	o.sent()
}

// respond answers a request: with m, or with err, which travels as a Failure.
func (c *conn) respond(k *incomingAsk, o outgoing, err error) {
	if err != nil {
		o.form, o.msg = tracepb.Form_FAIL, failureOf(err)
	}
	encErr := c.encode(&o)
	if encErr != nil { // the asker gets that, or it would wait for its time-out
		c.env.log.Errorf("The answer to %s: %v", k.typ, encErr)
		o.form, o.msg = tracepb.Form_FAIL, failureOf(encErr)
		_ = c.encode(&o) // a Failure of valid strings
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	// An answer goes by the connection of its ask or not at all: at the asker the ask has ended with that connection.
	switch {
	case c.life.stage() != connOpen:
		c.env.dropped(&o, k.typ, errAskerGone)
	case !c.roomLocked(len(o.content)):
		c.env.dropped(&o, k.typ, c.why)
	default:
		if err := c.admitLocked(&o); err != nil { // its asker hears so, and no other is harmed
			c.env.dropped(&o, k.typ, err)
			c.refuseLocked(o, fmt.Errorf("%w: %w", ErrRefusedNoRoom, err))
		}
	}
}

// encode encodes an answer. A handler may give anything, so encode checks it first.
func (c *conn) encode(o *outgoing) error {
	if err := checkMessage(o.msg, false); err != nil {
		return err
	}
	return o.encode(c.env)
}

// roomLocked reports whether n more bytes may wait for the peer. A peer that asks and does not read loses its connection.
func (c *conn) roomLocked(n int) bool {
	if mayTake(c.link.Queued(), n, c.env.outboxLimit) {
		return true
	}
	c.closeLocked(fmt.Errorf("%w: %d bytes of answers wait for %s", ErrUnreachableOverloaded, c.link.Queued(), c.peer))
	return false
}

// refuse answers a request that could not be dispatched with a frame of type 5.
func (c *conn) refuse(id record.ID, request int64, endpoint string, untraced bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.life.stage() != connOpen || !c.roomLocked(len(err.Error())) {
		return
	}
	c.refuseLocked(outgoing{to: Ref{Address: c.peer}, from: endpoint, cause: id, request: request, untraced: untraced}, err)
}

// refuseLocked sends err in place of an answer. It waits for no credit: it is small.
func (c *conn) refuseLocked(o outgoing, err error) {
	c.out++
	o.msg, o.form, o.content = failureOf(err), tracepb.Form_FAIL, nil
	answer := c.itemID(true, c.out)
	c.env.recordSent(&o, answer, o.question, &c.way)
	c.env.metrics.Sent(0)
	c.link.Send(&Envelope{Kind: KindFailure, RequestID: o.request, Error: dispatchFailure(err), Note: c.note(&o, answer, o.question)})
}

// note describes a message; nil unless the Host wants Notes.
func (c *conn) note(o *outgoing, id record.ID, question string) *Note {
	if !c.env.hooks.Notes { // a Note costs an allocation
		return nil
	}
	n := &Note{
		ID: id, Cause: o.cause, Env: c.env.num, From: c.env.cfg.Name, To: c.way.peer, Sender: o.from, Receiver: o.to.Name,
		Address: c.way.address, Type: question, Form: o.form,
	}
	if own := TypeName(o.msg); question == "" {
		n.Type = own
	} else {
		n.Own = own
	}
	if c.env.hooks.ByReference {
		n.Message = o.msg
	}
	return n
}

// close ends the connection from this side. The Link calls Closed later, which is the end; the first reason counts.
func (c *conn) close(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closeLocked(why)
}

// finish is close after what waits for credit was sent.
func (c *conn) finish(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.life.stage() == connOpen {
		c.drainLocked()
	}
	c.closeLocked(why) // the Link first writes what is queued
}

func (c *conn) closeLocked(why error) {
	if c.why == nil {
		c.why = why
	}
	if !c.to(connCloses) {
		c.to(connRefused)
	}
	c.link.Close()
}

// to goes on to a stage, if it may. mu is held.
func (c *conn) to(next connStage) bool {
	_, ok := c.life.to(next, afterConn)
	return ok
}

// join notes an outbox that sends by this connection, and how that lets it go; false when it is not open.
func (c *conn) join(detach func(*conn)) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.life.stage(); s != connOpen && s != connCloses {
		return false
	}
	c.users = append(c.users, detach) // more than one when the peer was dialled by another name than it gives itself
	return true
}
