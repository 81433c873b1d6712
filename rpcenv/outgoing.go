package rpcenv

import (
	"time"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace"
)

// outgoing is a message on its way out.
type outgoing struct {
	to      Ref
	msg     Message
	cause   trace.ID
	from    string // the sending endpoint
	form    tracepb.Form
	pending *pending // of an ask

	at      time.Time // when it was sent; zero while nothing is recorded
	content []byte    // encoded, for another Env

	untraced bool // it is counted, not recorded
	recorded bool // it is recorded, and so is its outcome
}
