package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/remote"

	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/messages/app"
)

// The names of the actors at both sides.
const (
	sinkName   = "sink"
	sourceName = "source"
)

// askTimeout is longer than a trial may stand still, so that the trial's own error reports the loss.
const askTimeout = 2 * measure.Stall

// protoactor is an actor with the default mailbox on each side, in one ActorSystem or in two with the default remote.
type protoactor struct{}

func (protoactor) Name() string    { return "protoactor" }
func (protoactor) Version() string { return version("github.com/asynkron/protoactor-go") }

func (protoactor) Cases() []measure.Case {
	return []measure.Case{measure.LocalTell, measure.LocalAsk, measure.RemoteTell, measure.RemoteAsk}
}

func newSystem() *actor.ActorSystem {
	return actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
		return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	}))
}

// networked is a system that others reach at a free port of loopback.
func networked() (*actor.ActorSystem, *remote.Remote) {
	system := newSystem()
	r := remote.NewRemote(system, remote.Configure("127.0.0.1", 0))
	r.Start()
	return system, r
}

func (protoactor) Serve(spec *measure.Spec, sinks []*measure.Sink) (string, func(), error) {
	system, r := networked()
	stop := func() {
		r.Shutdown(false)
		system.Shutdown()
	}
	if err := spawnSink(system, spec, sinks[0]); err != nil {
		stop()
		return "", nil, err
	}
	return system.Address(), stop, nil
}

func spawnSink(system *actor.ActorSystem, spec *measure.Spec, sink *measure.Sink) error {
	ask := spec.Case.Ask()
	_, err := system.Root.SpawnNamed(actor.PropsFromFunc(func(c actor.Context) {
		m, ok := c.Message().(*app.StatusUpdate)
		if !ok {
			return
		}
		// A tell is sent with the source as its sender, so both are answered alike.
		if back := sink.Take(m); back != nil {
			if ask {
				c.Respond(back)
			} else {
				c.Send(c.Sender(), back)
			}
		}
	}), sinkName)
	return err
}

func (protoactor) Run(ctx context.Context, t *measure.Trial) error {
	var system *actor.ActorSystem
	to := actor.NewPID(t.Address, sinkName)
	if t.Sinks != nil {
		system = newSystem()
		to.Address = system.Address()
		if err := spawnSink(system, t.Spec, t.Sinks[0]); err != nil {
			return err
		}
	} else {
		var r *remote.Remote
		system, r = networked()
		defer r.Shutdown(false)
	}
	defer system.Shutdown()
	over := make(chan error, 1)
	var source actor.Actor
	if t.Spec.Case.Ask() {
		source = &asker{to: to, asks: t.Asks[0], over: over}
	} else {
		source = &teller{to: to, tell: t.Tells[0], over: over}
	}
	if _, err := system.Root.SpawnNamed(actor.PropsFromProducer(func() actor.Actor { return source }), sourceName); err != nil {
		return err
	}
	select {
	case err := <-over:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// teller sends as many tells as may be under way.
type teller struct {
	to   *actor.PID
	tell *measure.Tell
	over chan<- error
}

func (t *teller) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *actor.Started:
	case *app.StatusUpdate:
		if over, err := t.tell.Acknowledged(m); over || err != nil {
			t.over <- err
			c.Stop(c.Self())
			return
		}
	default:
		return
	}
	for m := t.tell.Next(); m != nil; m = t.tell.Next() {
		c.Request(t.to, m) // Send would carry no sender, to which the sink acknowledges
	}
}

// asker keeps as many asks under way as may be, each with a future of its own, as protoactor's asks are.
type asker struct {
	to   *actor.PID
	asks *measure.Ask
	over chan<- error
	done bool
}

func (a *asker) Receive(c actor.Context) {
	if _, ok := c.Message().(*actor.Started); ok {
		a.ask(c)
	}
}

func (a *asker) ask(c actor.Context) {
	for m, at := a.asks.Next(); m != nil; m, at = a.asks.Next() {
		c.ReenterAfter(c.RequestFuture(a.to, m, askTimeout), func(answer any, err error) { a.answered(c, at, answer, err) })
	}
}

func (a *asker) answered(c actor.Context, at time.Duration, answer any, err error) {
	over := false
	if err == nil {
		m, ok := answer.(*app.StatusUpdate)
		if !ok {
			err = fmt.Errorf("the answer is a %T", answer)
		} else {
			over, err = a.asks.Answered(at, m)
		}
	}
	switch {
	case a.done: // an ask that was under way when the trial ended
	case over || err != nil:
		a.done = true
		a.over <- errors.Join(err)
		c.Stop(c.Self())
	default:
		a.ask(c)
	}
}
