package rpcenv_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// full receives the names of the endpoints that take nothing.
func full(c rpcenv.Conn, names ...string) {
	c.Receive(&rpcenv.Envelope{Kind: rpcenv.KindOneWay, Endpoint: rpcenv.VerifierName, Content: content(&rpc.Full{Endpoints: names})})
}

func TestNoMessageGoesBeforeFull(t *testing.T) {
	w := inSim(t)
	a, l, c := windowed(w)
	c.AwaitFull()
	send := func(to string, n int) {
		t.Helper()
		if err := c.SendTo(to, n); err != nil {
			t.Error(err)
		}
	}
	send("E", 10)
	send("F", 20)
	send("E", 30)
	send("F", 1000)
	c.Answer(&rpc.Bool{Value: true}) // answers go as ever
	l.want(t, " 6")
	full(c, "E", "G")
	l.want(t, "F 20", "F 1000")
	send("G", 40)
	send("H", 50)
	l.want(t, "H 50")
	full(c, "H") // the first one counts
	send("H", 60)
	l.want(t, "H 60")
	credits(c, "E", 0)
	l.want(t, "E 10", "E 30")
	credits(c, "G", 0)
	l.want(t, "G 40")
	if out, _ := a.Streams(); len(out) != 5 {
		t.Error(out)
	}
}

// A stream of which nothing waits, since an ask found no room, is shut all the same.
func TestFullShutsAnEmptyStream(t *testing.T) {
	w := inSim(t)
	_, l, c := windowed(w)
	c.AwaitFull()
	if err := c.SendTo("F", 900<<10); err != nil {
		t.Error(err)
	}
	if err := c.Ask(200<<10, func(error) {}); !errors.Is(err, rpcenv.ErrUnreachableOverloaded) { // to E
		t.Error(err)
	}
	full(c, "E")
	l.want(t, "F 921600")
	if err := c.SendTo("E", 10); err != nil {
		t.Error(err)
	}
	l.want(t)
	credits(c, "E", 0)
	l.want(t, "E 10")
}

func TestAnEndpointThatFullNamedIsForgotten(t *testing.T) {
	w := inSim(t)
	a, l, c := windowed(w)
	c.AwaitFull()
	full(c, "E")
	credits(c, "E", 0)
	if out, _ := a.Streams(); len(out) != 0 {
		t.Error(out)
	}
	if err := c.SendTo("E", 10); err != nil {
		t.Error(err)
	}
	l.want(t, "E 10")
}

func TestFullNamesNotAnyNumberOfEndpoints(t *testing.T) {
	w := inSim(t)
	a, _, c := windowed(w)
	c.AwaitFull()
	names := make([]string, 20_000)
	for i := range names {
		names[i] = fmt.Sprint("E", i)
	}
	full(c, names...)
	if out, _ := a.Streams(); len(out) != 10_000 {
		t.Error(len(out))
	}
}
