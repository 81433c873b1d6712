package rpcenv

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/rpc"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace"
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
	listening   bool
	peerName    string
	peerText    string // peer, as the trace has it
	incarnation uint64
	reached     bool    // this side dialled the address that the peer says it has
	silent      []*conn // connections to the same address whose peer did not answer for it
	beside      []*conn // those of the same incarnation, whose peer is asked whether it opened this one

	mu     sync.Mutex // of this block; see the lock order in outbox.go
	state  connState
	why    error // why it was closed by this side
	out    uint64
	stop   func()    // of the handshake's clock
	boxes  []*Outbox // that send by it
	going  Envelope  // the one that is being sent
	labels labels

	// turn is held while an envelope is received, and while endpoints and asks hear of the end: nothing is received after it. It
	// guards this block.
	turn    sync.Mutex
	greeted bool
	held    bool // another process has the peer's address; that one is being asked
	doubts  int  // questions without an answer: does the peer say, by its other connections, that it opened this one?
	// impostor: another process opened it and claimed to be the peer.
	impostor bool
	in       uint64
	over     bool
}

// connState is a conn's life, in one direction.
type connState uint8

const (
	connGreeting connState = iota // the handshake is under way
	connReady
	connClosed
)

// errConnEnded means that the endpoints have heard of the connection's end, or are about to.
var errConnEnded = errors.New("it has ended")

// itemID names the n-th message of a direction: out is from this side.
func (c *conn) itemID(out bool, n uint64) trace.ID {
	return trace.ID{Conn: c.id, Back: out != c.dialler, N: n}
}

// send puts o on the wire. Its error says why not.
func (c *conn) send(o outgoing) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.state == connClosed: // an Outbox keeps the message for the next connection
		return fmt.Errorf("%w: the connection to %s is closed: %w", ErrUnreachableDisconnected, c.peer, errConnEnded)
	case c.state != connReady || c.why != nil: // this side is closing it: nothing may follow what it gave up
		return fmt.Errorf("%w: the connection to %s is closed", ErrUnreachableDisconnected, c.peer)
	}
	if c.link.Queued()+len(o.content) > outboxLimit {
		err := fmt.Errorf("%w: %d bytes wait for %s", ErrUnreachableOverloaded, c.link.Queued(), c.peer)
		if o.pending == nil {
			c.why = err // a stream may end, it never has a hole
			c.link.Close()
		}
		return err
	}
	// From here on o is sent. Both ends count, so no ordinal may be used up by a message that stays here.
	c.out++
	id := c.itemID(true, c.out)
	c.recordSent(&o, id) // before the peer can have it: a trace has causes before their effects
	env := &c.going      // one for all messages, or each would escape to the heap; the Link does not keep it
	*env = Envelope{Kind: KindOneWay, Sender: c.env.addr, Endpoint: o.to.Name, Content: o.content, Note: c.note(&o, id, "")}
	if c.listening {
		env.Receiver = c.peer
	}
	if p := o.pending; p != nil {
		env.Kind, env.RequestID = KindRequest, c.env.requests.Add(1)
		// As in Spark an ask that timed out while it waited for the connection is sent all the same. Its answer is late.
		c.env.asks.bind(p, c.waiting, env.RequestID, id)
	}
	c.env.metrics.Sent(len(o.content))
	c.link.Send(env)
	env.Content = nil
	return nil
}

// respond answers a request: with m, or with err, which travels as a Failure.
func (c *conn) respond(k *call, o outgoing, request int64, err error) {
	if err != nil {
		o.form, o.msg = tracepb.Form_FAIL, failureOf(err)
	}
	content, encErr := c.encode(o.msg)
	if encErr != nil { // the asker gets that, or it would wait for its time-out
		c.env.log.Errorf("The answer to %s: %v", k.typ, encErr)
		o.form, o.msg = tracepb.Form_FAIL, failureOf(encErr)
		content, _ = c.encode(o.msg) // a Failure of valid strings
	}
	o.content = content
	c.mu.Lock()
	defer c.mu.Unlock()
	// An answer goes by the connection of its ask or not at all: at the asker the ask has ended with that connection.
	if c.state != connReady || c.why != nil {
		c.env.dropped(&o, k.typ, errAskerGone)
		return
	}
	if !c.roomLocked(len(content)) {
		c.env.dropped(&o, k.typ, c.why)
		return
	}
	c.out++
	id := c.itemID(true, c.out)
	c.env.recordAnswer(&o, id, k.typ, c.peerName, &c.labels)
	c.env.metrics.Sent(len(content))
	c.going = Envelope{Kind: KindResponse, RequestID: request, Content: content, Note: c.note(&o, id, k.typ)}
	c.link.Send(&c.going)
	c.going.Content = nil
}

// encode is the content of an answer, which may be anything that a handler gave.
func (c *conn) encode(m Message) ([]byte, error) {
	if err := checkMessage(m, false); err != nil {
		return nil, err
	}
	return c.env.content(m.(proto.Message))
}

// roomLocked reports whether n more bytes may wait for the peer. A peer that asks and does not read loses its connection.
func (c *conn) roomLocked(n int) bool {
	if c.link.Queued()+n <= outboxLimit {
		return true
	}
	c.why = fmt.Errorf("%w: %d bytes of answers wait for %s", ErrUnreachableOverloaded, c.link.Queued(), c.peer)
	c.link.Close()
	return false
}

// refuse answers a request that could not be dispatched with a frame of type 5.
func (c *conn) refuse(id trace.ID, request int64, endpoint string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != connReady || c.why != nil || !c.roomLocked(len(err.Error())) {
		return
	}
	c.out++
	o := outgoing{to: Ref{Address: c.peer}, from: endpoint, cause: id, msg: failureOf(err), form: tracepb.Form_FAIL}
	answer := c.itemID(true, c.out)
	c.env.recordAnswer(&o, answer, "", c.peerName, &c.labels)
	c.env.metrics.Sent(0)
	c.link.Send(&Envelope{Kind: KindFailure, RequestID: request, Error: dispatchFailure(err), Note: c.note(&o, answer, "")})
}

// Receive takes an envelope from the link.
func (c *conn) Receive(env *Envelope) {
	c.turn.Lock()
	defer c.turn.Unlock()
	if c.over { // this side ended it, in supersede, and the Link still hands over what it had read
		return
	}
	if !c.greeted {
		if err := c.greet(env); err != nil {
			c.close(err)
		}
		return
	}
	// Counted before it is decoded: the sender has counted it too, whatever is in it.
	c.env.metrics.Received(len(env.Content))
	id, now := c.itemID(false, c.ordinal(env)), c.env.traceTime()
	switch env.Kind {
	case KindRequest, KindOneWay:
		c.receiveMessage(env, id, now)
	case KindResponse, KindFailure:
		c.receiveAnswer(env, id, now)
	}
}

// receiveMessage gives a message to its inbox.
func (c *conn) receiveMessage(env *Envelope, id trace.ID, now time.Time) {
	ask := env.Kind == KindRequest
	m, err := c.env.message(env)
	in := c.env.lookup(env.Endpoint)
	switch {
	case err != nil:
		err = fmt.Errorf("%w: to %s: %w", ErrRefusedUndecodable, env.Endpoint, err)
	case in == nil:
		err = c.env.missing(env.Endpoint)
	default:
		it := item{kind: itemMessage, id: id, msg: m, sender: c.peer, received: now, untraced: in.untraced || c.env.untraced(m)}
		if !c.listening { // references in the message can only lead back by this connection
			it.conn = c.id
		}
		if ask {
			it.call = c.newCall(id, env, m, it.untraced)
		}
		if err = in.offer(it); err == nil {
			return
		}
	}
	// In Spark an ask that meets a stopped inbox has no answer and runs into its time-out.
	if ask {
		c.refuse(id, env.RequestID, env.Endpoint, err)
		return
	}
	c.env.log.Warnf("Drop a message from %s: %v", c.peer, err)
	c.env.recordRefused(env.Endpoint, id, err)
}

func (c *conn) newCall(id trace.ID, env *Envelope, q proto.Message, untraced bool) *call {
	k := &call{env: c.env, id: id, typ: TypeName(q), sender: c.peer}
	request, from := env.RequestID, env.Endpoint
	k.deliver = func(m Message, err error) {
		o := outgoing{to: Ref{Address: c.peer}, from: from, cause: id, msg: m, form: tracepb.Form_REPLY, untraced: untraced}
		c.respond(k, o, request, err)
	}
	return k
}

// note describes a message; nil unless the Host wants Notes.
func (c *conn) note(o *outgoing, id trace.ID, question string) *Note {
	if !c.env.hooks.Notes { // a Note costs an allocation
		return nil
	}
	n := &Note{
		ID: id, Cause: o.cause, Env: c.env.num, From: c.env.cfg.Name, To: c.peerName, Sender: o.from, Receiver: o.to.Name,
		Address: c.peerText, Type: question, Form: o.form,
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

// ordinal is the ordinal of a message that came in: that of its Note, since a Host with Notes may lose or double messages, else the next
// one. The turn is held.
func (c *conn) ordinal(env *Envelope) uint64 {
	if env.Note != nil {
		return env.Note.ID.N
	}
	c.in++
	return c.in
}

// message is the message in an Envelope.
func (e *Env) message(env *Envelope) (proto.Message, error) {
	if env.Note != nil && env.Note.Message != nil {
		return env.Note.Message.(proto.Message), nil
	}
	return e.table.Decode(env.Content)
}

// receiveAnswer ends an ask. A late answer is dropped.
func (c *conn) receiveAnswer(env *Envelope, id trace.ID, now time.Time) {
	p := c.env.asks.find(c.waiting, env.RequestID)
	res := result{id: id, received: now}
	if env.Kind == KindFailure {
		res.err = parseDispatchFailure(env.Error)
	} else if m, err := c.env.message(env); err != nil {
		res.err = fmt.Errorf("%w: the answer of %s: %w", ErrRefusedUndecodable, c.peer, err)
	} else if f, ok := m.(*rpc.Failure); ok {
		res.err = errorOf(f)
	} else {
		res.msg = m
	}
	if p == nil || !c.env.asks.finish(p, res) {
		c.env.log.Debugf("Ignored an answer of %s: its ask had ended", c.peer)
		c.env.recordRefused("", id, errLateAnswer)
	}
}

// close ends the connection from this side. The Link calls Closed later, which is the end; the first reason counts.
func (c *conn) close(why error) {
	c.mu.Lock()
	if c.why == nil {
		c.why = why
	}
	c.mu.Unlock()
	c.link.Close()
}

// join notes that an Outbox sends by this connection; false when it is not open.
func (c *conn) join(ob *Outbox) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != connReady {
		return false
	}
	c.boxes = append(c.boxes, ob) // more than one when the peer was dialled by another name than it gives itself
	return true
}

// Closed is the end, as the Link reports it.
func (c *conn) Closed(err error) {
	c.end(err)
	c.env.left(c)
}

// end ends the connection for this side, once: endpoints hear of it, its Outboxes lose it, asks without an answer fail. Nothing
// of it is received any more. A connection that ends in its handshake was refused.
func (c *conn) end(err error) {
	c.turn.Lock()
	defer c.turn.Unlock()
	c.over = true
	c.mu.Lock()
	was := c.state
	if was == connClosed {
		c.mu.Unlock()
		return
	}
	c.state = connClosed
	if c.why != nil { // the Link knows only that it was closed
		err = c.why
	}
	boxes := c.boxes
	c.stop()
	c.mu.Unlock()
	// The order matters. Endpoints hear of this end before the Outboxes lose the connection and dial the next, so that
	// OnDisconnected comes before the next OnConnected.
	if was == connReady {
		c.env.disconnected(c, err)
	}
	for _, ob := range boxes {
		ob.detach(c)
	}
	for _, p := range c.env.asks.all(c.waiting) { // complete: since the state changed, nothing is sent
		c.env.asks.fail(p, fmt.Errorf("%w: the connection to %s ended before the answer: %w", ErrUnreachableDisconnected, c.peer, err))
	}
	if was == connGreeting {
		c.env.refused(c, err)
	}
}
