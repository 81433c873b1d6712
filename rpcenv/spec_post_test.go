package rpcenv_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"
	"github.com/sirupsen/logrus/hooks/test"

	"github.com/coherer/coherer/rpcenv"
)

// Spark throws the error at the sender, if both are in one Env.
func TestAMessageToNobodyInTheEnvIsAnEvent(t *testing.T) {
	inWorlds(t, func(w *world) {
		e := w.env("A")
		ep := &faulty{onError: func(_ *rpcenv.Context, err error) { t.Error(err) }}
		ep.receive = doer().receive
		sender := w.register(e, "Sender", ep)
		w.in(e, sender, func(c *rpcenv.Context) { c.Send(e.Ref(e.Address(), "Nobody"), say{}) })
		if d := w.drops(); len(d) != 1 || d[0] != "say: could not find the endpoint: Could not find Nobody." {
			t.Error(d)
		}
	})
}

func TestAfterTheEndOfAnEnvBeganNothingCanBePosted(t *testing.T) {
	for _, kind := range []string{"memory", "tcp"} { // where a handler can wait for the test
		t.Run(kind, func(t *testing.T) {
			w := newWorld(t, kind)
			a, b := w.env("A"), w.env("B")
			w.register(a, "Other", noting(w))
			w.await("OnStart")
			leave := make(chan struct{})
			ref := w.register(a, "E", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
				c.Env().Shutdown()
				c.Send(rpcenv.Ref{Address: a.Address(), Name: "Other"}, say{text: "too late"})
				rpcenv.ReplyAs(c, m, m) // what is asked next comes after the shutdown
				<-leave                 // its OnStop is to come
			}})
			w.do(b, func(b *rpcenv.Blocking) {
				if _, err := rpcenv.AskWaitAs[rpcenv.Message](b, ref, num(1)); err != nil {
					t.Error(err)
				}
				for _, name := range []string{"E", "Other", "Nobody", rpcenv.VerifierName} {
					_, err := rpcenv.AskWaitAs[rpcenv.Message](b, rpcenv.Ref{Address: a.Address(), Name: name}, num(1))
					if !errors.Is(err, rpcenv.ErrRefusedStopped) || !strings.Contains(err.Error(), "RpcEnv already stopped.") {
						t.Errorf("from another Env to %s: %v", name, err)
					}
				}
			})
			close(leave)
			w.close(a)
			if d := w.drops(); len(d) != 1 || d[0] != "say: stopped: RpcEnv already stopped." {
				t.Error("within the Env:", d)
			}
			w.wantLog("OnStart", "OnStop")
		})
	}
}

func TestWhatRacesIntoAStoppedInboxIsDropped(t *testing.T) {
	inWorlds(t, func(w *world) {
		e := w.env("A")
		w.register(e, "E", noting(w))
		post := e.Racing("E")
		e.Stop("E")
		err := post(say{text: "too late"})
		if !errors.Is(err, rpcenv.ErrRefusedStopped) || !strings.Contains(err.Error(), "Drop say because endpoint E is stopped") {
			t.Error(err)
		}
		w.await("OnStop")
		w.close(e)
		w.wantLog("OnStart", "OnStop")
	})
}

func TestConnectionEventsGoToAllEndpointsThatListen(t *testing.T) {
	inWorlds(t, func(w *world) {
		const n = 5
		a, b := w.env("A"), w.env("B")
		ref := w.register(a, "Plain", double(w)) // hears of none
		for i := range n {
			w.register(a, fmt.Sprint("W", i), &watcher{w: w})
		}
		w.do(b, func(b *rpcenv.Blocking) { _ = b.Send(ref, text("hello")) })
		w.await("hello")
		w.close(b)
		w.awaitLines(2*n + 1)
		count := map[string]int{}
		for _, line := range w.noted() {
			count[line]++
		}
		at := b.Address().String()
		if count["A: connected "+at] != n || count["A: disconnected "+at] != n || count["hello"] != 1 {
			t.Error(w.noted())
		}
	})
}

func TestAStopAfterShutdownDoesNothing(t *testing.T) {
	inWorlds(t, func(w *world) {
		e := w.env("A")
		w.register(e, "E", noting(w))
		e.Shutdown()
		if e.Stop("E") {
			t.Error("it is stopped by Shutdown already")
		}
		w.close(e)
		w.wantLog("OnStart", "OnStop")
	})
}

func TestEachOneWayFailureIsOfOnErrorAlone(t *testing.T) {
	w := inSim(t)
	e := w.env("A")
	ep := &faulty{onError: func(_ *rpcenv.Context, err error) { w.note("%v", err) }}
	ref := w.register(e, "E", ep)
	if err := e.Send(ref, text("x")); err != nil {
		t.Error(err)
	}
	w.quiet()
	w.wantLog("Unsupported message google.protobuf.StringValue from " + e.Address().String() + " to E")
}

func TestAnIgnoredErrorIsLogged(t *testing.T) {
	w := inSim(t)
	log, hook := test.NewNullLogger()
	log.SetLevel(logrus.DebugLevel)
	e := w.makeAt(rpcenv.Config{Name: "A", Listen: rpcenv.Address{Host: "10.0.0.1"}, Log: logrus.NewEntry(log)}, "10.0.0.1")
	ep := &faulty{onError: func(*rpcenv.Context, error) { panic("worse") }}
	ep.receive = func(*rpcenv.Context, rpcenv.Message) { panic("bad") }
	ep.stop = func(*rpcenv.Context) { panic("at the end") }
	loud := w.register(e, "Loud", ep)
	plain := w.register(e, "Plain", &ep.endpoint)
	for _, ref := range []rpcenv.Ref{loud, plain} {
		if err := e.Send(ref, say{}); err != nil {
			t.Error(err)
		}
		w.quiet()
	}
	e.Stop("Loud")
	w.quiet()
	e.Stop("Plain")
	w.quiet()
	var got []string
	for _, entry := range hook.AllEntries() {
		if strings.HasPrefix(entry.Message, "Ignoring error in") {
			got = append(got, entry.Level.String()+": "+entry.Message)
		}
	}
	want := []string{
		"error: Ignoring error in OnError: worse", "error: Ignoring error in say: panic: bad",
		"debug: Ignoring error in OnError: worse", "debug: Ignoring error in OnStop: panic: at the end",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestTheThreadsOfARoleGoBeforeThoseOfAll(t *testing.T) {
	for _, x := range []struct {
		settings []string
		want     int
	}{
		{nil, max(2, runtime.GOMAXPROCS(0))},
		{[]string{"spark.executor.rpc.netty.dispatcher.numThreads", "9"}, max(2, runtime.GOMAXPROCS(0))},
		{[]string{"spark.rpc.netty.dispatcher.numThreads", "1"}, 1},
		{[]string{"spark.rpc.netty.dispatcher.numThreads", "1", "spark.driver.rpc.netty.dispatcher.numThreads", "3"}, 1},
		{[]string{"spark.executor.id", "driver", "spark.rpc.netty.dispatcher.numThreads", "1", "spark.driver.rpc.netty.dispatcher.numThreads", "3"}, 3},
		{[]string{"spark.executor.id", "7", "spark.driver.rpc.netty.dispatcher.numThreads", "3", "spark.executor.rpc.netty.dispatcher.numThreads", "4"}, 4},
		{[]string{"spark.executor.id", "7", "spark.rpc.netty.dispatcher.numThreads", "5"}, 5},
	} {
		if got := rpcenv.DispatcherThreads(settings(t, x.settings...)); got != x.want {
			t.Errorf("%v: %d threads, want %d", x.settings, got, x.want)
		}
		w := newWorld(t, "memory")
		e := w.make("A", true, settings(t, x.settings...))
		g := newGate(w)
		ref := w.registerAs(e, "E", g, rpcenv.Concurrent())
		for range x.want + 1 {
			w.send(e, ref, "x")
		}
		w.awaitLines(x.want)
		close(g.open)
		w.awaitLines(2 * (x.want + 1))
		if got := int(g.most.Load()); got != x.want {
			t.Errorf("%v: %d callbacks at once, want %d", x.settings, got, x.want)
		}
	}
}
