package rpcenv

import (
	"google.golang.org/protobuf/proto"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace"
)

// Simulation is what a Host implements, beside Host, when it models what happens between Envs instead of doing it.
type Simulation interface {
	// Busy counts work that is under way on this Host: items in inboxes, messages in outboxes, running bodies.
	Busy(n int)
	// ByReference says that messages between Envs are not encoded: receivers get what was sent, in Envelope.Note.
	ByReference() bool
}

// Note describes the message in an Envelope to a Simulation, beside what goes over a wire. A Note is not changed.
type Note struct {
	// ID and Cause are those of the trace: ID.N is the message's ordinal in its direction. A Simulation that loses messages
	// or doubles them hands the ordinal on in this way, elsewhere both ends count.
	ID, Cause trace.ID
	// Env is the number of the sending Env in the trace, From and To are the names of the two Envs.
	Env      uint32
	From, To string
	// Sender and Receiver are the endpoints. An answer is for no endpoint.
	Sender, Receiver string
	// Address is where the receiving Env listens.
	Address string
	// Type is the message's full name; of an answer that of its question, and Own its own.
	Type, Own string
	Form      tracepb.Form
	// Message is the message itself, when messages go by reference.
	Message Message
}

// recordCrash is the record of an Env that ends without a word, unless it was shut down before.
func (e *Env) recordCrash() {
	select {
	case <-e.done:
	default:
		e.recordState("", trace.ID{}, change{"process", e.cfg.Name, "", "crashed", ""})
	}
}

// note describes a message to a Simulation; nil in the real world.
func (c *conn) note(o *outgoing, id trace.ID, question string) *Note {
	if c.env.sim == nil { // without a Simulation a message costs no Note
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
	if c.env.byReference {
		n.Message = o.msg
	}
	return n
}

// ordinal is the ordinal of a message that came in: that of its Note, since a Simulation may lose or double messages, else the next
// one. The turn is held.
func (c *conn) ordinal(env *Envelope) uint64 {
	if env.Note != nil {
		return env.Note.ID.N
	}
	c.in++
	return c.in
}

// content encodes a message for another Env, unless messages go by reference.
func (e *Env) content(m proto.Message) ([]byte, error) {
	if e.byReference {
		return nil, nil
	}
	return e.table.Append(nil, m)
}

// message is the message in an Envelope.
func (e *Env) message(env *Envelope) (proto.Message, error) {
	if env.Note != nil && env.Note.Message != nil {
		return env.Note.Message.(proto.Message), nil
	}
	return e.table.Decode(env.Content)
}

// Turner is a Dispatcher that wants to know the turns of inboxes that it is asked to run: one in whose world handlers take
// time.
type Turner interface {
	// Turn runs t later, as Schedule would. At most one turn of an inbox is ordered at a time.
	Turn(t Turn)
}

// Turn is a turn of an inbox, in which its next item is handled.
type Turn struct{ in *Inbox }

// Env is the name of the inbox's Env.
func (t Turn) Env() string { return t.in.env.cfg.Name }

// Endpoint is the endpoint's name.
func (t Turn) Endpoint() string { return t.in.name }

// Item is the type of the message that is handled next, or the name of an item that is none; empty when nothing waits.
func (t Turn) Item() string {
	t.in.mu.Lock()
	defer t.in.mu.Unlock()
	if it := t.in.queue.peek(); it != nil {
		return t.in.describe(it)
	}
	return ""
}

// Begin says that the handling of the next item begins now, though Run comes later.
func (t Turn) Begin() {
	t.in.mu.Lock()
	defer t.in.mu.Unlock()
	if it := t.in.queue.peek(); it != nil {
		it.began = t.in.env.host.Now()
	}
}

// Run handles the item.
func (t Turn) Run() { t.in.turn() }
