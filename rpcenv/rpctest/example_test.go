package rpctest_test

import (
	"fmt"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// counter counts what it hears. After half a minute of silence it sends the count to its listener.
type counter struct {
	listener rpcenv.Ref
	heard    int32
	silence  rpcenv.Timer
}

type silent struct{ rpcenv.Local }

func (n *counter) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m.(type) {
	case *wrapperspb.StringValue:
		n.heard++
		c.Cancel(n.silence)
		n.silence = c.After(30*time.Second, silent{})
	case silent:
		c.Send(n.listener, wrapperspb.Int32(n.heard))
	default:
		c.Unsupported(m)
	}
}

// A World of two: each Env is a process on a machine of its own.
func ExampleNew() {
	t := &testing.T{} // in a test, its own
	w := rpctest.New(t, 1)
	defer w.Close()
	a, b := w.Env("A", nil), w.Env("B", nil)
	ref := w.Register(a, "Greeter", welcomer{})
	b.Go("program", func(b *rpcenv.Blocking) error {
		answer, err := rpcenv.AskWaitAs[*wrapperspb.StringValue](b, ref, wrapperspb.String("Ada"))
		fmt.Println(answer.GetValue(), err)
		return err
	})
	w.Settle()
	fmt.Println(a.Address(), b.Address())
	// Output:
	// Hello, Ada <nil>
	// 10.0.0.1:7077 10.0.0.2:7077
}

// A test speaks and listens through a Probe. What waits lets time pass.
func ExampleProbe() {
	t := &testing.T{} // in a test, its own
	w := rpctest.New(t, 1)
	defer w.Close()
	p := w.Probe("P")
	ref := w.Register(w.Env("Server", nil), "Counter", &counter{listener: p.Ref})
	p.Send(ref, wrapperspb.String("tick"))
	w.Advance(29 * time.Second)
	p.Send(ref, wrapperspb.String("tock"))
	began := w.Now()
	heard := p.Next().(*wrapperspb.Int32Value).GetValue()
	fmt.Println(heard, w.Now().Sub(began) >= 30*time.Second)
	// Output:
	// 2 true
}

// A Probe answers what On makes it answer.
func ExampleProbe_On() {
	t := &testing.T{} // in a test, its own
	w := rpctest.New(t, 1)
	defer w.Close()
	p, q := w.Probe("P"), w.Probe("Q")
	q.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		name, ok := m.(*wrapperspb.StringValue)
		if ok {
			rpcenv.ReplyAs(c, m, wrapperspb.Int64(int64(len(name.GetValue()))))
		}
		return ok
	})
	n, err := rpctest.Ask[*wrapperspb.Int64Value](p, q.Ref, wrapperspb.String("Ada"))
	fmt.Println(n.GetValue(), err)
	// Output:
	// 3 <nil>
}

// Ask asks from a Probe and runs the world until the answer is there.
func ExampleAsk() {
	t := &testing.T{} // in a test, its own
	w := rpctest.New(t, 1)
	defer w.Close()
	ref := w.Register(w.Env("Server", nil), "Greeter", welcomer{})
	answer, err := rpctest.Ask[*wrapperspb.StringValue](w.Probe("P"), ref, wrapperspb.String("Ada"))
	fmt.Println(answer.GetValue(), err)
	// Output:
	// Hello, Ada <nil>
}
