package tasks

import (
	"slices"
	"time"

	"github.com/coherer/coherer/actors/driver/exclude"
	"github.com/coherer/coherer/actors/driver/pools"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// Config is what a Scheduler goes by; the settings are Spark's.
type Config struct {
	// Profiles by id; 0 is the default profile: what each task takes of an executor.
	Profiles map[int32]*Profile
	// Mode is spark.scheduler.mode; Allocations are its pools, nil without spark.scheduler.allocation.file.
	Mode        pools.Mode
	Allocations *pools.Allocations
	// MaxFailures is spark.task.maxFailures: so many failures of one task fail its set.
	MaxFailures int
	// MaxResultSize is spark.driver.maxResultSize in bytes, for all results of a set together; 0: no limit.
	MaxResultSize int64
	Waits         Waits
	// LegacyReset is spark.locality.wait.legacyResetOnTaskLaunch: each start of a task begins its set's wait anew.
	LegacyReset bool
	Speculation Speculation
	// Exclude says what failures exclude; the zero value: nothing.
	Exclude exclude.Config
	// UnschedulableTimeout is spark.scheduler.excludeOnFailure.unschedulableTaskSetTimeout: after it a set that nothing may run fails.
	UnschedulableTimeout time.Duration
	// DynamicAllocation: another executor can be asked for.
	DynamicAllocation bool
	// ExternalShuffle is spark.shuffle.service.enabled: map outputs outlive their executors.
	ExternalShuffle bool
	// Rack of a host, "" for none. Nil: no host has one.
	Rack   func(host string) string
	Faults Faults
}

// Faults are what Spark 4.1 does and this Scheduler does not unless it is asked to.
type Faults struct {
	// AbortsTwice: each further result over the limit fails a set that has failed.
	AbortsTwice bool
	// ResubmitsFailed: a task whose attempt failed on an executor runs again when that is lost, though another one has its output.
	ResubmitsFailed bool
}

// Scheduler has the task sets that are not over. Make one by New. It mirrors org.apache.spark.scheduler.TaskSchedulerImpl.
type Scheduler struct {
	cfg    Config
	health *exclude.Tracker
	sets   []*manager // in the order of their submission
	queue  *pools.Tree[*manager]
	live   map[int64]*attempt
	// getting are attempts that have ended on their executors, which still have their results.
	getting map[int64]*attempt
	nextID  int64
	// launched: a task was ever started.
	launched bool

	places     map[string]*place
	placeTable hashTable
	alive      int
	byHost     map[string][]*place
	byRack     map[string][]string // hosts

	out Effects
}

// New makes a Scheduler without sets. The lines say which pools there are.
func New(cfg Config) (*Scheduler, []pools.Line) {
	queue, lines := pools.New[*manager](cfg.Mode, cfg.Allocations)
	return &Scheduler{
		cfg: cfg, health: exclude.NewTracker(cfg.Exclude), queue: queue, live: map[int64]*attempt{},
		getting: map[int64]*attempt{}, places: map[string]*place{}, byHost: map[string][]*place{},
		byRack: map[string][]string{},
	}, lines
}

// Effects are what a step of the Scheduler asks of others.
type Effects struct {
	// DAG are messages for DAGScheduler, in order.
	DAG []rpcenv.Message
	// Kills are attempts to be ended.
	Kills []Kill
	// Executors are executors and nodes that are to go: they are excluded, or idle while no executor may run a set. Exclusions is what
	// failures exclude from now on, or no longer.
	Executors  []exclude.Kill
	Exclusions []exclude.Event
	// Fetch: the result that was reported is to be fetched, and given to Fetched.
	Fetch bool
	// Revive: all free cores are to be offered again.
	Revive bool
	// Aborts are sets for which AbortUnschedulable is to be called when their time has come.
	Aborts []Abort
	// Lines are for the log.
	Lines []pools.Line
}

// Kill is an attempt to be ended.
type Kill struct {
	Executor string
	TaskID   int64
	// Interrupt is Spark's: whether the task's thread is interrupted.
	Interrupt bool
	Reason    string
}

// Abort is a set that is given up at a time unless a task was started before.
type Abort struct {
	Set   SetID
	Index int32 // of the task that nothing may run
	At    time.Time
}

// effects takes what the step that ends asks of others.
func (s *Scheduler) effects() Effects {
	out := s.out
	s.out = Effects{}
	return out
}

func (s *Scheduler) tell(m rpcenv.Message) { s.out.DAG = append(s.out.DAG, m) }

func (s *Scheduler) kill(a *attempt, interrupt bool, why string) {
	s.out.Kills = append(s.out.Kills, Kill{a.executor, a.id, interrupt, why})
}

func (s *Scheduler) excluded(o exclude.Outcome) {
	s.out.Exclusions = append(s.out.Exclusions, o.Events...)
	s.out.Executors = append(s.out.Executors, o.Kills...)
}

// Submit takes a set; older ones of its stage become zombies. A set without tasks is not kept.
func (s *Scheduler) Submit(set Set, now time.Time) Effects {
	// A new attempt of a stage has all tasks that are missing; the older one only waits for its running attempts.
	for _, m := range s.of(set.ID.Stage) {
		m.zombie = true
		m.finish(now)
	}
	if len(set.Tasks) > 0 {
		m := newManager(s, set, now)
		s.sets = append(s.sets, m)
		key := pools.Key{Job: set.Job, Stage: set.ID.Stage, Attempt: set.ID.Attempt}
		m.leaf, s.out.Lines = s.queue.Add(m, key, set.Pool)
	}
	s.out.Revive = true
	return s.effects()
}

// of are the sets of a stage, by attempt.
func (s *Scheduler) of(stage int32) []*manager {
	var out []*manager
	for _, m := range s.sets {
		if m.set.ID.Stage == stage {
			out = append(out, m)
		}
	}
	return out
}

// inOrder are all sets, pool by pool.
func (s *Scheduler) inOrder() []*manager { return slices.Collect(s.queue.Sets) }

// drop forgets a set. A second time, when a result was fetched meanwhile, changes nothing.
func (s *Scheduler) drop(m *manager) {
	s.sets = slices.DeleteFunc(s.sets, func(other *manager) bool { return other == m })
	s.queue.Remove(m.leaf)
}

// Launched reports whether a task was ever started.
func (s *Scheduler) Launched() bool { return s.launched }

// Waiting reports whether a task could be started if there were cores.
func (s *Scheduler) Waiting() bool {
	return slices.ContainsFunc(s.sets, func(m *manager) bool {
		return !m.zombie && slices.ContainsFunc(m.pending.all, func(i int32) bool { return !m.states[i].done && m.states[i].copies == 0 })
	})
}

// Known reports whether an attempt runs on that executor as far as the Scheduler knows. Reports of others are to be ignored:
// they are of attempts that were given up.
func (s *Scheduler) Known(id int64, executor string) bool {
	a := s.live[id]
	return a != nil && a.executor == executor
}

// Update takes the report that an attempt changed its state. Reports of unknown attempts change nothing. It mirrors
// TaskSchedulerImpl.statusUpdate with TaskResultGetter.
func (s *Scheduler) Update(id int64, state app.TaskState, result *app.TaskResult, f *app.TaskFailure, now time.Time) Effects {
	a := s.live[id]
	if a == nil {
		return Effects{}
	}
	if !Final(state) {
		if state == app.TaskState_RUNNING {
			a.launching = false
		}
		return Effects{}
	}
	r := reasonOf(state, a.m.set.Work.Map, result, f)
	if r.Kind != KindSuccess {
		return s.failed(a, r, now)
	}
	s.end(a)
	if over := a.m.take(result); over != "" {
		a.over(over, now)
		return s.effects()
	}
	if result.GetSize() > 0 {
		s.getting[id] = a
		a.getting = now
		s.out.Fetch = true
		return s.effects()
	}
	a.succeeded(result, r, now)
	return s.effects()
}

// Fetched takes a result that Effects.Fetch asked for; nil: it is lost. The attempt may have failed meanwhile, with its executor.
// It mirrors the end of TaskResultGetter.enqueueSuccessfulTask.
func (s *Scheduler) Fetched(id int64, result *app.TaskResult, now time.Time) Effects {
	a := s.getting[id]
	if a == nil {
		return Effects{}
	}
	delete(s.getting, id)
	if result != nil {
		a.succeeded(result, success, now)
		return s.effects()
	}
	a.failed(resultLost, now)
	s.revive(a)
	return s.effects()
}

// revive offers free cores again if the task of a failed attempt is to be tried once more.
func (s *Scheduler) revive(a *attempt) {
	s.out.Revive = !a.m.zombie && !a.m.states[a.index].done
}

// failed takes the failure that an executor reports. Its task may start elsewhere at once.
func (s *Scheduler) failed(a *attempt, r Reason, now time.Time) Effects {
	s.end(a)
	a.failed(r, now)
	s.revive(a)
	return s.effects()
}

// over drops a result that exceeds the limit: its attempt counts as killed, and its set fails.
func (a *attempt) over(why string, now time.Time) {
	a.m.zombie = true // first, so that the end of the attempt decides nothing else about the set
	r := killed("Tasks result size has exceeded maxResultSize")
	a.failed(r, now)
	a.m.s.tell(TaskSetFailed{Set: a.m.set.ID, Reason: why, Cause: r})
}

// end takes an attempt that is live out of the books of what runs. Its executor is alive: the loss of one gives up its attempts.
func (s *Scheduler) end(a *attempt) {
	delete(s.live, a.id)
	s.places[a.executor].running--
	a.stopped()
}

// Final reports whether a state is the end of an attempt.
func Final(s app.TaskState) bool {
	return s == app.TaskState_FINISHED || s == app.TaskState_FAILED || s == app.TaskState_KILLED || s == app.TaskState_TASK_LOST
}

// Abort ends an attempt that is too large to be sent, and its set with it.
func (s *Scheduler) Abort(id int64, why string, now time.Time) Effects {
	a := s.live[id]
	if a == nil {
		return Effects{}
	}
	r := Reason{Kind: KindTaskTooLarge, Text: why}
	if a.m.zombie { // another attempt was too large before
		r = killed("Stage cancelled")
	}
	s.end(a)
	a.failed(r, now)
	return s.effects()
}

// Cancel makes the sets of a stage zombies and names their attempts to be killed. These stay known until they report. It mirrors
// TaskSchedulerImpl.killAllTaskAttempts.
func (s *Scheduler) Cancel(stage int32, interrupt bool, why string, now time.Time) Effects {
	for _, m := range s.of(stage) {
		running := slices.Clone(m.running)
		m.pace.runs.sortAttempts(running)
		for _, a := range running {
			s.kill(a, interrupt, why)
		}
		m.zombie = true
		m.finish(now)
	}
	return s.effects()
}

// PartitionCompleted tells the sets of a stage that a partition needs no task any more: another attempt of the stage brought it.
// It mirrors TaskSchedulerImpl.handlePartitionCompleted.
func (s *Scheduler) PartitionCompleted(stage, partition int32, now time.Time) Effects {
	for _, m := range s.of(stage) {
		if at, ok := m.set.find(partition); ok && !m.zombie {
			m.complete(at)
			m.finish(now)
		}
	}
	return s.effects()
}
