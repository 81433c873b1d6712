package sim_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/sim"
	"github.com/coherer/coherer/rpcenv/trace"
)

// office has three endpoints in one Env, whose handlers take a second.
type office struct {
	*pair
	env   *rpcenv.Env
	order []string
	start time.Duration
}

type clerk struct {
	o    *office
	name string
}

func (e *clerk) Receive(c *rpcenv.Context, m rpcenv.Message) {
	e.o.order = append(e.o.order, fmt.Sprintf("%s %s %s", e.name, m.(*wrapperspb.StringValue).GetValue(), (c.Now().Sub(sim.Start)-e.o.start).Round(time.Millisecond)))
}

func newOffice(t *testing.T) *office {
	o := &office{pair: newPair(t)}
	o.boot("O", "10.0.0.9", func(e *rpcenv.Env) error {
		o.env = e
		for _, name := range []string{"A", "B", "C"} {
			if _, err := e.Register(name, &clerk{o, name}); err != nil {
				return err
			}
		}
		return nil
	})
	o.w.Settle()
	return o
}

// give gives each of the endpoints a message.
func (o *office) give(text string) {
	for _, name := range []string{"A", "B", "C"} {
		if err := o.env.Send(o.env.Ref(o.env.Address(), name), wrapperspb.String(text)); err != nil {
			o.t.Fatal(err)
		}
	}
}

func (o *office) want(want ...string) {
	o.t.Helper()
	slices.Sort(o.order)
	if !slices.Equal(o.order, want) {
		o.t.Errorf("%q, want %q", o.order, want)
	}
	o.order = nil
	o.start = o.w.Now().Sub(sim.Start)
}

func TestABusyHandlerHoldsAThreadOfItsEnv(t *testing.T) {
	o := newOffice(t)
	o.apply("cost O/A StringValue 1s")
	o.start = o.w.Now().Sub(sim.Start)
	o.give("x")
	o.give("y")
	o.w.Settle()
	o.want("A x 1s", "A y 2s", "B x 0s", "B y 0s", "C x 0s", "C y 0s")

	o.apply("threads O 1")
	o.w.Cost("O", "*", time.Second)
	o.give("x")
	o.w.Settle()
	if got := len(o.order); got != 3 {
		t.Fatal(o.order)
	}
	for i, done := range o.order { // one after the other, in an order that the seed chooses
		if want := fmt.Sprintf(" x %ds", i+1); done[1:] != want {
			t.Error(done, want)
		}
	}
	o.order, o.start = nil, o.w.Now().Sub(sim.Start)

	o.w.Threads("O", 3)
	o.give("x")
	o.w.Settle()
	o.want("A x 1s", "B x 1s", "C x 1s")
}

// An endpoint that costs nothing waits too, when all threads are held, and the trace shows how long.
func TestTheWaitForAThreadIsInTheTrace(t *testing.T) {
	o := newOffice(t)
	o.w.Cost("O/A", "StringValue", time.Second)
	o.w.Threads("O", 1)
	send := func(name string) {
		if err := o.env.Send(o.env.Ref(o.env.Address(), name), wrapperspb.String("x")); err != nil {
			t.Fatal(err)
		}
	}
	send("A")
	o.w.Advance(0)
	send("B")
	o.w.Settle()
	var got []string
	for _, e := range trace.Merge(o.w.Recorder().Records()).Entries {
		if e.K == trace.KindMsg {
			got = append(got, fmt.Sprint(e.To, " waited ", time.Duration(e.Start-e.Recv), " took ", time.Duration(e.End-e.Start)))
		}
	}
	if want := []string{"O/A waited 0s took 1s", "O/B waited 1s took 0s"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestACrashEndsWhatIsBusy(t *testing.T) {
	o := newOffice(t)
	o.w.Threads("O", 1)
	o.w.Cost("*", "*", time.Second)
	o.give("x")
	o.w.Advance(1500 * time.Millisecond)
	o.apply("pause O")
	o.w.Settle()
	o.apply("kill O")
	o.w.Settle()
	if len(o.order) != 1 || !o.w.Quiet() {
		t.Error(o.order, o.w.Quiet())
	}
}

func TestAPacedWorldKeepsStepWithTheWall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := sim.New(1, 0)
		defer w.Close()
		w.Pace(10)
		begin := time.Now()
		w.Advance(30 * time.Second)
		if took := time.Since(begin); took != 3*time.Second {
			t.Errorf("30 s at 10 times the speed took %s", took)
		}
		w.Pace(0)
		w.Advance(time.Hour)
		if took := time.Since(begin); took != 3*time.Second {
			t.Error("an untied World waited", took)
		}
	})
}

func TestAPacedWorldIsStoppedSteppedAndGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := sim.New(1, 0)
		defer w.Close()
		env, err := rpcenv.New(w.Host("T", "10.0.0.1"), rpcenv.Config{Name: "T"})
		if err != nil {
			t.Fatal(err)
		}
		ticks := []time.Duration{}
		if _, err := env.Register("Ticker", &ticker{&ticks}); err != nil {
			t.Fatal(err)
		}
		w.Settle()
		w.Pace(1)
		go func() {
			time.Sleep(2500 * time.Millisecond)
			w.Stop()
		}()
		if err := w.Run(func() bool { return false }, time.Hour); err != sim.ErrStopped { //nolint:errorlint // it is returned as it is
			t.Error(err)
		}
		if now := w.Now().Sub(sim.Start); now != 2500*time.Millisecond || len(ticks) != 2 {
			t.Error("stopped at", now, ticks)
		}
		w.Pace(0)
		for len(ticks) < 4 && w.Step() {
		}
		w.Advance(time.Second)
		if len(ticks) != 5 {
			t.Error(ticks)
		}
		w.Stop()
		w.Advance(time.Hour)
		if len(ticks) > 6 {
			t.Error("it was not stopped:", len(ticks))
		}
	})
}
