package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/rpcenv"
)

// doing is how many contenders of the binary do a case.
func doing(c measure.Case) int {
	n := 0
	for _, x := range own {
		if measure.NameOf(x).Does(c) {
			n++
		}
	}
	return n
}

// Each case has the contenders that it should.
func TestWhoDoesWhat(t *testing.T) {
	for c, want := range map[measure.Case]int{
		measure.LocalTell: 2, measure.LocalAsk: 2, measure.RemoteTell: 3, measure.RemoteAsk: 3, measure.OneWay: 3, measure.FanIn: 3,
		measure.FanOut: 3, measure.EndpointSpawn: 2, measure.Connect: 3,
	} {
		if got := doing(c); got != want {
			t.Errorf("%s: %d contenders of the binary do it, want %d", c, got, want)
		}
	}
}

// Every message of several pairs arrives, once and at its own receiver, in every case of messages.
func TestCountsOfPairsAddUp(t *testing.T) {
	for _, c := range []struct {
		name            measure.Case
		size, in, pairs int
	}{
		{measure.LocalTell, 76, 64, 3},
		{measure.LocalAsk, 76, 8, 3},
		{measure.RemoteTell, 1 << 10, 64, 12},
		{measure.RemoteAsk, 76, 8, 12},
		{measure.FanIn, 76, 64, 12},
		{measure.FanIn, 1 << 10, 1, 1},
		{measure.FanOut, 76, 64, 12},
		{measure.FanOut, 200 << 10, 10, 3},
		{measure.OneWay, 76, 0, 1},
		{measure.OneWay, 200 << 10, 0, 1},
		{measure.OneWay, 1 << 10, 0, 3},
	} {
		t.Run(fmt.Sprintf("%s/size=%d/in-flight=%d/pairs=%d", c.name, c.size, c.in, c.pairs), func(t *testing.T) {
			o := options(t, c.name)
			s := &o.Cells[0]
			s.Size, s.InFlight, s.Pairs = c.size, c.in, c.pairs
			r, err := Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			check(t, r, doing(c.name))
		})
	}
}

// Each operation that the driving side does is one at the receiving side, one at a time or several.
func TestCountsOfOperationsAddUp(t *testing.T) {
	for _, c := range []measure.Case{measure.EndpointSpawn, measure.Connect} {
		for _, inFlight := range []int{1, 8} {
			t.Run(fmt.Sprintf("%s/in-flight=%d", c, inFlight), func(t *testing.T) {
				o := options(t, c)
				s := &o.Cells[0]
				s.Size, s.InFlight = 0, inFlight
				r, err := Run(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				check(t, r, doing(c))
			})
		}
	}
}

// With a rate all that was intended arrives, and not more, in every case.
func TestCountsOfARateAddUp(t *testing.T) {
	for _, c := range measure.Cases() {
		if doing(c) == 0 || c.Peers() {
			continue // package flows has its own test of these
		}
		t.Run(string(c), func(t *testing.T) {
			o := options(t, c)
			s := &o.Cells[0]
			s.Rate, s.Duration = 200, 100*time.Millisecond
			if !c.Sized() {
				s.Size = 0
			}
			if !c.Windowed() {
				s.InFlight = 0
			}
			r, err := Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range r.Cells[0].Contenders {
				// A machine that is busy with other things may come to fewer.
				if n := x.Trials[0].Sent; n == 0 || n > 20 || x.Trials[0].Received != n {
					t.Errorf("%s sent %d, received %d, want 20", x.Name, n, x.Trials[0].Received)
				}
			}
		})
	}
}

// What is under way by the user's wish has room in the outbox; a window of the usual size leaves the default.
func TestTheOutboxHoldsTheWindow(t *testing.T) {
	for _, c := range []struct{ size, inFlight, pairs, want int }{
		{76, 8192, 1, 64 << 20}, {1 << 20, 32, 1, 64 << 20}, {1 << 20, 33, 1, 66 << 20}, {64 << 10, 64, 16, 128 << 20}, {1 << 20, 512, 1, 1 << 30},
	} {
		s := shortest("coherer", measure.RemoteTell)
		s.Size, s.InFlight, s.Pairs = c.size, c.inFlight, c.pairs
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		got, err := settings(&s)
		if err != nil {
			t.Fatal(err)
		}
		if limit := rpcenv.RPCOutboxLimit.Get(got); int(limit) != c.want {
			t.Errorf("%d messages of %d bytes and %d pairs: %d, want %d", c.inFlight, c.size, c.pairs, limit, c.want)
		}
	}
}

// The windows of many large messages are larger than what may wait for a peer by default.
func TestAWindowLargerThanTheOutbox(t *testing.T) {
	if raced {
		t.Skip("the race detector makes 320 MiB of messages slower than a trial may be")
	}
	for _, c := range []measure.Case{measure.RemoteTell, measure.RemoteAsk} {
		t.Run(string(c), func(t *testing.T) {
			o := options(t, c)
			o.Contenders = []string{"coherer"}
			s := &o.Cells[0]
			s.Size, s.InFlight = 1<<20, 80 // of 64 MiB
			r, err := Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			check(t, r, 1)
		})
	}
}
