package sim_test

import (
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/sim"
)

// echo answers CheckExistence-like asks and counts what else it gets.
type echo struct {
	got     []string
	events  []string
	stopped bool
}

type tick struct{ rpcenv.Local }

func (e *echo) OnStart(c *rpcenv.Context) { e.events = append(e.events, "start") }
func (e *echo) OnStop(c *rpcenv.Context)  { e.events = append(e.events, "stop"); e.stopped = true }
func (e *echo) OnConnected(c *rpcenv.Context, peer rpcenv.Address) {
	e.events = append(e.events, "connected")
}

func (e *echo) OnDisconnected(c *rpcenv.Context, peer rpcenv.Address) {
	e.events = append(e.events, "disconnected")
}

func (e *echo) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *wrapperspb.StringValue:
		e.got = append(e.got, m.GetValue())
	case *wrapperspb.Int32Value:
		rpcenv.ReplyAs(c, m, &wrapperspb.Int32Value{Value: m.GetValue() * 2})
	default:
		c.Unsupported(m)
	}
}

type asker struct {
	to    rpcenv.Ref
	reply int32
	err   error
	ticks int
}

func (a *asker) OnStart(c *rpcenv.Context) {
	rpcenv.Resolve(c, a.to.String(), func(r rpcenv.Ref, err error) {
		if a.err = err; err != nil {
			return
		}
		c.Send(r, wrapperspb.String("one"))
		c.Send(r, wrapperspb.String("two"))
		rpcenv.AskAs(c, r, wrapperspb.Int32(21), func(v *wrapperspb.Int32Value, err error) {
			a.reply, a.err = v.GetValue(), err
		})
	})
	c.Every(time.Second, time.Second, tick{})
}

func (a *asker) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m.(type) {
	case tick:
		a.ticks++
	default:
		c.Unsupported(m)
	}
}

func TestAskAcrossEnvs(t *testing.T) {
	w := sim.New(1, 0)
	t.Cleanup(w.Close)
	server, err := rpcenv.New(w.Host("S", "10.0.0.1"), rpcenv.Config{Name: "S", Listen: rpcenv.Address{Host: "10.0.0.1", Port: 7077}})
	if err != nil {
		t.Fatal(err)
	}
	e := &echo{}
	ref, err := server.Register("Echo", e)
	if err != nil {
		t.Fatal(err)
	}
	client, err := rpcenv.New(w.Host("C", "10.0.0.2"), rpcenv.Config{Name: "C"})
	if err != nil {
		t.Fatal(err)
	}
	a := &asker{to: ref}
	if _, err := client.Register("Asker", a); err != nil {
		t.Fatal(err)
	}
	if err := w.Run(func() bool { return a.reply != 0 || a.err != nil }, time.Minute); err != nil {
		t.Fatal(err)
	}
	if a.err != nil || a.reply != 42 {
		t.Fatalf("reply %d, %v", a.reply, a.err)
	}
	w.Settle()
	w.Advance(10 * time.Second)
	if a.ticks != 10 {
		t.Errorf("%d ticks in ten seconds", a.ticks)
	}
	var answer bool
	var werr error
	job := client.Go("body", func(b *rpcenv.Blocking) error {
		if err := b.Sleep(3 * time.Second); err != nil {
			return err
		}
		r, err := rpcenv.AskWait(b, rpcenv.Ref{Address: ref.Address, Name: rpcenv.VerifierName}, &rpc.CheckExistence{Name: "Echo"})
		answer, werr = r.GetValue(), err
		return err
	})
	done := false
	job.OnDone(func(error) { done = true })
	if err := w.Run(func() bool { return done }, time.Minute); err != nil || !answer || werr != nil {
		t.Fatal(err, answer, werr)
	}
	client.Shutdown()
	w.Settle()
	server.Shutdown()
	w.Settle()
	if !e.stopped {
		t.Error("no OnStop")
	}
	if want := []string{"start", "connected", "disconnected", "stop"}; !slices.Equal(e.events, want) {
		t.Errorf("%q, want %q", e.events, want)
	}
	if want := []string{"one", "two"}; !slices.Equal(e.got, want) {
		t.Errorf("%q, want %q", e.got, want)
	}
}
