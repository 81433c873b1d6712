package rpcenv

import (
	"errors"
	"fmt"
	"path"
	"reflect"
	"runtime"
	"strings"

	"github.com/coherer/coherer/messages/rpc"
)

// The two families of errors of an ask. ErrRefused: the peer decided. ErrUnreachable: the peer was never asked, or may
// not have been.
var (
	ErrRefused     = errors.New("refused")
	ErrUnreachable = errors.New("unreachable")
)

// Errors that travel: errors.Is finds them at the asker, whichever side of a connection they come from.
var (
	// ErrRefusedNotFound: no endpoint of that name is registered. Text as in Spark: "Could not find NAME."
	ErrRefusedNotFound = NewRefusal("rpc.not-found", "could not find the endpoint")
	// ErrRefusedStopped: the endpoint or its Env is stopped.
	ErrRefusedStopped = NewRefusal("rpc.stopped", "stopped")
	// ErrRefusedNoReply: the handler neither answered nor deferred. Spark lets the asker run into its time-out.
	ErrRefusedNoReply = NewRefusal("rpc.no-reply", "the handler did not reply")
	// ErrRefusedNoRoom: the handler has answered, but so many answers wait for the asking endpoint that this one found no room
	// (coherer.rpc.outbox.limit). In Spark they have no bound.
	ErrRefusedNoRoom = NewRefusal("rpc.no-room", "the answer found no room")
	// ErrRefusedUnsupported: the endpoint has no handler for that message.
	ErrRefusedUnsupported = NewRefusal("rpc.unsupported", "Unsupported message")
	// ErrRefusedUndecodable: the peer could not decode the message.
	ErrRefusedUndecodable = NewRefusal("rpc.undecodable", "undecodable content")
)

// Errors of this side.
var (
	// ErrUnreachableTimeout: no answer in time. Its text names the setting that controls the time.
	ErrUnreachableTimeout = &codedError{"rpc.timeout", "timed out", ErrUnreachable}
	// ErrUnreachableDisconnected: the connection could not be made, or ended before the answer.
	ErrUnreachableDisconnected = &codedError{"rpc.disconnected", "no connection", ErrUnreachable}
	// ErrUnreachableOverloaded: too much waits already for the peer, in the inbox or in the lane. Its text says how much.
	ErrUnreachableOverloaded = &codedError{"rpc.overloaded", "no room", ErrUnreachable}
	// ErrStopped is what a Blocking's waits return when its endpoint, its Env or its owner ended it.
	ErrStopped = errors.New("rpcenv: stopped")
	// ErrNotMessage: the value is neither a protobuf message nor a Local, or a Local was sent to another Env.
	ErrNotMessage = errors.New("rpcenv: cannot be sent")
	// ErrNameTaken: there is already an endpoint of that name.
	ErrNameTaken = errors.New("rpcenv: name taken")
	// ErrInvalidURL: an address or URI has not the form it should have.
	ErrInvalidURL = errors.New("rpcenv: invalid URL")
	// ErrHandshake: the peer is no Env that this one can talk to.
	ErrHandshake = errors.New("rpcenv: handshake")
)

// Why an answer is dropped: the reasons of such events in the trace.
var (
	errLateAnswer   = errors.New("ignored: the ask had ended")
	errAskerStopped = errors.New("ignored: the asker had stopped")
	errAskEnded     = errors.New("the ask had ended")
	errAnswered     = errors.New("answered already")
	errAskerGone    = errors.New("the asker's connection is closed")
)

// codedError is an error that travels by its code.
type codedError struct {
	code, text string
	family     error
}

func (e *codedError) Error() string { return e.text }
func (e *codedError) Unwrap() error { return e.family }

// NewRefusal makes an error value of a role that travels: wrapped into what a handler fails an ask with, errors.Is finds
// it at the asker. code is unique, "ROLE.WHAT".
func NewRefusal(code, text string) error { return &codedError{code, text, ErrRefused} }

// RemoteError is the failure of a handler in another Env.
type RemoteError struct {
	// Code names the error value, see NewRefusal; empty when it has none.
	Code string
	// Type is the Go type of the error there.
	Type    string
	Message string
	Stack   string
}

// Error is the message.
func (e *RemoteError) Error() string { return e.Message }

// Is makes errors.Is find the error value of the same code, and ErrRefused.
func (e *RemoteError) Is(target error) bool {
	if target == ErrRefused {
		return true
	}
	c, ok := target.(*codedError)
	return ok && c.family == ErrRefused && c.code == e.Code // what was unreachable there says nothing of here
}

// panicError is a panic of a handler or a body, as an error.
type panicError struct {
	value any
	stack string
}

// newPanic is for the recovering function itself. The stack is that of the panicking code, without what differs from run to run
// (addresses, goroutines), since it travels and is recorded.
func newPanic(value any) *panicError {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	var stack strings.Builder
	for {
		f, more := frames.Next()
		// Below the first method of ours that calls callbacks lie only the runtime's own frames.
		if strings.HasPrefix(f.Function, ownFrames+"inbox).") || strings.HasPrefix(f.Function, ownFrames+"Blocking).") || !more {
			return &panicError{value, stack.String()}
		}
		if !strings.HasPrefix(f.Function, "runtime.") {
			fmt.Fprintf(&stack, "%s %s:%d\n", f.Function, path.Base(f.File), f.Line)
		}
	}
}

// ownFrames begins the names of the methods that call callbacks and bodies.
var ownFrames = reflect.TypeFor[codedError]().PkgPath() + ".(*"

func (e *panicError) Error() string {
	if err, ok := e.value.(error); ok {
		return err.Error()
	}
	return fmt.Sprintf("panic: %v", e.value)
}

func (e *panicError) Unwrap() error {
	err, _ := e.value.(error)
	return err
}

func failureOf(err error) *rpc.Failure {
	// A string that is no UTF-8 could not be encoded, and the asker would get nothing.
	f := &rpc.Failure{Type: fmt.Sprintf("%T", err), Message: strings.ToValidUTF8(err.Error(), "\uFFFD")}
	if c, ok := errors.AsType[*codedError](err); ok {
		f.Code = c.code
	}
	// A failure that a handler passes on keeps what its origin said of it.
	if r, ok := errors.AsType[*RemoteError](err); ok {
		f.Code, f.Type, f.Stack = r.Code, r.Type, r.Stack
	}
	if p, ok := errors.AsType[*panicError](err); ok {
		f.Type, f.Stack = "panic", p.stack
	}
	return f
}

func errorOf(f *rpc.Failure) error {
	return &RemoteError{Code: f.GetCode(), Type: f.GetType(), Message: f.GetMessage(), Stack: f.GetStack()}
}

// dispatchFailure is the text of a frame of type 5; parseDispatchFailure reads it back.
func dispatchFailure(err error) string {
	if c, ok := errors.AsType[*codedError](err); ok {
		return "[" + c.code + "] " + err.Error()
	}
	return err.Error()
}

func parseDispatchFailure(text string) error {
	if rest, ok := strings.CutPrefix(text, "["); ok {
		if code, message, ok := strings.Cut(rest, "] "); ok {
			return &RemoteError{Code: code, Message: message}
		}
	}
	return &RemoteError{Message: text}
}
