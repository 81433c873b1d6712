package measure

import (
	"context"
	"math"
	"sync"
	"time"
)

// due is when message n of all pairs together is due, from the beginning of its batch.
func (s *Spec) due(n uint64) time.Duration {
	return time.Duration(math.Ceil(float64(n) * float64(time.Second) / s.Rate))
}

// Pace calls wake for a pair whenever the rate makes one of its messages due, so that the contender calls Next again; 0 stands for
// all of Ops. In a closed loop it does nothing. It calls from a goroutine of its own, which stop ends, and wake must not wait for
// long: the other pairs are due as well.
func (t *Trial) Pace(ctx context.Context, wake func(pair int)) (stop func()) {
	if t.Spec.Rate == 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var pacing sync.WaitGroup
	p := pacer{spec: t.Spec, pairs: uint64(len(t.group.lanes)), wake: wake, now: time.Now, nap: nap}
	pacing.Go(func() { p.run(ctx, t.group.begun) })
	return func() {
		cancel()
		pacing.Wait()
	}
}

// pacer keeps the schedule of all pairs.
type pacer struct {
	spec  *Spec
	pairs uint64
	wake  func(pair int)
	now   func() time.Time
	nap   func(time.Duration)

	began time.Time
	n     uint64 // the next message of all pairs
}

// run keeps the schedule of each batch, from its beginning to that of the next one, until ctx ends.
func (p *pacer) run(ctx context.Context, begun <-chan time.Time) {
	select {
	case p.began = <-begun:
	case <-ctx.Done():
		return
	}
	for {
		select {
		case p.began = <-begun:
			p.n = 0
		case <-ctx.Done():
			return
		default:
			p.step()
		}
	}
}

// longestNap is how long the pacer may take to notice a new batch or the end.
const longestNap = 5 * time.Millisecond

// step sleeps until a message is due, or a nap, and wakes the pairs of all messages that are due by then.
func (p *pacer) step() {
	if wait := p.spec.due(p.n) - p.now().Sub(p.began); wait > 0 {
		p.nap(min(wait, longestNap))
	}
	passed := p.now().Sub(p.began)
	// Each pair at most once: it takes all that are due.
	for woken := uint64(0); p.spec.due(p.n) <= passed; p.n++ {
		if woken < p.pairs {
			p.wake(int(p.n % p.pairs))
			woken++
		}
	}
}
