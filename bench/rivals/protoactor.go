package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/remote"

	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/messages/app"
)

// The names of the actors at both sides; those of several pairs have a number besides.
const (
	sinkName   = "sink"
	sourceName = "source"
)

// protoactor is an actor with the default mailbox on each side of a pair, in one ActorSystem or in two with the default remote. As of
// Coherer, the many senders of fan-in and the many receivers of fan-out have a system each, and so a connection each.
//
// Its Remote.Start sets gRPC's global logger without a lock: the race detector reports a process that starts two.
//
// It does not do one-way: a send never waits and its queue has no bound, so a flood is a race between its memory and the wire.
type protoactor struct{}

func (protoactor) Name() string { return "protoactor" }
func (protoactor) Version() string {
	return measure.LibraryVersion("github.com/asynkron/protoactor-go")
}

func (protoactor) Cases() []measure.Case {
	return []measure.Case{
		measure.LocalTell, measure.LocalAsk, measure.RemoteTell, measure.RemoteAsk, measure.FanIn, measure.FanOut,
		measure.EndpointSpawn, measure.Connect,
	}
}

func (protoactor) Extras() measure.Extras { return measure.Extras{Pairs: true, Rate: true} }

// theater is the ActorSystems of one side.
type theater struct {
	systems []*actor.ActorSystem
	remotes []*remote.Remote
}

func newSystem() *actor.ActorSystem {
	return actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
		return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	}))
}

// local adds a system without a network.
func (t *theater) local() *actor.ActorSystem {
	system := newSystem()
	t.systems = append(t.systems, system)
	return system
}

// networked adds a system that others reach at a free port of loopback.
func (t *theater) networked() *actor.ActorSystem {
	system := t.local()
	r := remote.NewRemote(system, remote.Configure("127.0.0.1", 0))
	r.Start()
	t.remotes = append(t.remotes, r)
	return system
}

func (t *theater) close() {
	for _, r := range t.remotes {
		r.Shutdown(false)
	}
	for _, s := range t.systems {
		s.Shutdown()
	}
}

func (protoactor) Serve(spec *measure.Spec, sinks []*measure.Sink) (string, func(), error) {
	t := new(theater)
	var addresses []string
	for i, sink := range sinks {
		if i == 0 || spec.Case == measure.FanOut {
			addresses = append(addresses, t.networked().Address())
		}
		if err := spawnSink(t.systems[len(t.systems)-1], spec, i, sink); err != nil {
			t.close()
			return "", nil, err
		}
	}
	return strings.Join(addresses, ","), t.close, nil
}

func spawnSink(system *actor.ActorSystem, spec *measure.Spec, i int, sink *measure.Sink) error {
	ask, connect := spec.Case.Ask(), spec.Case == measure.Connect
	_, err := system.Root.SpawnNamed(actor.PropsFromFunc(func(c actor.Context) {
		m, ok := c.Message().(*app.StatusUpdate)
		if !ok {
			return
		}
		if connect {
			sink.Operation()
			c.Respond(m)
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
	}), sinkName+strconv.Itoa(i))
	return err
}

func (protoactor) Run(ctx context.Context, t *measure.Trial) error {
	switch t.Spec.Case {
	case measure.EndpointSpawn:
		return spawn(ctx, t)
	case measure.Connect:
		return connect(ctx, t)
	}
	stage := new(theater)
	defer stage.close()
	to, err := stage.meet(t)
	if err != nil {
		return err
	}
	senders := t.Spec.Senders()
	over := make(chan error, senders)
	sources := make([]*actor.PID, senders)
	for i := range sources {
		var source actor.Actor
		switch {
		case t.Spec.Case.Ask():
			source = &asker{to: to[i], asks: t.Asks[i], over: over}
		case senders < t.Spec.Pairs: // one for all
			source = &teller{to: to, tells: t.Tells, over: over}
		default:
			source = &teller{to: to[i : i+1], tells: t.Tells[i : i+1], pair: i, over: over}
		}
		root := stage.systems[i%len(stage.systems)].Root
		props := actor.PropsFromProducer(func() actor.Actor { return source })
		if sources[i], err = root.SpawnNamed(props, sourceName+strconv.Itoa(i)); err != nil {
			return err
		}
	}
	defer t.Pace(ctx, func(pair int) {
		i := pair % senders
		stage.systems[i%len(stage.systems)].Root.Send(sources[i], tick{pair})
	})()
	for range senders {
		select {
		case err := <-over:
			if err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// meet makes the systems of the senders, and in a local case the receivers. It returns the receiver of each pair.
func (t *theater) meet(trial *measure.Trial) ([]*actor.PID, error) {
	spec := trial.Spec
	var addresses []string
	if !spec.Case.Remote() {
		system := t.local()
		addresses = []string{system.Address()}
		for i, sink := range trial.Sinks {
			if err := spawnSink(system, spec, i, sink); err != nil {
				return nil, err
			}
		}
	} else {
		addresses = strings.Split(trial.Address, ",")
		systems := 1
		if spec.Case == measure.FanIn {
			systems = spec.Pairs
		}
		for range systems {
			t.networked()
		}
	}
	to := make([]*actor.PID, spec.Pairs)
	for pair := range to {
		to[pair] = actor.NewPID(addresses[pair%len(addresses)], sinkName+strconv.Itoa(pair%spec.Receivers()))
	}
	return to, nil
}

// tick reminds a sender that a message of a pair may be due.
type tick struct{ pair int }

// teller sends as many tells as may be under way, to one receiver or to many.
type teller struct {
	to    []*actor.PID
	tells []*measure.Tell
	pair  int // the first
	over  chan<- error
	ended int // pairs
}

func (t *teller) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *actor.Started:
		for i := range t.tells {
			t.send(c, i)
		}
	case tick:
		t.send(c, m.pair-t.pair)
	case *app.StatusUpdate:
		t.acknowledged(c, m)
	}
}

func (t *teller) acknowledged(c actor.Context, ack *app.StatusUpdate) {
	i := measure.PairOf(ack) - t.pair
	if i < 0 || i >= len(t.tells) {
		t.end(c, fmt.Errorf("an acknowledgement of pair %d came to the sender of pair %d", measure.PairOf(ack), t.pair))
		return
	}
	over, err := t.tells[i].Acknowledged(ack)
	switch {
	case err != nil:
		t.end(c, err)
	case over:
		if t.ended++; t.ended == len(t.tells) {
			t.end(c, nil)
		}
	default:
		t.send(c, i)
	}
}

func (t *teller) end(c actor.Context, err error) {
	t.over <- err
	c.Stop(c.Self())
}

func (t *teller) send(c actor.Context, i int) {
	for m := t.tells[i].Next(); m != nil; m = t.tells[i].Next() {
		c.Request(t.to[i], m) // Send would carry no sender, to which the sink acknowledges
	}
}
