package rpcenv_test

import (
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
