package main

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// In a simulated world: the same endpoint, no port, virtual time.
func TestGreeter(t *testing.T) {
	w := rpctest.New(t, 1)
	ref := w.Register(w.Env("Server", nil), "Greeter", &greeter{})
	p := w.Probe("Client")
	for i, name := range []string{"Ada", "Grace"} {
		got, err := rpctest.Ask[*wrapperspb.StringValue](p, ref, wrapperspb.String(name))
		want := fmt.Sprintf("Hello, %s! You are number %d.", name, i+1)
		if err != nil || got.GetValue() != want {
			t.Errorf("got %q, want %q (error %v)", got.GetValue(), want, err)
		}
	}
	_, err := rpctest.Ask[*wrapperspb.StringValue](p, ref, wrapperspb.String(""))
	if !errors.Is(err, errNoName) {
		t.Errorf("no name: error %v", err)
	}
	_, err = rpctest.Ask[*wrapperspb.StringValue](p, ref, wrapperspb.Int64(1))
	if !errors.Is(err, rpcenv.ErrRefusedUnsupported) {
		t.Errorf("a number: error %v", err)
	}
}

func Example() {
	if err := run(os.Stdout, "Ada", "Grace"); err != nil {
		fmt.Println(err)
	}
	// Output:
	// Hello, Ada! You are number 1.
	// Hello, Grace! You are number 2.
}

func TestRefusalCrossesTheNetwork(t *testing.T) {
	if err := run(t.Output(), ""); !errors.Is(err, errNoName) {
		t.Errorf("error %v", err)
	}
}
