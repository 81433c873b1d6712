package rpcenv_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/sirupsen/logrus"
	"github.com/sirupsen/logrus/hooks/test"

	"github.com/coherer/coherer/messages/rpc"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/sim"
	"github.com/coherer/coherer/rpcenv/transport"
)

// The random numbers of an endpoint depend on the seed and on its name, and go on from one callback to the next.
func TestRandomNumbersAreOfTheSeedAndTheEndpoint(t *testing.T) {
	draw := func(seed uint64, name string) (out []uint64) {
		w := inSim(t)
		w.sim = sim.New(seed, 0)
		t.Cleanup(w.sim.Close)
		e := w.env("A")
		ref := w.register(e, name, doer())
		for range 2 {
			w.in(e, ref, func(c *rpcenv.Context) {
				stream := c.Rand()
				if c.Rand() != stream {
					t.Error("the stream begins anew")
				}
				out = append(out, stream.Uint64())
			})
		}
		return out
	}
	first := draw(1, "E")
	if first[0] == first[1] {
		t.Error("the second callback has the number of the first")
	}
	if again := draw(1, "E"); !reflect.DeepEqual(first, again) {
		t.Error("another run of the seed:", first, again)
	}
	var both []uint64
	w := inSim(t)
	e := w.env("A")
	w.in(e, w.register(e, "E", doer()), func(c *rpcenv.Context) { both = []uint64{c.Rand().Uint64(), c.Rand().Uint64()} })
	if !slices.Equal(both, first) {
		t.Error("in one callback", both, "in two", first)
	}
	for _, other := range [][]uint64{draw(2, "E"), draw(1, "F")} {
		if other[0] == first[0] {
			t.Error("another seed or endpoint has the same numbers")
		}
	}
}

func TestAnEndpointMayReplaceItsLog(t *testing.T) {
	w := inSim(t)
	log, hook := test.NewNullLogger()
	e := w.makeAt(rpcenv.Config{Name: "A", Listen: rpcenv.Address{Host: "10.0.0.1"}, Log: logrus.NewEntry(log)}, "10.0.0.1")
	ep := doer()
	ep.start = func(c *rpcenv.Context) {
		c.Log().Warn("before")
		c.SetLog(c.Log().WithField("app", "1"))
		c.Log().Warn("after")
	}
	w.register(e, "E", ep)
	w.quiet()
	all := hook.AllEntries()
	if len(all) != 2 || !reflect.DeepEqual(all[0].Data, logrus.Fields{"endpoint": "E"}) || !reflect.DeepEqual(all[1].Data, logrus.Fields{"endpoint": "E", "app": "1"}) {
		t.Error(all)
	}
}

// starter is a Host that starts no process: it keeps what it was asked for.
type starter struct {
	*transport.Host
	cmd  rpcenv.Command
	exit func(rpcenv.Exit)
}

type noProcess struct{}

func (noProcess) Kill(time.Duration) {}
func (noProcess) PID() int           { return 7 }

func (h *starter) Start(cmd rpcenv.Command, onExit func(rpcenv.Exit)) (rpcenv.Process, error) {
	if cmd.Class == "" {
		return nil, errFull
	}
	h.cmd, h.exit = cmd, onExit
	return noProcess{}, nil
}

func TestTheEndOfAProcessIsToldInTheInbox(t *testing.T) {
	w := newWorld(t, "memory")
	h := &starter{Host: w.hostOf("A", "").(*transport.Host)}
	e, err := rpcenv.New(h, rpcenv.Config{Name: "A"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.close(e) })
	ref := w.register(e, "E", doer())
	w.in(e, ref, func(c *rpcenv.Context) {
		p, err := c.Start(rpcenv.Command{Class: "Worker", Args: []string{"x"}}, func(x rpcenv.Exit) { w.note("ended with %d", x.Code) })
		if err != nil || p.PID() != 7 || h.cmd.Class != "Worker" || len(h.cmd.Args) != 1 {
			t.Error(p, err, h.cmd)
		}
		h.exit(rpcenv.Exit{Code: 3})
		w.note("the handler goes on")
		if _, err := c.Start(rpcenv.Command{}, nil); !errors.Is(err, errFull) {
			t.Error(err)
		}
	})
	w.await("ended with 3")
	w.wantLog("the handler goes on", "ended with 3")
	w.close(e)
	if !slices.ContainsFunc(w.rec.Records(), func(r *tracepb.Record) bool {
		return r.GetName() == "outside process ended" && r.GetEndpoint() == "E" && r.GetId().GetN() != 0
	}) {
		t.Error("the trace has no item of it")
	}
}

// A message that is no ask has no asker: to answer it does nothing, and fails no handler.
func TestOnlyAnAskIsAnsweredOrKept(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	ref := w.register(a, "E", &faulty{
		endpoint: endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
			q := &rpc.CheckExistence{}
			rpcenv.Reply(c, q, &rpc.Bool{})
			rpcenv.ReplyAs(c, m, num(1))
			rpcenv.Fail(c, m, errFull)
			for _, kept := range []rpcenv.Call[*rpc.Bool]{rpcenv.Defer(c, q), rpcenv.DeferAs[*rpc.Bool](c, m), {}} {
				if !kept.Sender().IsZero() {
					t.Error(kept.Sender())
				}
				kept.Reply(&rpc.Bool{})
				kept.Fail(errFull)
			}
			w.note("heard")
		}},
		onError: func(_ *rpcenv.Context, err error) { t.Error(err) },
	})
	for _, e := range []*rpcenv.Env{a, b} {
		w.say(e, ref, "no ask")
	}
	w.quiet()
	w.wantLog("heard", "heard")
	if d := w.drops(); len(d) != 0 {
		t.Error(d)
	}
}

// An ask of what is no message fails the handler; nothing of it is kept, and no answer comes.
func TestAnAskOfWhatIsNoMessageFailsTheHandler(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	far := w.register(a, "E", double(w))
	ep := &faulty{onError: func(_ *rpcenv.Context, err error) { w.note("%v", err) }}
	ep.receive = doer().receive
	ref := w.register(b, "Asker", ep)
	for _, to := range []rpcenv.Ref{far, ref} {
		if err := b.Send(ref, do{f: func(c *rpcenv.Context) {
			rpcenv.AskAs(c, to, 7, func(_ rpcenv.Message, err error) { w.note("told %v", err) })
			w.note("not reached")
		}}); err != nil {
			t.Error(err)
		}
	}
	w.quiet()
	w.sim.Advance(10 * time.Minute)
	const none = "rpcenv: cannot be sent: int is neither a protobuf message nor embeds rpcenv.Local"
	w.wantLog(none, none)
}

// An endpoint whose actor cannot be made is not there: its name is free, and nobody waits for its end.
func TestAnEndpointWithoutAnActorIsNotThere(t *testing.T) {
	w := inSim(t)
	e := w.env("A")
	root := rpcenv.ActorSystem().Root
	id := e.NextActor("E")
	pid, err := root.SpawnNamed(actor.PropsFromFunc(func(actor.Context) {}), id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := root.StopFuture(pid).Wait(); err != nil {
			t.Error(err)
		}
	})
	if _, err := e.Register("E", noting(w)); err == nil || err.Error() != "rpcenv A: spawn "+id+": spawn: name exists" {
		t.Error(err)
	}
	w.quiet()
	w.wantLog()
	if n, _ := e.Living(); n != 1 { // the verifier
		t.Error(n, "endpoints")
	}
	w.register(e, "E", noting(w))
	w.quiet()
	if !w.sim.Quiet() {
		t.Error("something is under way")
	}
	w.close(e)
	w.wantLog("OnStart", "OnStop")
}

func TestTheDepthOfAnInboxIsWhatWaits(t *testing.T) {
	w := inSim(t)
	e := w.env("A")
	ref := w.register(e, "E", noting(w))
	w.quiet()
	w.send(e, ref, "1", "2", "3")
	if n := e.Depth("E"); n != 3 {
		t.Error(n, "items wait")
	}
	w.quiet()
	if n := e.Depth("E"); n != 0 {
		t.Error(n, "items wait")
	}
}
