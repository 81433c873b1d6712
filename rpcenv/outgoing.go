package rpcenv

import (
	"time"

	"google.golang.org/protobuf/proto"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// MaxMessage is the size in bytes of the largest message that can be sent to another address. A larger one that is no ask ends
// the connection, as does any message beyond what may wait.
const MaxMessage = 64 << 20

// outgoing is a message on its way out.
type outgoing struct {
	to      Ref
	msg     Message
	cause   record.ID
	from    string      // the sending endpoint
	tag     record.Name // from, in the ring; 0: nobody has looked it up
	form    tracepb.Form
	pending *outgoingAsk // of an ask

	at      time.Time // when it was sent; zero while nothing is recorded
	content []byte    // encoded, for another Env
	buffer  *buffer   // of content, if that comes from the pool

	untraced bool // it is counted, not recorded
	recorded bool // it is recorded, and so is its outcome

	body *Blocking // its sender, if that waits for room

	// Of an answer: the number and the type of its ask.
	request  int64
	question string
}

// isAnswer reports whether o answers an ask.
func (o *outgoing) isAnswer() bool {
	return o.form == tracepb.Form_REPLY || o.form == tracepb.Form_FAIL
}

// flow is what o belongs to.
func (o *outgoing) flow() flow {
	if o.isAnswer() {
		return answersTo(o.request)
	}
	return flow{endpoint: o.to.Name}
}

// encode encodes o for another Env, unless messages go by reference.
func (o *outgoing) encode(e *Env) error {
	if e.hooks.ByReference {
		return nil
	}
	buf := buffers.Get().(*buffer)
	b, err := e.table.Append(buf.b[:0], o.msg.(proto.Message))
	if buf.b = b; err != nil {
		buf.give()
		return err
	}
	o.content, o.buffer = b, buf
	return nil
}

// sent gives the buffer back: the Link has its content.
func (o *outgoing) sent() {
	if o.buffer != nil {
		o.buffer.give()
	}
	o.content, o.buffer = nil, nil
}
