package rpcenv

import (
	"sync/atomic"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// incomingAsk is an ask at its callee: it is ended once, by an answer or a failure.
type incomingAsk struct {
	env    *Env
	id     record.ID // the ask
	typ    string    // the question's type
	sender Address
	done   atomic.Bool
	at     int32 // its place in owned, which guards it
	// by brings the end to the asker. The fields below say how; a closure would have to be made for each ask.
	by       answerer
	asked    *outgoingAsk // of an asker in this Env
	request  int64        // of an asker behind a connection
	from     string       // the asker's name, in this Env
	to       string       // the asked endpoint
	tags     askTags
	untraced bool
	recorded bool
}

// askTags are the numbers in the ring of the texts of an ask; 0: nobody has looked them up.
type askTags struct{ from, to, typ record.Name }

// answerer brings the end of an ask, m or err, to where the ask came from.
type answerer interface {
	endAsk(k *incomingAsk, m Message, err error)
}

func (k *incomingAsk) deliver(m Message, err error) { k.by.endAsk(k, m, err) }

func (k *incomingAsk) answer(m Message) {
	if k.finish() {
		k.deliver(m, nil)
	}
}

func (k *incomingAsk) end(m Message, err error) {
	if err != nil {
		k.fail(err)
		return
	}
	k.answer(m)
}

func (k *incomingAsk) fail(err error) {
	if k.finish() {
		k.deliver(nil, err)
	}
}

// finish reports whether this is the first end; a second one is an event of the trace.
func (k *incomingAsk) finish() bool {
	if k.done.CompareAndSwap(false, true) {
		return true
	}
	k.env.dropped(&outgoing{form: tracepb.Form_REPLY, cause: k.id}, k.typ, errAnswered)
	return false
}
