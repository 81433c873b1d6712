package sim

import (
	"errors"
	"math"
	"sync/atomic"
	"time"
)

// ErrStopped is what Run returns after Stop.
var ErrStopped = errors.New("sim: stopped")

// pace ties virtual time to the wall's.
type pace struct {
	speed         float64 // virtual seconds for each of the wall's; 0: as fast as it can
	wall, virtual time.Time
	stop          chan struct{} // what Stop asks for
	asked         *atomic.Bool
}

func newPace() pace { return pace{stop: make(chan struct{}, 1), asked: &atomic.Bool{}} }

// Pace ties virtual time to the wall's: speed virtual seconds pass in one second, from now on; 0 unties them. It changes
// when things happen on the wall, and nothing of what happens.
func (w *World) Pace(speed float64) {
	w.pace.speed, w.pace.wall, w.pace.virtual = speed, time.Now(), w.now
}

// Stop makes the Advance, Run or Settle that is under way, or else the next one, return after the step that it does. It may
// be called from any goroutine. Calling them again goes on; Step goes on by one.
func (w *World) Stop() {
	if w.pace.asked.CompareAndSwap(false, true) {
		w.pace.stop <- struct{}{}
	}
}

// stopped reports, once, that Stop was called.
func (p *pace) stopped() bool {
	if !p.asked.Load() {
		return false
	}
	<-p.stop // Stop sets asked before it sends: this waits a moment at most
	p.asked.Store(false)
	return true
}

// await waits until the wall has come to a virtual time; false: Stop was called.
func (p *pace) await(w *World, since time.Duration) bool {
	if p.speed <= 0 {
		return true
	}
	at := Start.Add(since)
	due := p.wall.Add(time.Duration(math.Min(float64(at.Sub(p.virtual))/p.speed, math.MaxInt64/4)))
	wait := time.Until(due)
	if wait <= 0 {
		return true
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-p.stop:
		p.stop <- struct{}{} // stopped takes it
		// Virtual time goes on to where the wall is, though not to the event: that has not happened.
		now := p.virtual.Add(time.Duration(float64(time.Since(p.wall)) * p.speed))
		if now.After(w.now) && now.Before(at) {
			w.now = now
		}
		return false
	}
}
