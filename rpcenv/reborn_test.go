package rpcenv_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/rpcenv"
)

// What an endpoint handles after an older one of its name has ended is given back to the last byte: else a part of the window would be
// lost each time.
func TestTheWindowOutlivesTheEndpointsOfAName(t *testing.T) {
	w := inSim(t)
	a, b := w.make("A", true, narrow(t)), w.make("B", true, narrow(t))
	ref := w.register(a, "E", double(w))
	w.sim.Cost("A/E", "*", time.Millisecond)
	w.connect(b, ref)
	w.do(b, func(b *rpcenv.Blocking) {
		for range 5 {
			// The one with few messages ends while the next one still has some.
			for _, n := range []int{5, 20} {
				a.Stop("E")
				w.register(a, "E", double(w))
				for i := range n {
					if err := b.Send(ref, kib(i)); err != nil {
						t.Error(err)
					}
				}
				if err := b.Sleep(2 * time.Millisecond); err != nil {
					t.Error(err)
				}
			}
			if err := b.Sleep(time.Second); err != nil {
				t.Error(err)
			}
		}
		r, err := rpcenv.AskWaitAs[*wrapperspb.Int32Value](b, ref, num(21))
		if err != nil || r.GetValue() != 42 {
			t.Error(r, err)
		}
	})
}

// Bodies that send to many endpoints fill what may wait for a peer. They leave room for an answer, which cannot wait for any.
func TestBodiesLeaveRoomForAnswers(t *testing.T) {
	w := inSim(t)
	const endpoints, each = 40, 100 // a window each is more than may wait
	a, b := w.make("A", true, narrow(t)), w.make("B", true, narrow(t))
	got := 0
	var refs []rpcenv.Ref
	for i := range endpoints {
		refs = append(refs, w.register(a, fmt.Sprint("E", i), &endpoint{receive: func(*rpcenv.Context, rpcenv.Message) { got++ }}))
	}
	asker := w.register(a, "Asker", doer())
	answers := w.register(b, "Answers", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
		rpcenv.ReplyAs(c, m, text(strings.Repeat("x", 200<<10)))
	}})
	w.connect(b, refs[0])
	w.sim.Cut("B", "A") // the other way is open
	for _, ref := range refs {
		b.Go("sends", func(b *rpcenv.Blocking) error {
			for i := range each {
				if err := b.Send(ref, kib(i)); err != nil {
					t.Error(err)
				}
			}
			return nil
		})
	}
	w.sim.Advance(time.Second)
	if _, bytes := waiting(b); bytes > 1<<20 { // half of what may wait to be written, and half of what may wait for credit
		t.Error(bytes, "bytes wait")
	}
	w.in(a, asker, func(c *rpcenv.Context) {
		rpcenv.AskAs(c, answers, num(1), func(r *wrapperspb.StringValue, err error) { w.note("%d %v", len(r.GetValue()), err) })
	})
	w.sim.Advance(time.Second)
	w.sim.Heal("B", "A")
	w.await("204800 <nil>")
	w.sim.Advance(time.Minute)
	if d := w.drops(); got != endpoints*each || len(d) > 0 {
		t.Error(got, d)
	}
}
