package measure

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/app"
)

// carry brings the messages of all pairs to their sinks in turn, each through change, until all pairs are over.
func carry(t *testing.T, s Spec, change func(pair, n int, m *app.StatusUpdate) []*app.StatusUpdate) (*group, []*Sink, error) {
	t.Helper()
	g := newGroup(&s)
	tells, err := pairs(g, newTell)
	if err != nil {
		t.Fatal(err)
	}
	sinks, err := newSinks(&s)
	if err != nil {
		t.Fatal(err)
	}
	n := make([]int, len(tells))
	for moved := true; moved; {
		moved = false
		for pair, source := range tells {
			for m := source.Next(); m != nil; m = source.Next() {
				moved = true
				for _, m := range change(pair, n[pair], m) {
					ack := sinks[pair%len(sinks)].Take(m)
					if ack == nil {
						continue
					}
					if _, err := tells[PairOf(ack)].Acknowledged(ack); err != nil {
						return g, sinks, err
					}
				}
				n[pair]++
			}
		}
	}
	return g, sinks, nil
}

// The pairs of every case are counted together, and each message once.
func TestPairsAreCountedTogether(t *testing.T) {
	for _, c := range []Case{RemoteTell, FanIn, FanOut} {
		s := spec(c, 76, 8)
		s.Pairs = 11
		g, sinks, err := carry(t, s, func(_, n int, m *app.StatusUpdate) []*app.StatusUpdate {
			if size := proto.Size(m); size != s.Size {
				t.Fatalf("a message has %d bytes, want %d", size, s.Size)
			}
			return asItIs(n, m)
		})
		if err != nil {
			t.Fatal(c, err)
		}
		sent, err := g.sent()
		if err != nil {
			t.Fatal(c, err)
		}
		got, err := sinks[0].counts.measured()
		if err != nil {
			t.Fatal(c, err)
		}
		var each uint64
		for _, b := range g.lanes {
			if b.sent == 0 {
				t.Errorf("%s: pair %d sent nothing", c, b.pair)
			}
			each += b.sent
		}
		if sent.Messages != each || got.Messages != each || got.Bytes != 76*each || got.Fault != "" || sent.Elapsed < s.Duration || got.Elapsed <= 0 {
			t.Errorf("%s: the pairs sent %d, together %d in %s; received %d, %d bytes in %s, %q", c, each, sent.Messages, sent.Elapsed, got.Messages, got.Bytes, got.Elapsed, got.Fault)
		}
	}
}

// A message that one pair loses, doubles, or gives to another one fails the trial of all.
func TestAFaultOfOnePairIsFound(t *testing.T) {
	var held *app.StatusUpdate
	for name, change := range map[string]func(pair, n int, m *app.StatusUpdate) []*app.StatusUpdate{
		"lost": func(pair, n int, m *app.StatusUpdate) []*app.StatusUpdate {
			if pair == 1 && n == 40 {
				return nil
			}
			return asItIs(n, m)
		},
		"twice": func(pair, n int, m *app.StatusUpdate) []*app.StatusUpdate {
			if pair == 1 && n == 40 {
				return []*app.StatusUpdate{m, m}
			}
			return asItIs(n, m)
		},
		"out of order": func(pair, n int, m *app.StatusUpdate) []*app.StatusUpdate {
			switch {
			case pair == 1 && n == SampleEvery:
				held = m
				return nil
			case pair == 1 && n == SampleEvery+1:
				return []*app.StatusUpdate{m, held}
			}
			return asItIs(n, m)
		},
		"the other pair's": func(pair, n int, m *app.StatusUpdate) []*app.StatusUpdate {
			if pair == 1 && n == 40 {
				return []*app.StatusUpdate{newMessage("0", len(m.GetResult().GetRecords()))}
			}
			return asItIs(n, m)
		},
		"the other pair's besides": func(pair, n int, m *app.StatusUpdate) []*app.StatusUpdate {
			if pair == 1 && n == 40 {
				return []*app.StatusUpdate{newMessage("0", len(m.GetResult().GetRecords())), m}
			}
			return asItIs(n, m)
		},
	} {
		for _, c := range []Case{RemoteTell, FanIn} {
			t.Run(name+"/"+string(c), func(t *testing.T) {
				s := spec(c, 76, 200)
				s.Pairs = 2
				g, sinks, err := carry(t, s, change)
				if err != nil {
					return
				}
				if _, err := g.sent(); err != nil {
					return // it never came to its end: speaker says so after Stall
				}
				if got, err := sinks[0].counts.measured(); err == nil && got.Fault == "" {
					t.Error("no fault is reported")
				}
			})
		}
	}
}

// A flood has no window: all of it is sent, one acknowledgement comes back, and a message less is found by the count.
func TestAFloodIsAcknowledgedAtItsEnd(t *testing.T) {
	for lost, want := range map[int]string{-1: "", SampleEvery - 1: "another one"} {
		s := spec(OneWay, 76, 0)
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		source, err := NewTell(&s)
		if err != nil {
			t.Fatal(err)
		}
		sinks, err := newSinks(&s)
		if err != nil {
			t.Fatal(err)
		}
		clock := &clock{time.Unix(1000, 0)}
		source.group.now, sinks[0].counts.now = clock.now, clock.now
		for over := false; !over; {
			n := 0
			var acks []*app.StatusUpdate
			for m := source.Next(); m != nil; m = source.Next() {
				if n != lost || source.lastSent {
					if ack := sinks[0].Take(m); ack != nil {
						acks = append(acks, ack)
					}
				}
				clock.pass(s.Duration / 100)
				n++
			}
			if len(acks) != 1 {
				t.Fatalf("%d acknowledgements, want 1", len(acks))
			}
			// A contender that loses messages has fewer acknowledged than sent, and never comes to the end: here the count is mended.
			acks[0].TaskId = new(int64(n))
			if over, err = source.Acknowledged(acks[0]); err != nil {
				t.Fatal(err)
			}
		}
		got, err := sinks[0].counts.measured()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(got.Fault, want) || (want == "") != (got.Fault == "") {
			t.Errorf("lost %d: fault %q, want %q", lost, got.Fault, want)
		}
		if got.Elapsed < s.Duration || got.Elapsed > s.Duration+s.Duration/5 {
			t.Errorf("it took the receiver %s, and the sender %s", got.Elapsed, s.Duration)
		}
	}
}

// If one pair has a message of a size, all have.
func TestPairsHaveTheSameSizes(t *testing.T) {
	for size := range 300 {
		s := spec(FanIn, size, 1)
		s.Pairs = 11
		if s.Validate() != nil {
			continue
		}
		if _, err := newSinks(&s); err != nil {
			t.Error(size, err)
		}
	}
}

// What a message costs a receiver and a sender of this package is nothing but its own bytes: so what is counted is the contender's.
func TestCountingAllocatesNothing(t *testing.T) {
	s := spec(LocalAsk, 76, 64)
	s.Duration = time.Hour
	source, err := NewAsk(&s)
	if err != nil {
		t.Fatal(err)
	}
	sinks, err := newSinks(&s)
	if err != nil {
		t.Fatal(err)
	}
	round := func() {
		m, at := source.Next()
		if _, err := source.Answered(at, sinks[0].Take(m)); err != nil {
			t.Fatal(err)
		}
	}
	round() // the warm-up
	round() // makes the histogram
	if n := testing.AllocsPerRun(1000, round); n > 0 {
		t.Errorf("an ask allocates %v times", n)
	}

	s = spec(FanIn, 76, 1)
	s.Pairs = 3
	if sinks, err = newSinks(&s); err != nil {
		t.Fatal(err)
	}
	plain := sinks[0].intakes[2].msgs.plain
	sinks[0].every = 1 << 40 // no acknowledgement: that is a message, which is made
	sinks[0].intakes[2].messages = 1
	if n := testing.AllocsPerRun(20, func() { sinks[0].Take(plain) }); n > 0 {
		t.Errorf("a tell allocates %v times at the receiver", n)
	}
}
