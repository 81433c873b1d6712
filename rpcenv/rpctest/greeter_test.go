package rpctest_test

import (
	"errors"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// greeter greets each asker by name, and reports to the porter each hour how many it greeted.
type greeter struct {
	porter  rpcenv.Ref
	greeted int32
}

type report struct{ rpcenv.Local }

var errNoName = rpcenv.NewRefusal("greeter.no-name", "a greeting needs a name")

func (g *greeter) OnStart(c *rpcenv.Context) { c.Every(time.Hour, time.Hour, report{}) }

func (g *greeter) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *wrapperspb.StringValue:
		if m.GetValue() == "" {
			rpcenv.Fail(c, m, errNoName)
			return
		}
		g.greeted++
		rpcenv.ReplyAs(c, m, wrapperspb.String("Hello, "+m.GetValue()))
	case report:
		c.Send(g.porter, wrapperspb.Int32(g.greeted))
	default:
		c.Unsupported(m)
	}
}

func TestGreeter(t *testing.T) {
	w := rpctest.New(t, 1)
	porter := w.Probe("Porter") // an Env of its own, with an endpoint, both of that name
	server := w.Env("Server", nil)
	ref := w.Register(server, "Greeter", &greeter{porter: porter.Ref})

	answer, err := rpctest.Ask[*wrapperspb.StringValue](porter, ref, wrapperspb.String("Ada"))
	if err != nil || answer.GetValue() != "Hello, Ada" {
		t.Error(answer, err)
	}
	_, err = rpctest.Ask[*wrapperspb.StringValue](porter, ref, wrapperspb.String(""))
	if !errors.Is(err, errNoName) {
		t.Error(err)
	}

	w.Advance(2 * time.Hour) // takes no time
	for range 2 {
		if n := porter.Next().(*wrapperspb.Int32Value).GetValue(); n != 1 {
			t.Error(n, "greeted")
		}
	}
	porter.Quiet(59 * time.Minute)
}
