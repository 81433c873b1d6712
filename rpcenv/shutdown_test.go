package rpcenv_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

func TestShutdownStopsAllEndpointsOnce(t *testing.T) {
	inWorlds(t, func(w *world) {
		e := w.env("A")
		for _, name := range []string{"E1", "E2"} {
			w.register(e, name, &endpoint{stop: func(*rpcenv.Context) { w.note("%s stops", name) }})
		}
		e.OnDone(func() { w.note("done") })
		w.close(e)
		w.close(e)
		e.OnDone(func() { w.note("done again") })
		got := w.noted()
		if len(got) != 4 || got[2] != "done" || got[3] != "done again" {
			t.Error(got)
		}
		if _, err := e.Register("E3", double(w)); !errors.Is(err, rpcenv.ErrStopped) || !strings.Contains(err.Error(), "RpcEnv has been stopped") {
			t.Error(err)
		}
	})
}

func TestShutdownWorksFromInsideAHandler(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.env("A"), w.env("B")
		ep := doer()
		ep.stop = func(*rpcenv.Context) { w.note("OnStop") }
		ref := w.register(a, "E", ep)
		w.do(b, func(b *rpcenv.Blocking) { // a connection is open
			if _, err := rpcenv.AskWait(b, rpcenv.Ref{Address: a.Address(), Name: rpcenv.VerifierName}, &rpc.CheckExistence{}); err != nil {
				t.Error(err)
			}
		})
		a.OnDone(func() { w.note("done") })
		a.Go("asks", func(b *rpcenv.Blocking) error {
			return b.Send(ref, do{f: func(c *rpcenv.Context) {
				c.Env().Shutdown()
				w.note("the handler goes on")
			}})
		})
		w.await("done")
		w.wantLog("the handler goes on", "OnStop", "done")
	})
}

func TestAsksOfABodyFailAtShutdown(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.env("A"), w.env("B")
		ref := w.register(a, "E", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
			rpcenv.Defer(c, m.(*rpc.CheckExistence))
			w.note("asked")
		}})
		job := b.Go("asker", func(b *rpcenv.Blocking) error {
			_, err := rpcenv.AskWait(b, ref, &rpc.CheckExistence{})
			return err
		})
		w.await("asked")
		w.close(b)
		if w.sim != nil {
			w.quiet()
		}
		<-job.Done()
		if !errors.Is(job.Err(), rpcenv.ErrStopped) {
			t.Error(job.Err())
		}
		if _, _, asks := b.Held(); asks != 0 {
			t.Error(asks, "asks are kept")
		}
	})
}

func TestAfterShutdownNothingIsSentAndNothingAnswered(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.env("A"), w.env("B")
		toA, toB := w.register(a, "E", double(w)), w.register(b, "E", double(w))
		w.close(b)
		w.do(a, func(b *rpcenv.Blocking) {
			if _, err := rpcenv.AskWaitAs[rpcenv.Message](b, toB, num(1)); !errors.Is(err, rpcenv.ErrUnreachable) {
				t.Error("an ask to it:", err)
			}
		})
		job := b.Go("late", func(b *rpcenv.Blocking) error { return b.Send(toA, text("late")) })
		if w.sim != nil {
			w.quiet()
		}
		<-job.Done()
		if !errors.Is(job.Err(), rpcenv.ErrStopped) {
			t.Error(job.Err())
		}
		if boxes, conns, _ := b.Held(); boxes != 0 || conns != 0 {
			t.Errorf("%d outboxes, %d connections", boxes, conns)
		}
	})
}

func TestWhatWaitsForAConnectionIsAnEventAtShutdown(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	ref := w.register(a, "E", double(w))
	w.sim.Cut("B", "A")
	w.do(b, func(b *rpcenv.Blocking) { _ = b.Send(ref, text("lost")) })
	w.close(b)
	if d := w.drops(); len(d) != 1 || !strings.Contains(d[0], "the Env was shut down") {
		t.Error(d)
	}
	w.sim.Heal("B", "A")
	w.sim.Advance(5 * time.Minute)
	if len(w.noted()) != 0 || !w.sim.Quiet() {
		t.Error(w.noted(), w.sim.Quiet())
	}
	if boxes, conns, _ := b.Held(); boxes != 0 || conns != 0 {
		t.Errorf("%d outboxes, %d connections", boxes, conns)
	}
}

func TestShutdownEndsConnectionsInTheirHandshake(t *testing.T) {
	w := inSim(t)
	a := w.env("A")
	w.stranger(a.Address(), nil)
	if _, conns, _ := a.Held(); conns != 1 {
		t.Error(conns, "connections")
	}
	begin := w.sim.Now()
	w.close(a)
	w.await("stranger: closed")
	if d := w.sim.Now().Sub(begin); d > 100*time.Millisecond {
		t.Error("it took", d)
	}
}

func TestExitEndsTheProcessWithItsCode(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.env("A"), w.env("B")
		ep := &watcher{w: w}
		ep.receive = double(w).receive
		heard := w.register(b, "E", ep)
		dying := doer()
		dying.stop = func(*rpcenv.Context) { t.Error("OnStop after Exit") }
		ref := w.register(a, "E", dying)
		w.do(a, func(b *rpcenv.Blocking) {
			if _, err := rpcenv.AskWaitAs[*wrapperspb.Int32Value](b, heard, num(1)); err != nil {
				t.Error(err)
			}
		})
		w.crashed[a] = w.sim != nil
		job := a.Go("asks", func(b *rpcenv.Blocking) error {
			return b.Send(ref, do{f: func(c *rpcenv.Context) {
				c.Send(heard, text("last words"))
				c.Exit(7, "test")
				c.Exit(8, "again")
				c.Send(c.Self(), do{f: func(*rpcenv.Context) { t.Error("handled after Exit") }})
			}})
		})
		w.await("B: disconnected " + a.Address().String())
		got := w.noted()
		if i := slices.Index(got, "last words"); i < 1 || i > slices.Index(got, "B: disconnected "+a.Address().String()) {
			t.Error(got)
		}
		if w.sim != nil {
			w.quiet()
			if code, dead := w.sim.Exited("A"); code != 7 || !dead {
				t.Error(code, dead)
			}
			return
		}
		<-job.Done()
		w.await("exit 7")
	})
}
