package scenario

import (
	"context"
	"errors"
	"testing"

	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/rpcenv"
)

// restless sends itself a message over and over, so that a simulation never settles, and calls end at the hundredth.
type restless struct {
	turns int
	end   func()
}

type again struct{ rpcenv.Local }

func (r *restless) OnStart(c *rpcenv.Context) { c.After(0, again{}) }

func (r *restless) Receive(c *rpcenv.Context, m rpcenv.Message) {
	if r.turns++; r.turns == 100 {
		r.end()
	}
	if r.turns < 10_000 {
		c.Send(c.Self(), m)
	}
}

// An advance that is interrupted does not wait until the cluster settles: it may never do so.
func TestAnInterruptedAdvanceEndsAtOnce(t *testing.T) {
	r, err := New(local.Sim, "cluster worlds=(sim) seed=1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	env, err := rpcenv.New(r.world.Simulated().Host("P", "10.0.0.1"), rpcenv.Config{Name: "P"})
	if err != nil {
		t.Fatal(err)
	}
	cause := errors.New("a signal")
	ctx, cancel := context.WithCancelCause(t.Context())
	e := &restless{end: func() {
		cancel(cause)
		r.interrupt() // which the end of ctx calls too, at a time that is not the test's
	}}
	if _, err := env.Register("restless", e); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Block(ctx, []string{"advance 1m"}); !errors.Is(err, cause) {
		t.Error(err)
	}
	if e.turns != 100 { // the turn that interrupts
		t.Errorf("%d turns, want none after the hundredth", e.turns)
	}
}
