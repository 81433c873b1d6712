package rpcenv_test

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/sim"
	"github.com/coherer/coherer/rpcenv/trace"
)

// house makes an Env that listens at 10.0.0.1:7077 in a world of its own.
func house(w *sim.World) *rpcenv.Env {
	env, err := rpcenv.New(w.Host("House", "10.0.0.1"), rpcenv.Config{Name: "House", Listen: rpcenv.Address{Host: "10.0.0.1", Port: 7077}})
	if err != nil {
		panic(err)
	}
	return env
}

// bell says what it is called for.
type bell struct{}

func (bell) OnStart(c *rpcenv.Context) { fmt.Println("start", c.Self()) }
func (bell) OnStop(*rpcenv.Context)    { fmt.Println("stop") }

func (bell) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *wrapperspb.StringValue:
		fmt.Println(m.GetValue())
	default:
		c.Unsupported(m)
	}
}

// OnStart is the first callback and OnStop the last. What was sent before the stop is still handled.
func ExampleEnv_Register() {
	w := sim.New(1, 0)
	defer w.Close()
	env := house(w)
	ref, err := env.Register("Bell", bell{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = env.Register("Bell", bell{})
	fmt.Println(errors.Is(err, rpcenv.ErrNameTaken))
	if err := env.Send(ref, wrapperspb.String("ding")); err != nil {
		fmt.Println(err)
	}
	env.Stop("Bell")
	w.Settle()
	// Output:
	// true
	// start spark://Bell@10.0.0.1:7077
	// ding
	// stop
}

// ringer rings a bell in another process.
type ringer struct{ bell rpcenv.Ref }

func (r ringer) OnStart(c *rpcenv.Context) {
	c.Send(r.bell, wrapperspb.String("ding"))
	c.Send(r.bell, wrapperspb.String("dong"))
}

func (ringer) Receive(c *rpcenv.Context, m rpcenv.Message) { c.Unsupported(m) }

// Messages of one Env to one endpoint come in their order. Send does not wait, nor does it say whether they came.
func ExampleContext_Send() {
	w := sim.New(1, 0)
	defer w.Close()
	ref, err := house(w).Register("Bell", bell{})
	if err != nil {
		fmt.Println(err)
		return
	}
	street, err := rpcenv.New(w.Host("Street", "10.0.0.2"), rpcenv.Config{Name: "Street"}) // in client mode
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := street.Register("Ringer", ringer{ref}); err != nil {
		fmt.Println(err)
	}
	w.Settle()
	// Output:
	// start spark://Bell@10.0.0.1:7077
	// ding
	// dong
}

// porter hears of peers that come and go: each connection of its Env is two events.
type porter struct{}

func (porter) OnConnected(_ *rpcenv.Context, peer rpcenv.Address) { fmt.Println(peer, "is there") }

func (porter) OnDisconnected(_ *rpcenv.Context, peer rpcenv.Address) { fmt.Println(peer, "is gone") }
func (porter) Receive(c *rpcenv.Context, m rpcenv.Message)           { c.Unsupported(m) }

func ExampleConnectionWatcher() {
	w := sim.New(1, 0)
	defer w.Close()
	if _, err := house(w).Register("Porter", porter{}); err != nil {
		fmt.Println(err)
	}
	guest, err := rpcenv.New(w.Host("Guest", "10.0.0.2"), rpcenv.Config{Name: "Guest", Listen: rpcenv.Address{Host: "10.0.0.2", Port: 7077}})
	if err != nil {
		fmt.Println(err)
		return
	}
	guest.Go("visit", func(b *rpcenv.Blocking) error {
		_, err := rpcenv.ResolveWait(b, "spark://Porter@10.0.0.1:7077")
		return err
	})
	w.Settle()
	w.Find("Guest").Kill()
	w.Settle()
	// Output:
	// 10.0.0.2:7077 is there
	// 10.0.0.2:7077 is gone
}

// door hears from outside whether it is open.
type door struct {
	ring func(rpcenv.Message)
	open bool
}

// pushed is an event from outside: it stays within the process, so that it needs no protobuf.
type pushed struct{ rpcenv.Local }

func (d *door) OnStart(c *rpcenv.Context) { d.ring = c.Outside("pushed") }

func (d *door) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m.(type) {
	case pushed:
		d.open = true
		c.State("door", "front", "CLOSED", "OPEN", "somebody pushed it")
	default:
		c.Unsupported(m)
	}
}

// What an ordinary goroutine, a callback of a library or a signal has to say comes into the inbox by Outside.
func ExampleContext_Outside() {
	w := sim.New(1, 0)
	defer w.Close()
	d := &door{}
	if _, err := house(w).Register("Door", d); err != nil {
		fmt.Println(err)
	}
	w.Settle()
	d.ring(pushed{}) // from any goroutine
	w.Settle()
	fmt.Println(d.open)
	// Output:
	// true
}

// The trace says which states a thing went through, and which item made it.
func ExampleContext_State() {
	w := sim.New(1, 0)
	defer w.Close()
	d := &door{}
	if _, err := house(w).Register("Door", d); err != nil {
		fmt.Println(err)
	}
	w.Settle()
	d.ring(pushed{})
	w.Settle()
	for _, e := range trace.Merge(w.Recorder().Records()).Entries {
		if e.K == trace.KindState {
			fmt.Println(e.At, e.Name, e.Subject, e.Was, e.Is, "since", e.Why)
		}
	}
	// Output:
	// House/Door door front CLOSED OPEN since somebody pushed it
}
