package measure

import (
	"slices"
	"testing"
	"time"
)

// clock is a clock that a test sets.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func (c *clock) pass(d time.Duration) { c.at = c.at.Add(d) }

// paced is a group with one pair and a rate, on a clock at its beginning.
func paced(c Case, rate float64, inFlight int) (*group, *clock) {
	s := spec(c, 76, inFlight)
	s.Duration, s.Rate = time.Second, rate
	g := newGroup(&s)
	t := &clock{time.Unix(1000, 0)}
	g.now = t.now
	return g, t
}

// asks drives an Ask through its warm-up of nothing.
func asks(t *testing.T, g *group) *Ask {
	t.Helper()
	a, err := newAsk(g)
	if err != nil {
		t.Fatal(err)
	}
	m, at := a.Next()
	if _, err := a.Answered(at, m); err != nil || a.number != 1 {
		t.Fatalf("batch %d: %v", a.number, err)
	}
	return a
}

// No message begins before its time, and each at it.
func TestARateSpacesTheMessages(t *testing.T) {
	g, clock := paced(LocalAsk, 100, 64)
	a := asks(t, g)
	for n := range 5 {
		m, at := a.Next()
		if m == nil || at != time.Duration(n)*10*time.Millisecond {
			t.Fatalf("message %d: %v at %s", n, m, at)
		}
		if m, _ := a.Next(); m != nil {
			t.Fatalf("message %d has a second one beside it", n)
		}
		clock.pass(10*time.Millisecond - 1)
		if m, _ := a.Next(); m != nil {
			t.Fatalf("message %d comes too early", n+1)
		}
		clock.pass(1)
	}
}

// A receiver that stands still for 300 ms makes late all that should have been asked meanwhile: they queue for a window of one, and
// their latency is from when each should have begun. From when each did begin, all but one would have taken no time at all.
func TestLatencyIsFromTheIntendedStart(t *testing.T) {
	g, clock := paced(LocalAsk, 100, 1)
	a := asks(t, g)
	m, at := a.Next()
	clock.pass(300 * time.Millisecond)
	if next, _ := a.Next(); next != nil {
		t.Fatal("two questions are under way in a window of one")
	}
	for range 31 {
		if _, err := a.Answered(at, m); err != nil {
			t.Fatal(err)
		}
		if m, at = a.Next(); m == nil {
			break
		}
	}
	if m != nil {
		t.Fatal("the pair has not caught up after 31 answers")
	}
	// 300, 290, ... 0 ms late.
	if n, p50, most := a.latency.Count(), time.Duration(a.latency.Percentile(0.5)), time.Duration(a.latency.Max()); n != 31 || p50 < 149*time.Millisecond || most < 299*time.Millisecond {
		t.Errorf("%d latencies, half of them up to %s, most %s: want 31, 150ms, 300ms", n, p50, most)
	}
}

// A tell that had to wait carries the time when it should have begun.
func TestATellCarriesItsIntendedStart(t *testing.T) {
	g, clock := paced(LocalTell, 100, 1)
	source, err := newTell(g)
	if err != nil {
		t.Fatal(err)
	}
	began := clock.now()
	m := source.Next()
	if got := time.Unix(0, stamp(m)); !got.Equal(began) {
		t.Errorf("message 0 carries %s, want %s", got, began)
	}
	if _, err := source.Acknowledged(acknowledgement("0", 1)); err != nil { // of the warm-up
		t.Fatal(err)
	}
	clock.pass(time.Second / 2)
	began = clock.now()
	for n := range uint64(SampleEvery) {
		if m := source.Next(); m == nil {
			t.Fatal("no message", n)
		}
		if _, err := source.Acknowledged(acknowledgement("0", n+1)); err != nil {
			t.Fatal(err)
		}
		clock.pass(20 * time.Millisecond) // half of the rate
	}
	m = source.Next()
	if got, want := time.Unix(0, stamp(m)).Sub(began), SampleEvery*10*time.Millisecond; got != want {
		t.Errorf("message %d carries the time %s after the first, want %s", SampleEvery, got, want)
	}
}

// The report says what rate was reached; one that fell short by more than 1 % is behind.
func TestARateThatIsNotReachedIsSaid(t *testing.T) {
	for _, c := range []struct {
		name    string
		rate    float64
		each    time.Duration // that an answer takes
		reached float64
		behind  bool
	}{
		{"reached", 100, time.Millisecond, 100, false},
		{"half", 100, 20 * time.Millisecond, 50, true},
		// Ten messages take nine intervals.
		{"few", 10, time.Millisecond, 10, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, clock := paced(LocalAsk, c.rate, 1)
			a := asks(t, g)
			for over := false; !over; {
				m, at := a.Next()
				if m == nil {
					clock.pass(time.Millisecond)
					continue
				}
				clock.pass(c.each)
				var err error
				if over, err = a.Answered(at, m); err != nil {
					t.Fatal(err)
				}
			}
			sent, err := g.sent()
			if err != nil {
				t.Fatal(err)
			}
			if sent.Intended != c.rate || sent.Reached < c.reached*0.99 || sent.Reached > c.reached*1.01 || sent.Behind() != c.behind {
				t.Errorf("intended %v, reached %v, behind %v: want %v, %v, %v", sent.Intended, sent.Reached, sent.Behind(), c.rate, c.reached, c.behind)
			}
			if want := uint64(c.reached); sent.Messages < want-1 || sent.Messages > want+1 {
				t.Errorf("%d messages in a second, want %d", sent.Messages, want)
			}
		})
	}
}

// The pacer wakes each pair when it is due, and one that is late wakes each once.
func TestThePacerWakesWhoIsDue(t *testing.T) {
	clock := &clock{time.Unix(1000, 0)}
	var woken []int
	s := Spec{Case: RemoteTell, Pairs: 3, Rate: 1000}
	late := time.Duration(0)
	p := pacer{
		spec: &s, pairs: 3, began: clock.at, now: clock.now,
		wake: func(pair int) { woken = append(woken, pair) },
		nap:  func(d time.Duration) { clock.pass(d + late) },
	}
	for n := range 4 {
		p.step()
		if len(woken) != n+1 || woken[n] != n%3 {
			t.Fatalf("after step %d: %v", n, woken)
		}
		if got, want := clock.at.Sub(p.began), time.Duration(n)*time.Millisecond; got != want {
			t.Fatalf("step %d ends after %s, want %s", n, got, want)
		}
	}
	woken, late = nil, 20*time.Millisecond
	p.step()
	if len(woken) != 3 {
		t.Errorf("a late pacer wakes %v, want each of three pairs once", woken)
	}
	if next := s.due(p.n); next <= clock.at.Sub(p.began) {
		t.Errorf("the next is due after %s, which has passed", next)
	}
}

// A pair of several keeps its own part of the schedule.
func TestPairsShareTheRate(t *testing.T) {
	s := spec(RemoteTell, 76, 64)
	s.Pairs, s.Rate, s.Duration = 4, 100, time.Second
	g := newGroup(&s)
	clock := &clock{time.Unix(1000, 0)}
	g.now = clock.now
	tells, err := pairs(g, newTell)
	if err != nil {
		t.Fatal(err)
	}
	var order []int
	for range 8 {
		for i, source := range tells {
			source.number = 1
			for m := source.Next(); m != nil; m = source.Next() {
				order = append(order, i)
				if PairOf(m) != i {
					t.Errorf("a message of pair %d says %d", i, PairOf(m))
				}
			}
		}
		clock.pass(10 * time.Millisecond)
	}
	if want := []int{0, 1, 2, 3, 0, 1, 2, 3}; !slices.Equal(order, want) {
		t.Errorf("the pairs send in the order %v, want %v", order, want)
	}
}
