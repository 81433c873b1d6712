package driver_test

import (
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func TestTheSchedulerOwnsTheTaskSetsToo(t *testing.T) {
	r := newRig(t, nil)
	e := r.launched("0", 1)
	set := tasks.Set{ID: tasks.SetID{Stage: 7}, Tasks: []tasks.Task{{Partition: 3}}}
	r.events.Send(r.at(driver.Name), tasks.SubmitTasks{Set: set})
	if m := e.task(); m.GetStageId() != 7 || m.GetPartitionId() != 3 {
		t.Errorf("got %v", m)
	}
}

func TestAReportOfAnAttemptThatIsOverFreesNoCores(t *testing.T) {
	r := newRig(t, nil)
	run(r, numbers.With(9))
	e := r.launched("0", 1)
	first := e.task()
	e.finish(first)
	e.task()
	e.finish(first)
	e.Quiet(5 * time.Second) // the second task has the one core
}

// Spark gives up what lies on a lost Worker's host, here also the outputs of executor 1.
func TestALostWorkerLeavesTheOutputsOfOthersOnItsHost(t *testing.T) {
	r := newRig(t, nil)
	j := run(r, words.With([]string{"a b", "c"}))
	a, b := r.launchedOn("0", "host"), r.launchedOn("1", "host")
	lost := a.task()
	a.finish(lost)
	b.finish(b.task())
	a.task()
	reduce := b.task()
	id := int32(0)
	r.tell(&deploy.ExecutorUpdated{Id: &id, State: deploy.ExecutorState_LOST, WorkerHost: proto.String("host")})
	r.tell(&deploy.WorkerRemoved{Id: "worker", Host: "host", Message: "gone"})
	r.Advance(time.Second)
	b.update(reduce, app.TaskState_FAILED, nil, &app.TaskFailure{
		Kind: "FetchFailed", MapIndex: lost.GetIndex(), BlockManager: a.blockManager(), Message: "gone",
	})
	var again []string
	for len(again) < 3 {
		m := b.task()
		if m.GetStageId() == 1 && m.GetStageAttempt() == 0 { // of the attempt that is over
			b.update(m, app.TaskState_FAILED, nil, &app.TaskFailure{Kind: "FetchFailed", MapIndex: lost.GetIndex(), Message: "gone"})
			continue
		}
		again = append(again, m.GetName()[:len("task 0.0 in stage 0.1")])
		b.finish(m)
	}
	if want := []string{"task 0.0 in stage 0.1", "task 0.0 in stage 1.1", "task 1.0 in stage 1.1"}; !slices.Equal(again, want) {
		t.Errorf("ran again: %q, want one map task alone", again)
	}
	j.counts()
}

// launchedOn makes an executor of one core on a host that others may share.
func (r *rig) launchedOn(id, host string) *executor {
	r.t.Helper()
	e := r.newExecutor(id)
	q := &app.RegisterExecutor{ExecutorId: id, ExecutorRef: &rpc.EndpointRef{Name: "Executor"}, Hostname: host, Cores: 1}
	if _, err := rpctest.Ask[*rpc.Bool](e.Probe, r.at(driver.Name), q); err != nil {
		r.t.Fatal(err)
	}
	e.Send(r.at(driver.Name), &app.LaunchedExecutor{ExecutorId: id})
	return e
}

// In Spark the second job finds the outputs of a shuffle that its datasets share with the first.
func TestJobsShareNoStages(t *testing.T) {
	r := newRig(t, nil)
	r.launched("0", 1).work()
	bound := words.With([]string{"a b", "c"})
	run(r, bound).counts()
	run(r, bound).counts()
	if n := r.count("StageSubmitted"); n != 4 {
		t.Errorf("%d stages ran, want two for each job", n)
	}
	q := &storage.GetMapOutputStatuses{ShuffleId: proto.Int32(0)}
	if _, err := rpctest.Ask[*storage.MapOutputStatuses](r.events, r.at("MapOutputTracker"), q); err == nil {
		t.Error("the shuffle of a job that is over is still known")
	}
}

// countedFS counts the files that were opened.
type countedFS struct {
	rdd.FS
	opened int
}

func (f *countedFS) Open(path string) (rdd.File, error) {
	f.opened++
	return f.FS.Open(path)
}

var lines = rdd.Define("driver-test-lines", func(path string) rdd.Dataset[rdd.Pair[string, int64]] {
	ones := rdd.Map(rdd.TextFile(path, 2), func(l string) rdd.Pair[string, int64] { return rdd.PairOf(l, int64(1)) })
	return rdd.ReduceByKey(ones, func(a, b int64) int64 { return a + b }, 2)
})

func TestFilesAreSplitOnceBeforeTheJobStarts(t *testing.T) {
	fs := &countedFS{FS: rdd.MemFS{"text": []byte("a\nb\nc\n")}}
	r := newRigOver(t, 1, nil, fs)
	j := run(r, lines.With("text"))
	e := r.launched("0", 1)
	first := e.task()
	if fs.opened != 1 || len(first.GetSplit()) == 0 {
		t.Errorf("at the first task the file was opened %d times; its split is %v", fs.opened, first.GetSplit())
	}
	e.finish(first)
	e.work()
	j.counts()
	if fs.opened != 1 {
		t.Errorf("the file was opened %d times", fs.opened)
	}
}
