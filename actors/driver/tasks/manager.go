package tasks

import (
	"time"

	"github.com/coherer/coherer/actors/driver/exclude"
	"github.com/coherer/coherer/actors/driver/pools"
)

// manager is what the Scheduler knows of one Set. It mirrors org.apache.spark.scheduler.TaskSetManager.
type manager struct {
	s    *Scheduler
	set  Set
	leaf *pools.Leaf[*manager]

	pending pending
	// copies are the slow tasks that are to be started a second time; speculatable has their indexes.
	copies       pending
	speculatable map[int32]bool
	states       []taskState
	done         int        // tasks that need no further attempt
	attempts     []*attempt // in the order of their start
	running      []*attempt // in no order
	zombie       bool       // it starts nothing any more

	// Delay scheduling: the levels that are valid now, the one that the set waits at, since when, and whether it refused an executor
	// since the wait was begun anew.
	levels  []Level
	at      int
	timer   time.Time
	refused bool

	bytes, results int64 // of results, so far
	pace           pace
	// excluded is nil when failures exclude nothing.
	excluded *exclude.Set
	// abort is when the set is given up since nothing may run it; zero: something may.
	abort time.Time
	// held are the tasks of a barrier set that this round of offers starts if it can start all.
	held map[int32]heldTask
	// addresses of the executors that run a barrier set, by partition.
	addresses string
}

// taskState is one task of a Set.
type taskState struct {
	done bool
	// copies that run, and, as in Spark, one that has finished.
	copies   int32
	attempts int32
	failures int
	last     *attempt
}

// attempt is one try of a task. It mirrors org.apache.spark.scheduler.TaskInfo.
type attempt struct {
	m              *manager
	id             int64
	index          int32
	number         int32
	executor, host string
	level          Level
	started        time.Time
	getting        time.Time // when its result began to be fetched
	finished       time.Time
	previous       *attempt // of the same task
	speculative    bool
	launching      bool // its executor has not reported that it runs
	ended, success bool
	moved          bool // its map output lies at another executor by now
	unwanted       bool // another attempt of the task was faster, and the driver kills this one
	at             int  // place in manager.running; -1: it does not run
	share          Share
}

func newManager(s *Scheduler, set Set, now time.Time) *manager {
	m := &manager{
		s: s, set: set, states: make([]taskState, len(set.Tasks)), timer: now, speculatable: map[int32]bool{},
		excluded: exclude.NewSet(s.cfg.Exclude, set.ID.Stage, set.ID.Attempt),
	}
	m.pace.init(&s.cfg.Speculation, len(set.Tasks))
	m.enterAll()
	m.levels = m.validLevels()
	return m
}

// start begins an attempt.
func (m *manager) start(c choice, o *Offer, share Share, now time.Time) *attempt {
	t := &m.states[c.index]
	a := &attempt{
		m: m, id: m.s.nextID, index: c.index, number: t.attempts, executor: o.Executor, host: o.Host, level: c.level,
		started: now, previous: t.last, speculative: c.speculative, launching: true, at: len(m.running), share: share,
	}
	m.s.nextID++
	t.copies++
	t.attempts++
	t.last = a
	m.pace.infos.grow(len(m.attempts))
	m.attempts = append(m.attempts, a)
	m.pace.runs.grow(len(m.running))
	m.running = append(m.running, a)
	m.leaf.Started()
	return a
}

// stopped takes an attempt out of those that run.
func (a *attempt) stopped() {
	if a.at < 0 {
		return
	}
	m, end := a.m, len(a.m.running)-1
	m.running[a.at] = m.running[end]
	m.running[a.at].at = a.at
	m.running = m.running[:end]
	a.at = -1
	m.leaf.Ended()
}

// complete marks a task as done; the last one makes the set a zombie.
func (m *manager) complete(index int32) {
	t := &m.states[index]
	if t.done {
		return
	}
	t.done, t.failures = true, 0
	m.done++
	m.zombie = m.zombie || m.done == len(m.states)
}

// finish forgets a set that starts nothing any more and of which nothing runs. It mirrors TaskSetManager.maybeFinishTaskSet.
func (m *manager) finish(now time.Time) {
	if !m.zombie || len(m.running) > 0 {
		return
	}
	m.s.drop(m)
	if m.done == len(m.states) {
		m.s.excluded(m.s.health.Succeeded(m.excluded, now))
	}
}

// fail reports that the set cannot succeed and ends it. It mirrors TaskSetManager.abort.
func (m *manager) fail(why string, cause Reason, now time.Time) {
	if m.zombie && !m.s.cfg.Faults.AbortsTwice { // its job must not fail a second time
		m.finish(now)
		return
	}
	m.zombie = true
	m.s.tell(TaskSetFailed{Set: m.set.ID, Reason: why, Cause: cause})
	m.finish(now)
}
