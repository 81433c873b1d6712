package endpoints

import (
	"fmt"

	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// Teller sends as many tells as may be under way, to one receiver or, of FanOut, to many.
type Teller struct {
	// To and Tells are one for each pair of this sender, the first of which is Pair.
	To    []rpcenv.Ref
	Tells []*measure.Tell
	Pair  int
	// Over is called once, at the end of the trial or with what broke it. It must not wait.
	Over func(error)

	over int // pairs that are through
}

// OnStart begins the trial.
func (t *Teller) OnStart(c *rpcenv.Context) {
	for i := range t.Tells {
		t.send(c, i)
	}
}

// Receive takes an acknowledgement or a Tick.
func (t *Teller) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *app.StatusUpdate:
		t.acknowledged(c, m)
	case *Tick:
		t.send(c, m.Pair-t.Pair)
	default:
		c.Unsupported(m)
	}
}

func (t *Teller) acknowledged(c *rpcenv.Context, ack *app.StatusUpdate) {
	i := measure.PairOf(ack) - t.Pair
	if i < 0 || i >= len(t.Tells) {
		t.end(c, fmt.Errorf("an acknowledgement of pair %d came to the sender of pair %d", measure.PairOf(ack), t.Pair))
		return
	}
	over, err := t.Tells[i].Acknowledged(ack)
	switch {
	case err != nil:
		t.end(c, err)
	case over:
		if t.over++; t.over == len(t.Tells) {
			t.end(c, nil)
		}
	default:
		t.send(c, i)
	}
}

func (t *Teller) end(c *rpcenv.Context, err error) {
	t.Over(err)
	c.Stop()
}

func (t *Teller) send(c *rpcenv.Context, i int) {
	for m := t.Tells[i].Next(); m != nil; m = t.Tells[i].Next() {
		c.Send(t.To[i], m)
	}
}

// Acknowledged passes on the acknowledgements to a sender that is no endpoint.
type Acknowledged struct {
	// Take must not wait.
	Take func(*app.StatusUpdate)
}

// Receive takes an acknowledgement.
func (a *Acknowledged) Receive(c *rpcenv.Context, m rpcenv.Message) {
	if ack, ok := m.(*app.StatusUpdate); ok {
		a.Take(ack)
		return
	}
	c.Unsupported(m)
}
