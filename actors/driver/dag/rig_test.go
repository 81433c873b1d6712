package dag

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/driver/commit"
	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/mapoutput"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/trace"
)

// rig is a DAGScheduler whose CoarseGrainedScheduler, MapOutputTracker, listener and program the test plays.
type rig struct {
	*rpctest.World
	t         *testing.T
	scheduler *rpctest.Probe
	ref       rpcenv.Ref
	fs        rdd.FS

	sets      []tasks.Set // that were submitted
	ends      []event.TaskEnd
	forgotten []int32
	started   []event.JobStart
	posted    []rpcenv.Message                          // to the bus of a busRig
	heard     []string                                  // by all, since the last want; the letter names the receiver
	asked     int                                       // jobs
	slots     int                                       // of a barrierRig
	whenAsked func(*rpcenv.Context, tasks.RequestSlots) // answers instead; nil: at once, with slots
	bad       []error                                   // of the jobs that failed
	action    rdd.Action                                // of the jobs; "": collect
	node      int                                       // that jobs of rdd.ActionCheckpoint write
	marked    []Checkpoint                              // that the jobs which ended well have asked for
}

func newRig(t *testing.T, values map[string]string) *rig {
	t.Helper()
	return newRigWith(t, values, rdd.MemFS{"text": []byte("a\nb\nc\n")}, func(*Config) {})
}

// newRigWith is newRig with another file system and a Config that is changed.
func newRigWith(t *testing.T, values map[string]string, fs rdd.FS, change func(*Config)) *rig {
	t.Helper()
	c, err := conf.New(values)
	if err != nil {
		t.Fatal(err)
	}
	w := rpctest.New(t, 1)
	w.NoPanic()
	env := w.Env("Driver", c)
	r := &rig{World: w, t: t, fs: fs, scheduler: w.ProbeIn(env, "CoarseGrainedScheduler")}
	tracker, listener := w.ProbeIn(env, "MapOutputTracker"), w.ProbeIn(env, "Listener")
	r.scheduler.On(r.hear("S"))
	tracker.On(r.hear("T"))
	listener.On(r.hear("L"))
	commits := w.ProbeIn(env, commit.Name)
	commits.On(r.hear("C"))
	cfg := Config{Scheduler: r.scheduler.Ref, Tracker: tracker.Ref, Commits: commits.Ref, Listeners: []rpcenv.Ref{listener.Ref}, FS: fs}
	change(&cfg)
	r.ref = w.Register(env, Name, New(cfg))
	r.Settle()
	return r
}

func (r *rig) hear(name string) func(*rpcenv.Context, rpcenv.Message) bool {
	return func(_ *rpcenv.Context, m rpcenv.Message) bool {
		switch m := m.(type) {
		case tasks.SubmitTasks:
			r.sets = append(r.sets, m.Set)
		case event.TaskEnd:
			r.ends = append(r.ends, m)
			return true
		case event.JobStart:
			r.started = append(r.started, m)
		case event.ShuffleForgotten: // with each UnregisterShuffle
			r.forgotten = append(r.forgotten, m.Shuffle)
			return true
		}
		r.heard = append(r.heard, name+": "+text(m))
		return true
	}
}

// text is a message in words, but for the end of a task and what a set has beside its partitions.
func text(m rpcenv.Message) string {
	switch m := m.(type) {
	case tasks.SubmitTasks:
		var partitions []int32
		for _, t := range m.Set.Tasks {
			partitions = append(partitions, t.Partition)
		}
		return fmt.Sprintf("submit %s %v", m.Set.ID, partitions)
	case tasks.PartitionCompleted:
		return fmt.Sprintf("partition %d/%d is there", m.Stage, m.Partition)
	case tasks.CancelTasks:
		text := fmt.Sprintf("cancel %d: %s", m.Stage, m.Reason)
		if m.Interrupt {
			text += ", interrupted"
		}
		return text
	case mapoutput.RegisterShuffle:
		return fmt.Sprintf("shuffle %d of %d", m.Shuffle, m.Maps)
	case mapoutput.RegisterMapOutput:
		return fmt.Sprintf("output %d/%d at %s", m.Shuffle, m.MapIndex, m.Status.GetLocation().GetExecutorId())
	case mapoutput.UpdateMapOutput:
		return fmt.Sprintf("move %d of %d/%d to %s", m.MapID, m.Shuffle, m.MapIndex, m.Location.GetExecutorId())
	case mapoutput.UnregisterMapOutput:
		return fmt.Sprintf("drop %d/%d at %s, epoch %d", m.Shuffle, m.MapIndex, m.Executor, m.Epoch)
	case mapoutput.RemoveOutputsOnExecutor:
		return fmt.Sprintf("drop all at %s, epoch %d", m.Executor, m.Epoch)
	case mapoutput.UnregisterAllMapOutput:
		return fmt.Sprintf("drop all of %d, epoch %d", m.Shuffle, m.Epoch)
	case mapoutput.RemoveOutputsOnHost:
		return fmt.Sprintf("drop all on %s, epoch %d", m.Host, m.Epoch)
	case mapoutput.IncrementEpoch:
		return fmt.Sprintf("epoch %d", m.Epoch)
	case mapoutput.UnregisterShuffle:
		return fmt.Sprintf("forget %d", m.Shuffle)
	case commit.StageStart:
		return fmt.Sprintf("stage %d of %d", m.Stage, m.Partitions)
	case commit.StageEnd:
		return fmt.Sprintf("stage %d ends", m.Stage)
	case commit.TaskCompleted:
		return fmt.Sprintf("attempt %d of %d in %d.%d failed", m.Attempt, m.Partition, m.Stage, m.StageAttempt)
	case event.JobStart:
		return fmt.Sprintf("job %d %s of stages %v", m.JobID, m.Name, m.Stages)
	case event.JobEnd:
		return fmt.Sprintf("job %d ends: %v", m.JobID, m.Err)
	case event.StageSubmitted:
		writes := "results"
		if m.Shuffle != nil {
			writes = fmt.Sprintf("shuffle %d", *m.Shuffle)
		}
		return fmt.Sprintf("job %d stage %d.%d: %d tasks for %s", m.JobID, m.StageID, m.Attempt, m.Tasks, writes)
	case event.StageCompleted:
		return fmt.Sprintf("job %d stage %d.%d ends: %s", m.JobID, m.StageID, m.Attempt, m.Failure)
	}
	return fmt.Sprintf("%T", m)
}

// want is what was heard since the last want: by CoarseGrainedScheduler (S), MapOutputTracker (T), OutputCommitCoordinator (C), the
// listener (L) and the program (P), in the order of each.
func (r *rig) want(want ...string) {
	r.t.Helper()
	r.Settle()
	byHearer := func(a, b string) int { return strings.Compare(a[:1], b[:1]) }
	slices.SortStableFunc(r.heard, byHearer)
	slices.SortStableFunc(want, byHearer)
	if !slices.Equal(r.heard, want) {
		r.t.Errorf("heard\n  %s\nwant\n  %s", strings.Join(r.heard, "\n  "), strings.Join(want, "\n  "))
	}
	r.heard = nil
}

// forget is want of what another test says.
func (r *rig) forget() {
	r.Settle()
	r.heard = nil
}

// submit begins a job.
func submit[T any](r *rig, b rdd.Bound[T]) {
	r.t.Helper()
	inv, err := b.Invocation()
	if err != nil {
		r.t.Fatal(err)
	}
	r.scheduler.Do(func(c *rpcenv.Context) { r.ask(c, inv) })
	r.Settle()
}

// ask notes the answer of a job under the number of its asking.
func (r *rig) ask(c *rpcenv.Context, inv rdd.Invocation) {
	n := r.asked
	r.asked++
	rpcenv.Ask(c, r.ref, JobSubmitted{JobID: int32(n), Invocation: inv, Action: cmp.Or(r.action, rdd.ActionCollect), Node: r.node}, func(res JobResult, err error) {
		if err != nil {
			r.bad = append(r.bad, err)
			r.heard = append(r.heard, fmt.Sprintf("P: job %d: %v", n, err))
			return
		}
		r.heard = append(r.heard, fmt.Sprintf("P: job %d: %v", n, res.Results))
		r.marked = append(r.marked, res.Checkpoints...)
		if len(res.Accumulated) > 0 {
			r.heard = append(r.heard, fmt.Sprintf("P: job %d accumulated %s", n, res.Accumulated))
		}
	})
}

// tell sends messages to the DAGScheduler.
func (r *rig) tell(all ...rpcenv.Message) {
	r.t.Helper()
	r.scheduler.Do(func(c *rpcenv.Context) {
		for _, m := range all {
			c.Send(r.ref, m)
		}
	})
	r.Settle()
}

func end(stage, attempt, partition int32, executor string, why tasks.Reason) tasks.CompletionEvent {
	return tasks.CompletionEvent{
		Set: tasks.SetID{Stage: stage, Attempt: attempt}, Index: partition, Partition: partition, Executor: executor, Reason: why,
	}
}

// mapped is the success of a map task that was made in epoch.
func mapped(stage, attempt, partition int32, executor string, epoch int64) tasks.CompletionEvent {
	e := end(stage, attempt, partition, executor, tasks.Reason{Kind: tasks.KindSuccess})
	e.Epoch = epoch
	e.Result = &app.TaskResult{MapStatus: &storage.MapStatus{Location: &storage.BlockManagerId{ExecutorId: executor}}}
	return e
}

// result is the success of a task that brings its partition's number as its count.
func result(stage, attempt, partition int32) tasks.CompletionEvent {
	e := end(stage, attempt, partition, "r", tasks.Reason{Kind: tasks.KindSuccess})
	e.Result = &app.TaskResult{Count: int64(partition), Records: fmt.Append(nil, partition)}
	return e
}

// missed is a task's failure to fetch an output, with the reason "gone".
func missed(stage, attempt, partition, shuffle, index int32, at string, epoch int64) tasks.CompletionEvent {
	f := &tasks.FetchFailure{Shuffle: shuffle, MapIndex: index}
	if at != "" {
		f.From = &storage.BlockManagerId{ExecutorId: at}
	}
	e := end(stage, attempt, partition, "r", tasks.Reason{Kind: tasks.KindFetchFailed, Text: "gone", Fetch: f})
	e.Epoch = epoch
	return e
}

// states are the changes of stages that the trace has.
func (r *rig) states() []string {
	var out []string
	for _, e := range r.Trace().Entries {
		if e.K == trace.KindState && trace.EndpointOf(e.At) == Name {
			out = append(out, fmt.Sprintf("%s %s: %s to %s, %s", e.Name, e.Subject, e.Was, e.Is, e.Why))
		}
	}
	return out
}

// failed checks the failure of the nth job that failed.
func (r *rig) failed(n int, want JobError) {
	r.t.Helper()
	if n >= len(r.bad) {
		r.t.Fatalf("%d jobs failed", len(r.bad))
	}
	if e, ok := errors.AsType[*JobError](r.bad[n]); !ok || *e != want {
		r.t.Errorf("%#v, want %+v", r.bad[n], want)
	}
}
