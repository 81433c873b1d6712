package rpcenv

import (
	"errors"
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
)

// What an asker elsewhere gets of an error: its code, type, text and stack.
func TestAFailureHasTheCodeOfItsError(t *testing.T) {
	mine := NewRefusal("test.mine", "not today")
	remote := &RemoteError{Code: "test.far", Type: "T", Message: "far", Stack: "S"}
	for _, test := range []struct {
		err  error
		want *rpc.Failure
	}{
		{errors.New("plain"), &rpc.Failure{Type: "*errors.errorString", Message: "plain"}},
		{errors.New("a\xffb"), &rpc.Failure{Type: "*errors.errorString", Message: "a\uFFFDb"}},
		{mine, &rpc.Failure{Type: "*rpcenv.codedError", Message: "not today", Code: "test.mine"}},
		{fmt.Errorf("for you: %w", mine), &rpc.Failure{Type: "*fmt.wrapError", Message: "for you: not today", Code: "test.mine"}},
		{fmt.Errorf("passed on: %w", remote), &rpc.Failure{Type: "T", Message: "passed on: far", Code: "test.far", Stack: "S"}},
		{&panicError{mine, "S"}, &rpc.Failure{Type: "panic", Message: "not today", Code: "test.mine", Stack: "S"}},
		{&panicError{7, "S"}, &rpc.Failure{Type: "panic", Message: "panic: 7", Stack: "S"}},
	} {
		got := failureOf(test.err)
		if !proto.Equal(got, test.want) {
			t.Errorf("%v: %v, want %v", test.err, got, test.want)
		}
		back, ok := errors.AsType[*RemoteError](errorOf(got))
		if !ok || *back != (RemoteError{got.GetCode(), got.GetType(), got.GetMessage(), got.GetStack()}) || back.Error() != got.GetMessage() {
			t.Errorf("%v comes back as %#v", test.err, back)
		}
	}
}

func TestAFrameOfFailureHasTheCodeInBrackets(t *testing.T) {
	for _, test := range []struct {
		err  error
		text string
		back RemoteError
	}{
		{
			fmt.Errorf("%w: Could not find E.", ErrRefusedNotFound), "[rpc.not-found] could not find the endpoint: Could not find E.",
			RemoteError{Code: "rpc.not-found", Message: "could not find the endpoint: Could not find E."},
		},
		{errors.New("no code] at all"), "no code] at all", RemoteError{Message: "no code] at all"}},
		{errors.New("[no end"), "[no end", RemoteError{Message: "[no end"}},
	} {
		text := dispatchFailure(test.err)
		if back, ok := errors.AsType[*RemoteError](parseDispatchFailure(text)); text != test.text || !ok || *back != test.back {
			t.Errorf("%v: %q, %+v", test.err, text, back)
		}
	}
}

// What the peer refused is found by its value; what was unreachable there says nothing of here.
func TestARemoteErrorIsARefusalOfItsCodeAlone(t *testing.T) {
	for _, test := range []struct {
		code string
		is   error
		want bool
	}{
		{"rpc.stopped", ErrRefusedStopped, true},
		{"rpc.stopped", ErrRefused, true},
		{"", ErrRefused, true},
		{"rpc.stopped", ErrRefusedNotFound, false},
		{"rpc.timeout", ErrUnreachableTimeout, false},
		{"rpc.timeout", ErrUnreachable, false},
		{"rpc.stopped", ErrStopped, false},
	} {
		if got := errors.Is(&RemoteError{Code: test.code}, test.is); got != test.want {
			t.Errorf("%q is %v: %v", test.code, test.is, got)
		}
	}
}

type pointed struct{ Local }

func TestAMessageIsCalledByItsType(t *testing.T) {
	one := &pointed{}
	for _, test := range []struct {
		m    Message
		name string
		why  string // it cannot be sent to another Env
		here string // nor within this one
	}{
		{wrapperspb.Bool(true), "google.protobuf.BoolValue", "", ""},
		{one, "pointed", "pointed is Local and stays in its Env", ""},
		{&one, "pointed", "**rpcenv.pointed is neither a protobuf message nor embeds rpcenv.Local", "**rpcenv.pointed is neither a protobuf message nor embeds rpcenv.Local"},
		{LocalUntraced{}, "LocalUntraced", "LocalUntraced is Local and stays in its Env", ""},
		{nil, "nil", "<nil> is neither a protobuf message nor embeds rpcenv.Local", "<nil> is neither a protobuf message nor embeds rpcenv.Local"},
	} {
		if got := TypeName(test.m); got != test.name {
			t.Errorf("%T is called %s", test.m, got)
		}
		for local, want := range map[bool]string{false: test.why, true: test.here} {
			if err := checkMessage(test.m, local); (err == nil) != (want == "") || err != nil && err.Error() != "rpcenv: cannot be sent: "+want {
				t.Errorf("%T, local %v: %v", test.m, local, err)
			}
		}
	}
}
