package tasks

import (
	"fmt"
	"slices"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// Limits are the settings of a Pool.
type Limits struct {
	// CPUs is spark.task.cpus: what each task takes of an executor's cores.
	CPUs int
	// MaxFailures is spark.task.maxFailures: so many failures of one task fail its set.
	MaxFailures int
	// MaxResultSize is spark.driver.maxResultSize in bytes, for all results of a set together; 0: no limit.
	MaxResultSize int64
}

// Pool has the task sets that are not over. Make one by NewPool. It mirrors
// org.apache.spark.scheduler.TaskSchedulerImpl.
type Pool struct {
	limits   Limits
	sets     []*manager // by compareSets
	live     map[int64]*attempt
	nextID   int64
	launched bool
}

// NewPool makes a Pool without sets.
func NewPool(l Limits) *Pool { return &Pool{limits: l, live: map[int64]*attempt{}} }

// Offer is the free cores of one executor.
type Offer struct {
	Executor, Host string
	Cores          int
}

// Launch is an attempt to be started.
type Launch struct {
	Executor    string
	Description *app.TaskDescription
}

// Kill is an attempt to be ended.
type Kill struct {
	Executor string
	TaskID   int64
	Reason   string
}

// Submit takes a set; older ones of its stage become zombies. A set without tasks is not kept.
func (p *Pool) Submit(s Set) {
	// A new attempt of a stage has all tasks that are missing; the older one only waits for its running attempts.
	for _, m := range p.sets {
		if m.set.ID.Stage == s.ID.Stage {
			m.zombie = true
		}
	}
	if m := newManager(s); m.left > 0 {
		at, _ := slices.BinarySearchFunc(p.sets, m, compareSets)
		p.sets = slices.Insert(p.sets, at, m)
	}
	p.sweep()
}

// Offers starts tasks on the cores offered, at most one an executor and round, sets in order. shuffle is that of a
// random stream: it decides which executors come first.
func (p *Pool) Offers(offers []Offer, shuffle func(n int, swap func(i, j int))) []Launch {
	free := slices.Clone(offers)
	shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
	var launches []Launch
	for _, m := range p.sets {
		// One task an executor and round, so that a set spreads over the executors; a set goes on until nothing fits.
		for more := true; more; {
			more = false
			for i := range free {
				if free[i].Cores < p.limits.CPUs {
					continue
				}
				index, ok := m.next()
				if !ok { // the rest is for the next set
					break
				}
				a := m.start(index, p.nextID, free[i])
				p.nextID++
				p.live[a.id] = a
				free[i].Cores -= p.limits.CPUs
				launches = append(launches, Launch{a.executor, a.describe(p.limits.CPUs)})
				more = true
			}
		}
	}
	p.launched = p.launched || len(launches) > 0
	return launches
}

// Launched reports whether a task was ever started.
func (p *Pool) Launched() bool { return p.launched }

// Waiting reports whether a task could be started if there were cores.
func (p *Pool) Waiting() bool { return slices.ContainsFunc(p.sets, (*manager).waits) }

// Known reports whether an attempt runs on that executor as far as the Pool knows. Reports of others are to be ignored:
// they are of attempts that were given up.
func (p *Pool) Known(id int64, executor string) bool {
	a := p.live[id]
	return a != nil && a.executor == executor
}

// Update takes the report that an attempt changed its state. It returns the messages for DAGScheduler, in order.
// Reports of unknown attempts and states that are not final change nothing.
func (p *Pool) Update(id int64, state app.TaskState, result *app.TaskResult, f *app.TaskFailure) []rpcenv.Message {
	a := p.live[id]
	if a == nil || !Final(state) {
		return nil
	}
	r := reasonOf(state, a.m.set.Work.Map, result, f)
	if r.Kind != KindSuccess {
		return p.ended(a, r)
	}
	// The result that exceeds the limit is dropped: its attempt counts as killed.
	if over := a.m.take(result, p.limits.MaxResultSize); over != "" {
		return p.over(a, killed("Tasks result size has exceeded maxResultSize"), over)
	}
	a.end()
	a.succeeded = true
	delete(p.live, a.id)
	partition := a.m.set.Tasks[a.index].Partition
	a.m.finished(a.index)
	// Other attempts of the stage need not compute the partition again.
	for _, m := range p.sets {
		if m != a.m && m.set.ID.Stage == a.m.set.ID.Stage {
			m.finishedPartition(partition)
		}
	}
	p.sweep()
	return []rpcenv.Message{a.completion(r, result)}
}

// Final reports whether a state is the end of an attempt.
func Final(s app.TaskState) bool {
	return s == app.TaskState_FINISHED || s == app.TaskState_FAILED || s == app.TaskState_KILLED || s == app.TaskState_TASK_LOST
}

// take counts a result's bytes; not "" when they are too many.
func (m *manager) take(r *app.TaskResult, limit int64) string {
	// Map tasks bring statuses, not results. A zombie is over: its job must not fail a second time.
	if m.set.Work.Map || m.zombie {
		return ""
	}
	m.bytes += int64(len(r.GetRecords()))
	if limit == 0 || m.bytes <= limit {
		return ""
	}
	n := len(m.states) - m.left + 1
	return fmt.Sprintf("Total size of serialized results of %d tasks (%d B) is bigger than spark.driver.maxResultSize (%d B)",
		n, m.bytes, limit)
}

// ended takes the failure of a live attempt.
func (p *Pool) ended(a *attempt, r Reason) []rpcenv.Message {
	a.end()
	delete(p.live, a.id)
	abort := a.m.failed(a, r, p.limits.MaxFailures)
	// The attempt's end first: listeners of the DAGScheduler hear of it before the job is over.
	out := []rpcenv.Message{a.completion(r, nil)}
	if abort != "" {
		a.m.zombie = true
		out = append(out, TaskSetFailed{Set: a.m.set.ID, Reason: abort, Cause: r})
	}
	p.sweep()
	return out
}

// over ends an attempt and its set with it.
func (p *Pool) over(a *attempt, r Reason, why string) []rpcenv.Message {
	// First, so that ended decides nothing else about the set.
	a.m.zombie = true
	return append(p.ended(a, r), TaskSetFailed{Set: a.m.set.ID, Reason: why, Cause: r})
}

// Abort ends an attempt that is too large to be sent, and its set with it.
func (p *Pool) Abort(id int64, why string) []rpcenv.Message {
	a := p.live[id]
	if a == nil {
		return nil
	}
	r := Reason{Kind: KindTaskTooLarge, Text: why}
	if a.m.zombie { // another attempt was too large before
		r = killed("Stage cancelled")
	}
	return p.ended(a, r)
}

// ExecutorLost gives up the tasks of an executor: finished map tasks of sets that are not over run again, since their
// output went with it, and running attempts fail. It returns the messages for DAGScheduler, in order.
func (p *Pool) ExecutorLost(id string, l Loss) []rpcenv.Message {
	var out []rpcenv.Message
	// ended sweeps p.sets.
	for _, m := range slices.Clone(p.sets) {
		out = append(out, m.resubmit(id)...)
		for _, a := range m.attempts {
			if a.executor == id && !a.ended {
				out = append(out, p.ended(a, executorLost(id, l))...)
			}
		}
	}
	return out
}

// resubmit makes the map tasks that finished on an executor run again.
func (m *manager) resubmit(executor string) []rpcenv.Message {
	// Results have reached the driver. The outputs of a set that is over are DAGScheduler's to compute again.
	if m.zombie || !m.set.Work.Map {
		return nil
	}
	var out []rpcenv.Message
	for _, a := range m.attempts {
		if a.executor != executor || !a.succeeded {
			continue
		}
		// So that a second loss of the same executor does not count it again.
		a.succeeded = false
		m.states[a.index].done = false
		m.left++
		m.pending = append(m.pending, a.index)
		r := Reason{Kind: KindResubmitted, Text: "Resubmitted (resubmitted due to lost executor)"}
		out = append(out, a.completion(r, nil))
	}
	return out
}

// Cancel makes the sets of a stage zombies and names their attempts to be killed. These stay known until they report.
func (p *Pool) Cancel(stage int32, reason string) []Kill {
	var kills []Kill
	for _, m := range p.sets {
		if m.set.ID.Stage != stage {
			continue
		}
		m.zombie = true
		for _, a := range m.attempts {
			if !a.ended {
				kills = append(kills, Kill{a.executor, a.id, reason})
			}
		}
	}
	p.sweep()
	return kills
}

// sweep forgets the sets that are over.
func (p *Pool) sweep() {
	p.sets = slices.DeleteFunc(p.sets, func(m *manager) bool { return m.zombie && m.running == 0 })
}
