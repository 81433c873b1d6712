package tasks

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/coherer/coherer/messages/app"
)

// manager is what the Pool knows of one Set. It mirrors org.apache.spark.scheduler.TaskSetManager.
type manager struct {
	set Set
	// pending is a stack of the indexes to be started, the next one last. An entry whose task needs no start any more is
	// dropped when it is met.
	pending  []int
	states   []taskState
	attempts []*attempt // in the order of their start
	left     int        // tasks that are not done
	running  int        // attempts
	zombie   bool
	bytes    int64 // of the results so far
}

// taskState is one task of a Set. One that neither is done nor runs is pending.
type taskState struct {
	done     bool
	attempts int32
	failures int
}

// attempt is one try of a task.
type attempt struct {
	m              *manager
	id             int64
	index          int
	number         int32
	executor, host string
	ended          bool
	succeeded      bool
}

func newManager(s Set) *manager {
	m := &manager{set: s, states: make([]taskState, len(s.Tasks)), left: len(s.Tasks)}
	for i := range s.Tasks { // backwards: task 0 on top
		m.pending = append(m.pending, len(s.Tasks)-1-i)
	}
	return m
}

// next takes the next task to start off the stack.
func (m *manager) next() (index int, ok bool) {
	for len(m.pending) > 0 && !m.zombie {
		index = m.pending[len(m.pending)-1]
		m.pending = m.pending[:len(m.pending)-1]
		if !m.states[index].done {
			return index, true
		}
	}
	return 0, false
}

// waits reports whether a task could be started now.
func (m *manager) waits() bool {
	return !m.zombie && slices.ContainsFunc(m.pending, func(i int) bool { return !m.states[i].done })
}

// start begins an attempt.
func (m *manager) start(index int, id int64, o Offer) *attempt {
	s := &m.states[index]
	a := &attempt{m: m, id: id, index: index, number: s.attempts, executor: o.Executor, host: o.Host}
	s.attempts++
	m.running++
	m.attempts = append(m.attempts, a)
	return a
}

// end notes that an attempt runs no more.
func (a *attempt) end() {
	a.ended = true
	a.m.running--
}

// finished marks a task as done; the last one makes the set a zombie.
func (m *manager) finished(index int) {
	if m.states[index].done {
		return
	}
	m.states[index].done = true
	m.left--
	m.zombie = m.zombie || m.left == 0
}

// finishedPartition is finished for a partition that another attempt of the stage brought.
func (m *manager) finishedPartition(partition int32) {
	// An index is not a partition: a later attempt has only the tasks that are missing. It is searched for, not walked to:
	// while one straggler keeps this set, each success of a newer set comes here.
	at, found := slices.BinarySearchFunc(m.set.Tasks, partition, func(t Task, p int32) int { return cmp.Compare(t.Partition, p) })
	if found {
		m.finished(at)
	}
}

// failed decides what the failure of an attempt means: a new try, the set's end ("" is none), or nothing.
func (m *manager) failed(a *attempt, r Reason, maxFailures int) (abort string) {
	s := &m.states[a.index]
	switch {
	case r.Kind == KindFetchFailed:
		m.zombie = true // the stage's next attempt follows, with the lost outputs computed again
	case m.zombie: // it starts nothing any more, so failures do not count
	case r.Kind == KindTaskTooLarge:
		return r.Text // as Spark has it
	case r.permanent():
		return fmt.Sprintf("Task %d in stage %s failed, and each other try would fail alike: %s", a.index, m.set.ID, r.Text)
	case r.Counts:
		s.failures++
		if s.failures >= maxFailures {
			return fmt.Sprintf("Task %d in stage %s failed %d times, most recent failure: Lost %s (%s executor %s): %s",
				a.index, m.set.ID, maxFailures, a.name(), a.host, a.executor, r.Text)
		}
	}
	// On top of the stack: a failed task is the next to start.
	m.pending = append(m.pending, a.index)
	return ""
}

// name is Spark's: "task 0.0 in stage 0.0 (TID 0)".
func (a *attempt) name() string {
	return fmt.Sprintf("task %d.%d in stage %s (TID %d)", a.index, a.number, a.m.set.ID, a.id)
}

// completion reports the attempt's end.
func (a *attempt) completion(r Reason, result *app.TaskResult) CompletionEvent {
	return CompletionEvent{
		Set: a.m.set.ID, Index: int32(a.index), Partition: a.m.set.Tasks[a.index].Partition, TaskID: a.id, Attempt: a.number,
		Executor: a.executor, Host: a.host, Epoch: a.m.set.Work.Epoch, Reason: r, Result: result,
	}
}

// describe is the attempt as the executor gets it.
func (a *attempt) describe(cpus int) *app.TaskDescription {
	set, w := &a.m.set, &a.m.set.Work
	d := &app.TaskDescription{
		TaskId: a.id, AttemptNumber: a.number, ExecutorId: a.executor, Name: a.name(), Index: int32(a.index),
		PartitionId: set.Tasks[a.index].Partition, StageId: set.ID.Stage, StageAttempt: set.ID.Attempt,
		Job: w.Job, JobArgs: w.Args, JobDigest: w.Digest, Node: w.Node, Shuffles: w.Shuffles, Epoch: w.Epoch,
		Split: set.Tasks[a.index].Split, Cpus: int32(cpus),
	}
	if w.Map {
		d.ShuffleId = &w.Shuffle
	} else {
		d.Action = w.Action
	}
	return d
}
