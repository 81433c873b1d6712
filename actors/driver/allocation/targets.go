package allocation

import (
	"math"
	"time"
)

// Targets is how many executors are wanted. It is a value without a clock: now comes in.
type Targets struct {
	settings Config
	target   int
	// toAdd is by how many it grows next: 1, 2, 4, ...
	toAdd int
	// addAt is when it grows next; zero: nothing waits.
	addAt time.Time
	// grewAt is when it grew last; zero: it did not, or not for the tasks that wait now.
	grewAt time.Time
	// initializing keeps it from falling before the application has begun to work.
	initializing bool
}

// NewTargets begins at the initial target.
func NewTargets(s Config) Targets {
	return Targets{settings: s, target: s.Initial, toAdd: 1, initializing: true}
}

// Target is how many are wanted now.
func (t *Targets) Target() int { return t.target }

// Begin says that the application works, or lets executors go: from now on the target may fall.
func (t *Targets) Begin() { t.initializing = false }

// Backlogged says that tasks wait. It mirrors onSchedulerBacklogged.
func (t *Targets) Backlogged(now time.Time) {
	if t.addAt.IsZero() {
		t.addAt = now.Add(t.settings.Backlog)
	}
}

// QueueEmpty says that no task waits any more; a change that is not acknowledged yet counts for no later backlog. It mirrors
// onSchedulerQueueEmpty.
func (t *Targets) QueueEmpty() {
	t.addAt, t.grewAt = time.Time{}, time.Time{}
	t.toAdd = 1
}

// Reset is for another cluster manager, which knows nothing: back to the beginning.
func (t *Targets) Reset() { *t = NewTargets(t.settings) }

// Needed is how many executors so many waiting and running tasks want.
func (s Config) Needed(tasks int) int {
	return int(math.Ceil(float64(tasks) * s.Ratio / float64(s.TasksPerExecutor)))
}

// Update is a change of the target, to be sent to the cluster manager.
type Update struct{ Old, New int }

// Next changes the target by the need, now, of an application that has so many executors; false: it stays. Acknowledged or
// Refused follows each change. It mirrors updateAndSyncNumExecutorsTarget.
func (t *Targets) Next(now time.Time, needed, executors int) (Update, bool) {
	u := Update{Old: t.target}
	switch {
	case t.initializing:
		return u, false
	case needed < t.target: // also while tasks wait: needed includes their need
		t.target = max(needed, t.settings.Min)
		t.toAdd = 1
	case !t.addAt.IsZero() && !now.Before(t.addAt):
		t.grow(needed, executors)
		t.grewAt = now
	}
	u.New = t.target
	return u, u.New != u.Old
}

// grow adds toAdd to the target, or to the present executors when these are more. It mirrors addExecutors.
func (t *Targets) grow(needed, executors int) {
	old := t.target
	t.target = min(max(old, executors)+t.toAdd, needed)
	t.target = max(min(t.target, t.settings.Max), t.settings.Min)
	if t.target == old { // at the need or a bound: the next growth begins anew
		t.toAdd = 1
	}
}

// Acknowledged says that the cluster manager took the change: the next step is twice as large if this one was whole, and comes
// when tasks have waited for the sustained time-out since this one, however long the answer took.
func (t *Targets) Acknowledged(u Update) {
	// The backlog that made the target grow may be over: QueueEmpty has set the step back then.
	if u.New <= u.Old || t.grewAt.IsZero() {
		return
	}
	if u.New-u.Old == t.toAdd {
		t.toAdd *= 2
	} else {
		t.toAdd = 1
	}
	t.addAt, t.grewAt = t.grewAt.Add(t.settings.Sustained), time.Time{}
}

// Refused says that the cluster manager did not take the change: the target is as before.
func (t *Targets) Refused(u Update) { t.target, t.grewAt = u.Old, time.Time{} }
