package executor_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// made and mapped count what user code does: lineages that were made of counted and wrong, and records that counted mapped.
var made, mapped atomic.Int64

const manyRecords = 1_000_000

var (
	counted = rdd.Define("executor test: counted", func(none) rdd.Dataset[int64] {
		made.Add(1)
		return rdd.Filter(rdd.Range(0, manyRecords, 1), func(int64) bool { mapped.Add(1); return false })
	})
	wrong = rdd.Define("executor test: wrong", func(fails bool) rdd.Dataset[int64] {
		if made.Add(1); fails {
			panic("no lineage")
		}
		return rdd.Range(0, 1, 1)
	})
	lines = rdd.Define("executor test: lines", func(none) rdd.Dataset[string] { return rdd.TextFile("/text", 1) })
	twice = rdd.Define("executor test: twice", func(none) rdd.Dataset[rdd.Pair[int64, int64]] {
		one := func(n int64) rdd.Pair[int64, int64] { return rdd.PairOf(n%2, int64(1)) }
		sum := func(a, b int64) int64 { return a + b }
		again := func(p rdd.Pair[int64, int64]) rdd.Pair[int64, int64] { return rdd.PairOf(p.Value, p.Key) }
		return rdd.ReduceByKey(rdd.Map(rdd.ReduceByKey(rdd.Map(rdd.Range(0, 10, 2), one), sum, 1), again), sum, 1)
	})
)

// atOnce lets what the driver sends meanwhile come to the executor at one moment, while it handles the first of it.
func (r *rig) atOnce(send func()) {
	r.Cost("Exec0/"+executor.Name, "LaunchTask", time.Millisecond)
	r.exec.Pause()
	send()
	r.Advance(100 * time.Millisecond)
	r.exec.Resume()
}

// send sends a task and waits for nothing.
func (r *rig) send(d *app.TaskDescription) {
	d.ExecutorId = "0"
	r.driver.Send(r.ref, &app.LaunchTask{Data: d})
}

// ended waits for the ends of tasks and gives them as text, in the order of the tasks.
func (r *rig) ended(n int) (out []string) {
	r.t.Helper()
	for len(out) < n {
		if u := r.end(); u.GetState() != app.TaskState_RUNNING {
			out = append(out, fmt.Sprintf("%d %s %s", u.GetTaskId(), u.GetState(), u.GetFailure().GetKind()))
		}
	}
	slices.Sort(out)
	return out
}

func (r *rig) wantEnded(want ...string) {
	r.t.Helper()
	if got := r.ended(len(want)); !slices.Equal(got, want) {
		r.t.Errorf("ended %q, want %q", got, want)
	}
}

// asked is how often the tracker was asked for map outputs.
func (r *rig) asked() (n int) {
	for _, m := range r.heard {
		if strings.HasPrefix(m, "MapOutputTracker GetMapOutputStatuses{") {
			n++
		}
	}
	return n
}

// madeFor is how often a lineage is made for two tasks at once and a later one, each of which has that end.
func (r *rig) madeFor(end string, first, second, later *app.TaskDescription) int64 {
	r.t.Helper()
	before := made.Load()
	r.atOnce(func() {
		r.send(first)
		r.send(second)
	})
	r.wantEnded("1 "+end, "2 "+end)
	r.send(later)
	r.wantEnded("3 " + end)
	return made.Load() - before
}

func TestALineageIsMadeOnceAJobOutsideTheInbox(t *testing.T) {
	r := newRig(t)
	right := func(id int64) *app.TaskDescription { return task(t, wrong.With(false), id) }
	if n := r.madeFor("FINISHED ", right(1), right(2), right(3)); n != 1 {
		t.Errorf("the lineage was made %d times", n)
	}
}

func TestALineageThatCannotBeMadeFailsAllThatWaitAndIsTriedAgain(t *testing.T) {
	r := newRig(t)
	broken := func(id int64) *app.TaskDescription {
		d := task(t, wrong.With(false), id)
		inv, _ := wrong.With(true).Invocation()
		d.JobArgs = inv.Args
		return d
	}
	if n := r.madeFor("FAILED ExceptionFailure", broken(1), broken(2), broken(3)); n != 2 {
		t.Errorf("the lineage was tried %d times", n)
	}
}

func TestAPanicOfUserCodeHasItsStack(t *testing.T) {
	r := newRig(t)
	r.launch(task(t, panics.With(none{}), 1))
	if f := r.end().GetFailure(); !strings.Contains(f.GetStack(), "goroutine") || !strings.HasSuffix(f.GetMessage(), "panicked: no such number") {
		t.Error(f)
	}
	d := task(t, panicsMapping.With(none{}), 1)
	d.Node, d.ShuffleId, d.Shuffles, d.Action = 1, new(int32), []int32{0}, ""
	r.launch(d)
	if f := r.end().GetFailure(); !strings.Contains(f.GetStack(), "goroutine") || !strings.HasSuffix(f.GetMessage(), "panicked: no such number") {
		t.Error("the map side:", f)
	}
	r.launch(task(t, wrong.With(false), 1))
	if f := r.end().GetFailure(); f != nil {
		t.Error(f)
	}
}

func TestATaskThatIsKilledBeforeItWorksDoesNot(t *testing.T) {
	r := newRig(t)
	d := task(t, counted.With(none{}), 1)
	before := mapped.Load()
	r.atOnce(func() {
		r.send(d)
		r.driver.Send(r.ref, &app.KillTask{TaskId: 1})
	})
	r.wantEnded("1 KILLED TaskKilled")
	if n := mapped.Load() - before; n >= manyRecords {
		t.Errorf("it mapped %d records", n)
	}
	if last := r.heard[len(r.heard)-1]; last != `CoarseGrainedScheduler StatusUpdate{executor_id:"0" task_id:1 state:KILLED task_cpus:1 failure:{kind:"TaskKilled" message:"killed"}}` {
		t.Errorf("the driver heard %s", last)
	}
	// One that is not killed does.
	r.send(task(t, counted.With(none{}), 2))
	r.wantEnded("2 FINISHED ")
	if n := mapped.Load() - before; n < manyRecords {
		t.Errorf("it mapped %d records", n)
	}
}

func TestAKillEndsATaskAtOnce(t *testing.T) {
	r := newRig(t)
	r.launch(task(t, sleeps.With(none{}), 1))
	r.Advance(time.Minute)
	began := r.Now()
	r.driver.Send(r.ref, &app.KillTask{TaskId: 2})
	r.driver.Send(r.ref, &app.KillTask{TaskId: 1, Reason: "no longer wanted"})
	r.wantEnded("1 KILLED TaskKilled")
	if took := r.Now().Sub(began); took > time.Second {
		t.Errorf("it ended after %s", took)
	}
}

// A task that waits for map outputs ends without them: the driver waits for its core. The answer then starts nothing.
func TestAKillEndsATaskThatWaitsForMapOutputs(t *testing.T) {
	r := newRig(t)
	r.hold = true
	r.send(reduceTask(t, 1))
	r.send(reduceTask(t, 2))
	r.driver.Send(r.ref, &app.KillTask{TaskId: 1, Reason: "no longer wanted"})
	r.wantEnded("1 KILLED TaskKilled")
	r.atOnce(func() { r.tracker.Do(func(*rpcenv.Context) { r.held.Reply(&storagepb.MapOutputStatuses{}) }) })
	r.wantEnded("2 FINISHED ")
}

func TestATaskReadsItsSplitOfAFile(t *testing.T) {
	fs := rdd.MemFS{"/text": []byte("one\ntwo\n")}
	r := bootRig(t, nil, func(_ *rig, x *executor.Boot) { x.IO.FS = fs })
	r.expect(&app.LaunchedExecutor{})
	d := task(t, lines.With(none{}), 1)
	inv, err := lines.With(none{}).Invocation()
	if err != nil {
		t.Fatal(err)
	}
	splits, err := inv.Lineage.Splits(fs, 0)
	if err != nil {
		t.Fatal(err)
	}
	d.Split = splits[0]
	r.launch(d)
	r.end()
	if last := r.heard[len(r.heard)-1]; last != `CoarseGrainedScheduler StatusUpdate{executor_id:"0" task_id:1 state:FINISHED task_cpus:1 result:{records:"\x03one\x03two" count:2 bytes_read:8 records_read:2}}` {
		t.Errorf("the driver heard %s", last)
	}
}

func TestATaskIsOfAnyNodeOfItsJobAndOfNoOther(t *testing.T) {
	r := newRig(t)
	for node, want := range map[int32]string{
		0:  `state:FAILED task_cpus:1 failure:{kind:"BadJob" message:"rdd: bad task: the result of job executor test: squares is node 1, not 0"}`,
		1:  `state:FINISHED task_cpus:1 result:{records:"\x00\x02\x08\x12 " count:5}`,
		2:  `state:FAILED task_cpus:1 failure:{kind:"BadJob" message:"rdd: bad task: job executor test: squares has no node 2"}`,
		-1: `state:FAILED task_cpus:1 failure:{kind:"BadJob" message:"rdd: bad task: job executor test: squares has no node -1"}`,
	} {
		d := task(t, squares.With(none{}), 1)
		d.Node = node
		r.launch(d)
		r.end()
		if last := r.heard[len(r.heard)-1]; last != `CoarseGrainedScheduler StatusUpdate{executor_id:"0" task_id:1 `+want+"}" {
			t.Errorf("node %d: the driver heard %s", node, last)
		}
	}
}

func TestAShuffleWithoutAnIdIsABadTask(t *testing.T) {
	r := newRig(t)
	d := task(t, twice.With(none{}), 1)
	d.Shuffles = []int32{4} // of two
	r.launch(d)
	if f := r.end().GetFailure(); f.GetKind() != "BadJob" || f.GetMessage() != "rdd: bad task: shuffle 1 of task has no id" {
		t.Error(f)
	}
	d = mapTask(t, 2, 0)
	d.Shuffles = []int32{5}
	r.launch(d)
	if f := r.end().GetFailure(); f.GetKind() != "BadJob" || f.GetMessage() != "rdd: bad task: task writes shuffle 4, which its job does not have" {
		t.Error(f)
	}
}

// A task that comes just after the registration, before the executor has a block manager.
func earlyTask(t *testing.T, settings ...*app.Property) *rig {
	return bootRig(t, nil, func(r *rig, _ *executor.Boot) {
		r.driver.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
			if q, ok := m.(*app.RegisterExecutor); ok {
				r.ref = c.Ref(q.GetExecutorRef())
				rpcenv.Reply(c, q, &rpc.Bool{Value: true})
				c.Send(r.ref, &app.LaunchTask{Data: task(t, squares.With(none{}), 1)})
				return true
			}
			return r.answer(c, m)
		})
	}, settings...)
}

func TestATaskThatComesBeforeTheExecutorIsReadyIsRun(t *testing.T) {
	r := earlyTask(t)
	r.Advance(time.Second)
	want := []string{"RUNNING", "FINISHED"}
	for _, m := range r.heard {
		if strings.Contains(m, "StatusUpdate{") && len(want) > 0 && strings.Contains(m, want[0]) {
			want = want[1:]
		}
	}
	if len(want) > 0 {
		t.Errorf("the driver heard %q", r.heard)
	}
}

// SPARK-13112, for study: the executor was made only then.
func TestATaskThatComesBeforeTheExecutorIsReadyEndsItInSparksOldWay(t *testing.T) {
	old := &app.Property{Key: "coherer.compat", Value: "SPARK-13112"}
	r := earlyTask(t, old)
	if code := r.exited(); code != 1 {
		t.Errorf("exit code %d", code)
	}
	r.wantRemoved("Received LaunchTask command but executor was null")
	r = startRig(t, nil, old)
	r.expect(&app.LaunchedExecutor{})
	r.launch(task(t, squares.With(none{}), 1))
	r.wantEnded("1 FINISHED ")
}
