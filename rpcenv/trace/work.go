package trace

import "sync/atomic"

// work counts what is under way in a world of one process, for tests that wait until it is quiet.
type work struct {
	counted bool // somebody may want to know: a count that all share is not cheap
	n       atomic.Int64
	idle    atomic.Pointer[func()]
}

// Busy counts work that is under way in the process or world: items in inboxes, messages in outboxes, running bodies.
// Only a Recorder in memory counts: that of a world, whose tests wait until nothing is under way.
func (r *Recorder) Busy(n int) {
	if r == nil || !r.work.counted {
		return
	}
	if r.work.n.Add(int64(n)) == 0 {
		if f := r.work.idle.Load(); f != nil {
			(*f)()
		}
	}
}

// Idle reports whether no work is under way, messages between Envs aside.
func (r *Recorder) Idle() bool { return r == nil || r.work.n.Load() == 0 }

// OnIdle makes f be called each time the work under way comes to its end; f must be quick. nil ends it.
func (r *Recorder) OnIdle(f func()) {
	switch {
	case r == nil:
	case f == nil:
		r.work.idle.Store(nil)
	default:
		r.work.idle.Store(&f)
	}
}
