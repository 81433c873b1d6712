package measure

import (
	"fmt"
	"sync"
	"time"
)

// batches is how many a trial has: the warm-up and the measured one.
const batches = 2

// Sent is what the sending side measured in the measured batch, all pairs together.
type Sent struct {
	Messages uint64 `json:"messages"`
	// Elapsed is from the first message to the last acknowledgement or answer.
	Elapsed time.Duration `json:"elapsed_ns"`
	// Used is what the process used meanwhile.
	Used Usage `json:"used"`
	// Latency is that of every ask or operation; empty for tells.
	Latency Histogram `json:"latency"`
	// Intended and Reached are rates a second; 0 in a closed loop.
	Intended float64 `json:"intended_per_second,omitempty"`
	Reached  float64 `json:"reached_per_second,omitempty"`
}

// tolerance is the share of a rate that may be missing.
const tolerance = 0.01

// Behind reports whether the intended rate was missed by more than 1 %: then Latency, and that of Received, only say how long the
// messages queued before they were sent.
func (s *Sent) Behind() bool { return s.Reached < s.Intended*(1-tolerance) }

// group is what the sending sides of all pairs share: one clock, so that their batches begin and end together, and the process's usage,
// which cannot be split by pair.
type group struct {
	spec  *Spec
	now   func() time.Time // the clock; tests have another one
	lanes []*batch
	// begun gets the beginning of each batch, for the pacer; nil in a closed loop.
	begun chan time.Time
	// mark tells the receiving side of operations that a batch begins or is over; nil when it counts messages.
	mark func(begins bool)

	mu     sync.Mutex
	phases [batches]phase
	result Sent
}

func newGroup(spec *Spec) *group {
	g := &group{spec: spec, now: time.Now}
	if spec.Rate > 0 {
		g.begun = make(chan time.Time, batches)
	}
	return g
}

// phase is one batch of all pairs.
type phase struct {
	began time.Time // by the first pair
	used  Usage     // when it began
	over  int       // pairs that are through
}

func (g *group) add(b *batch) {
	b.group, b.pair = g, len(g.lanes)
	g.lanes = append(g.lanes, b)
}

// begin returns when a batch began: now, for the first pair that asks.
func (g *group) begin(number int) time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := &g.phases[number]
	if p.began.IsZero() {
		if g.mark != nil {
			g.mark(true)
		}
		p.used = used()
		p.began = g.now()
		if g.begun != nil {
			g.begun <- p.began // has room for all batches
		}
	}
	return p.began
}

// end takes the end of a pair's batch.
func (g *group) end(b *batch, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := &g.phases[b.number]
	if p.over++; p.over == len(g.lanes) {
		g.result.Used = used().since(p.used) // before Merge allocates
		if g.mark != nil {
			g.mark(false)
		}
	}
	if b.number == 0 {
		return // the warm-up counts for nothing
	}
	g.result.Messages += b.sent
	// Of the last pair; another one may have looked at the clock earlier and come here later.
	g.result.Elapsed = max(g.result.Elapsed, now.Sub(p.began))
	g.result.Latency.Merge(&b.latency)
}

// progress is how far the trial has come, for the error of a trial that stands still. It may be called from any goroutine.
func (g *group) progress() string {
	var sent, done uint64
	for _, b := range g.lanes {
		sent += b.seenSent.Load()
		done += b.seenDone.Load()
	}
	return fmt.Sprintf("at its last sign of life %d messages were sent and %d of them came back or were acknowledged", sent, done)
}

// sent is the result, after the end of all pairs.
func (g *group) sent() (*Sent, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if n := g.phases[batches-1].over; n != len(g.lanes) {
		return nil, fmt.Errorf("%d of %d pairs came to the end of the measured batch", n, len(g.lanes))
	}
	r := &g.result
	if r.Intended = g.spec.Rate; r.Intended > 0 {
		n := float64(r.Messages)
		// The last message has its interval too: without it, few messages would seem to come faster than was intended.
		r.Reached = n / max(r.Elapsed.Seconds(), n/r.Intended)
	}
	return r, nil
}
