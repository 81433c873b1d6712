package rpcenv_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/rpcenv"
)

func TestAnswersWaitForASlowAskerAlone(t *testing.T) {
	inWorlds(t, func(w *world) {
		const n = 500
		a, b := w.make("A", true, narrow(t)), w.make("B", true, narrow(t))
		ref := w.register(a, "E", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
			i, ok := m.(*wrapperspb.Int32Value)
			if !ok {
				c.Unsupported(m)
				return
			}
			rpcenv.ReplyAs(c, m, kib(int(i.GetValue())))
		}})
		slow, fast := w.register(b, "Slow", doer()), w.register(b, "Fast", doer())
		gate, next := make(chan struct{}), 0
		if w.sim != nil {
			w.sim.Cost("B/Slow", "*", time.Millisecond)
			close(gate)
		}
		w.connect(b, ref)
		w.in(b, slow, func(c *rpcenv.Context) {
			for i := range n {
				rpcenv.AskAs(c, ref, num(int32(i)), func(r *wrapperspb.StringValue, err error) {
					<-gate
					if want := fmt.Sprint(i, " "); err != nil || !strings.HasPrefix(r.GetValue(), want) || i != next {
						t.Error(i, next, err)
					}
					if next++; next == n {
						w.note("all")
					}
				})
			}
		})
		// When an answer of the fast one is there, all that came before it is at A: what it may not send waits there.
		w.in(b, fast, func(c *rpcenv.Context) {
			rpcenv.AskAs(c, ref, num(n), func(*wrapperspb.StringValue, error) { w.note("fast") })
		})
		w.await("fast")
		if left, _ := waiting(a); left < 300 || left > n-40 {
			t.Error(left, "answers wait")
		}
		if d := b.Depth("Slow"); d > 60 {
			t.Error(d, "answers are in the inbox")
		}
		if w.sim == nil {
			close(gate)
		}
		w.await("all")
	})
}

func TestAnAnswerWithoutRoomFailsItsAskAlone(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.make("A", true, narrow(t)), w.make("B", true, narrow(t))
		ep := &watcher{w: w}
		ep.receive = func(c *rpcenv.Context, m rpcenv.Message) { rpcenv.ReplyAs(c, m, text(strings.Repeat("x", 100<<10))) }
		ref := w.register(a, "E", ep)
		asker, fast := w.register(b, "Asker", doer()), w.register(b, "Fast", doer())
		gate := make(chan struct{})
		if w.sim != nil {
			w.sim.Cost("B/Asker", "*", time.Second)
			close(gate)
		}
		w.in(b, asker, func(c *rpcenv.Context) {
			for range 30 { // 3 MB
				rpcenv.AskAs(c, ref, num(1), func(_ *wrapperspb.StringValue, err error) {
					<-gate
					w.note("answered: %t, no room: %t", err == nil, errors.Is(err, rpcenv.ErrRefusedNoRoom))
				})
			}
		})
		// When this one is answered, so were all before it.
		w.in(b, fast, func(c *rpcenv.Context) {
			rpcenv.AskAs(c, ref, num(1), func(_ *wrapperspb.StringValue, err error) { w.note("fast: %v", err) })
		})
		w.await("fast: <nil>")
		if w.sim == nil {
			close(gate)
		}
		w.awaitLines(32) // one is the connection's beginning
		if ok, failed := w.count("answered: true, no room: false"), w.count("answered: false, no room: true"); ok < 10 || ok+failed != 30 {
			t.Error(ok, failed, w.noted())
		}
		if d := w.drops(); len(d) < 18 || !strings.Contains(d[0], "no room") {
			t.Error(len(d), d[:1])
		}
	})
}
