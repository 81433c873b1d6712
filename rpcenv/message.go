package rpcenv

import (
	"fmt"
	"reflect"

	"google.golang.org/protobuf/proto"
)

// Message is what endpoints say to each other: a protobuf message, or, within one Env, a Go struct that embeds Local.
// A message is never changed after it was sent, also not within one process.
type Message = any

// Local marks a Go struct as a message within one Env. Sending one to another Env is ErrNotMessage.
type Local struct{}

func (Local) localMessage() {}

// LocalUntraced is a Local that is counted and not recorded, as messages with the protocol option untraced: for ticks that
// come several times a second.
type LocalUntraced struct{ Local }

func (LocalUntraced) untracedMessage() {}

type localMessage interface{ localMessage() }

// Asks is a message that is answered by an R. For protobuf messages the method is generated from the protocol option
// reply; for a Local it is written by hand.
type Asks[R Message] interface{ ReplyType() R }

// TypeName is the name of a message in logs and traces: the protobuf full name, or that of the Go type.
func TypeName(m Message) string {
	if p, ok := m.(proto.Message); ok {
		return string(p.ProtoReflect().Descriptor().FullName())
	}
	t := reflect.TypeOf(m)
	if t == nil {
		return "nil"
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Name()
}

// checkMessage is nil for what can be sent, to the same Env (local) or another.
func checkMessage(m Message, local bool) error {
	switch m.(type) {
	case proto.Message:
		return nil
	case localMessage:
		if local {
			return nil
		}
		return fmt.Errorf("%w: %s is Local and stays in its Env", ErrNotMessage, TypeName(m))
	}
	return fmt.Errorf("%w: %T is neither a protobuf message nor embeds rpcenv.Local", ErrNotMessage, m)
}
