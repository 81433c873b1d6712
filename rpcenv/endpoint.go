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

// Endpoint is one actor: state that only its callbacks touch, and an inbox that calls them one at a time. It mirrors
// org.apache.spark.rpc.ThreadSafeRpcEndpoint.
//
// The handler rule: a callback touches only the endpoint's own state and its Context: no goroutine, lock, channel,
// clock, randomness or I/O. Long work goes to Run.
//
// Receive gets messages, asks, ticks of timers and outside events. An ask is answered by Reply or Fail, or kept by
// Defer; one that is none of these fails with ErrRefusedNoReply. A message that Receive does not know goes to
// Context.Unsupported. A panic is recovered: it fails the ask, if it is one, and goes to OnError; the endpoint goes on
// with the same state.
type Endpoint interface {
	Receive(c *Context, m Message)
}

// Starter is an Endpoint with an OnStart: it is called first, before any message.
type Starter interface{ OnStart(c *Context) }

// Stopper is an Endpoint with an OnStop: it is called last, once, after everything that was queued before the stop.
// Timers are stopped, pending asks abandoned and Runs cancelled by then.
type Stopper interface{ OnStop(c *Context) }

// ConnectionWatcher is an Endpoint that hears of all connections of its Env. A peer is named by the address where it
// listens, or that of its socket in client mode. OnConnected comes before the connection's first message,
// OnDisconnected after its last.
type ConnectionWatcher interface {
	OnConnected(c *Context, peer Address)
	OnDisconnected(c *Context, peer Address)
}

// NetworkErrorWatcher is an Endpoint that hears of connections that could not be made.
type NetworkErrorWatcher interface {
	OnNetworkError(c *Context, err error, peer Address)
}

// ErrorHandler is an Endpoint that hears of its own failures. Without it they are logged.
type ErrorHandler interface{ OnError(c *Context, err error) }

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
