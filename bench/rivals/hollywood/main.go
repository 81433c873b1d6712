// Command hollywood is the contender of the bench that is hollywood. It is a program of its own, since its protobuf messages have
// the names of protoactor's, and a program cannot have both.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/anthdm/hollywood/actor"
	"github.com/anthdm/hollywood/remote"

	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/messages/app"
)

func main() {
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})))
	if err := measure.Speak(context.Background(), os.Stdin, os.Stdout, hollywood{}); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// The kinds of the actors, and the id of each.
const (
	sinkKind   = "sink"
	sourceKind = "source"
	id         = "1"
)

const (
	// leastInbox is hollywood's default.
	leastInbox = 1024
	// frame is what a remote takes at once: all that is under way, and more.
	frame = 64 << 20
	// askTimeout is longer than a trial may stand still, so that the trial's own error reports a loss.
	askTimeout = 2 * measure.Stall
)

// hollywood is an actor of hollywood on each side, in one engine or in two with its remote, which carries protobuf over drpc.
//
// An actor's inbox begins with as many places as may be under way, as its documents recommend for throughput, and remotes take the
// largest frame of the bench. An ask is a Request. No answer arrives as a message: Result blocks the sender's goroutine, so the sender
// takes answers in the order of the questions. It does not do one-way: a send never waits, and the inbox of the remote's writer has no
// bound.
type hollywood struct{}

func (hollywood) Name() string    { return "hollywood" }
func (hollywood) Version() string { return measure.LibraryVersion("github.com/anthdm/hollywood") }

func (hollywood) Cases() []measure.Case {
	return []measure.Case{measure.LocalTell, measure.LocalAsk, measure.RemoteTell, measure.RemoteAsk}
}

// networked is an engine that others reach at a free port of loopback.
func networked() (*actor.Engine, *remote.Remote, error) {
	// A remote has to know its port before it listens.
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	address := ln.Addr().String()
	if err := ln.Close(); err != nil {
		return nil, nil, err
	}
	r := remote.New(address, remote.NewConfig().WithBufferSize(frame))
	e, err := actor.NewEngine(actor.NewEngineConfig().WithRemote(r))
	return e, r, err
}

func inbox(spec *measure.Spec) actor.OptFunc {
	return actor.WithInboxSize(max(spec.InFlight, leastInbox))
}

func spawnSink(e *actor.Engine, spec *measure.Spec, sink *measure.Sink) *actor.PID {
	return e.SpawnFunc(func(c *actor.Context) {
		m, ok := c.Message().(*app.StatusUpdate)
		if !ok {
			return
		}
		if back := sink.Take(m); back != nil {
			c.Respond(back) // to the sender of a tell, too
		}
	}, sinkKind, actor.WithID(id), inbox(spec))
}

func (hollywood) Serve(spec *measure.Spec, sinks []*measure.Sink) (string, func(), error) {
	e, r, err := networked()
	if err != nil {
		return "", nil, err
	}
	spawnSink(e, spec, sinks[0])
	return e.Address(), func() { r.Stop().Wait() }, nil
}

func (hollywood) Run(ctx context.Context, t *measure.Trial) error {
	var e *actor.Engine
	var to *actor.PID
	var err error
	if t.Sinks != nil {
		if e, err = actor.NewEngine(actor.NewEngineConfig()); err != nil {
			return err
		}
		to = spawnSink(e, t.Spec, t.Sinks[0])
	} else {
		var r *remote.Remote
		if e, r, err = networked(); err != nil {
			return err
		}
		defer func() { r.Stop().Wait() }()
		to = actor.NewPID(t.Address, sinkKind+"/"+id)
	}
	over := make(chan error, 1)
	if t.Spec.Case.Ask() {
		go func() { over <- ask(e, to, t.Asks[0]) }() // askTimeout ends it
	} else {
		source := &teller{to: to, tell: t.Tells[0], over: over}
		e.Spawn(func() actor.Receiver { return source }, sourceKind, actor.WithID(id))
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
	done bool
}

func (t *teller) Receive(c *actor.Context) {
	switch m := c.Message().(type) {
	case actor.Started:
	case *app.StatusUpdate:
		if t.done {
			return
		}
		if over, err := t.tell.Acknowledged(m); over || err != nil {
			t.done = true
			t.over <- err
			return
		}
	default:
		return
	}
	for m := t.tell.Next(); m != nil; m = t.tell.Next() {
		c.Send(t.to, m) // with itself as the sender, to which the sink acknowledges
	}
}

// ask keeps as many asks under way as may be.
func ask(e *actor.Engine, to *actor.PID, a *measure.Ask) error {
	type asked struct {
		at     time.Duration
		answer *actor.Response
	}
	var open []asked
	for {
		for m, at := a.Next(); m != nil; m, at = a.Next() {
			open = append(open, asked{at, e.Request(to, m, askTimeout)})
		}
		answer, err := open[0].answer.Result()
		if err != nil {
			return err
		}
		m, ok := answer.(*app.StatusUpdate)
		if !ok {
			return fmt.Errorf("the answer is a %T", answer)
		}
		at := open[0].at
		open = open[1:]
		if over, err := a.Answered(at, m); over || err != nil {
			return err
		}
	}
}
