package executor_test

import (
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

func TestItRegistersItsBlockManagerBeforeItTakesTasks(t *testing.T) {
	r := newRig(t)
	if r.managers != 1 {
		t.Errorf("%d registrations of the block manager before LaunchedExecutor", r.managers)
	}
}

func TestARefusedRegistrationEndsTheProcess(t *testing.T) {
	r := startRig(t, rpcenv.NewRefusal("test.duplicate", "Duplicate executor ID: 0"))
	if code := r.exited(); code != 1 {
		t.Errorf("exit code %d", code)
	}
}

func TestATaskSendsRunningThenFinishedWithItsRecords(t *testing.T) {
	r := newRig(t)
	d := task(t, squares.With(none{}), 7)
	d.PartitionId = 1
	r.launch(d)
	u := r.end()
	if u.GetState() != app.TaskState_FINISHED || u.GetTaskId() != 7 || u.GetResult().GetCount() != 5 {
		t.Error(u)
	}
}

func TestAPanicOfUserCodeFailsTheTaskAndNothingElse(t *testing.T) {
	r := newRig(t)
	r.launch(task(t, panics.With(none{}), 1))
	u := r.end()
	if u.GetState() != app.TaskState_FAILED || u.GetFailure().GetKind() != "ExceptionFailure" || !strings.Contains(u.GetFailure().GetMessage(), "no such number") {
		t.Error(u)
	}
	r.launch(task(t, squares.With(none{}), 2))
	if u := r.end(); u.GetState() != app.TaskState_FINISHED {
		t.Error("the next task:", u)
	}
}

func TestALineageThatDiffersFailsWithItsLines(t *testing.T) {
	r := newRig(t)
	for id := range int64(2) { // it is not kept for the next task
		d := task(t, squares.With(none{}), id)
		d.JobDigest = "other"
		r.launch(d)
		u := r.end()
		if f := u.GetFailure(); f.GetKind() != "LineageDiffers" || len(f.GetLineage()) != 3 || !strings.Contains(f.GetLineage()[1], "Range") ||
			strings.Contains(f.GetMessage(), "\n") {
			t.Error(u)
		}
	}
}

func TestAnUnknownJobFails(t *testing.T) {
	r := newRig(t)
	d := task(t, squares.With(none{}), 1)
	d.Job = "nobody defined this"
	r.launch(d)
	u := r.end()
	if f := u.GetFailure(); u.GetState() != app.TaskState_FAILED || f.GetKind() != "BadJob" || !strings.Contains(f.GetMessage(), "nobody defined this") {
		t.Error(u)
	}
}

func TestWhatEachExecutorWouldMeetIsABadJob(t *testing.T) {
	r := newRig(t)
	for name, spoil := range map[string]func(*app.TaskDescription){
		"arguments":  func(d *app.TaskDescription) { d.JobArgs = []byte("damaged") },
		"node":       func(d *app.TaskDescription) { d.Node = 99 },
		"partition":  func(d *app.TaskDescription) { d.PartitionId = 99 },
		"action":     func(d *app.TaskDescription) { d.Action = "dance" },
		"shuffle id": func(d *app.TaskDescription) { d.ShuffleId = new(int32) },
	} {
		d := task(t, squares.With(none{}), 1)
		spoil(d)
		r.launch(d)
		if u := r.end(); u.GetFailure().GetKind() != "BadJob" {
			t.Errorf("%s: %v", name, u)
		}
	}
}

// A large result lies at the executor until the driver has it.
func TestALargeResultIsABlockUntilTheDriverRemovesIt(t *testing.T) {
	r := newRig(t)
	r.launch(task(t, large.With(1<<20), 1))
	res := r.end().GetResult()
	const id = "taskresult_1"
	if at := res.GetBlockManager(); res.GetSize() != int64(len(r.blocks.own[id])) || res.GetSize() <= 1<<20 || res.Records != nil || res.GetCount() != 1 ||
		at.GetExecutorId() != "0" || at.GetHost() != "10.0.0.2" || at.GetPort() != 1 {
		t.Errorf("the driver heard of %d bytes at %v, with %d in the message; there are %d", res.GetSize(), at, len(res.GetRecords()), len(r.blocks.own[id]))
	}
	for range 2 { // a second time it is not there any more
		r.driver.Send(r.ref, &storage.RemoveBlock{BlockId: id})
		r.Settle()
		if _, ok := r.blocks.own[id]; ok {
			t.Error("the block is still there")
		}
	}
}

func TestADuplicateLaunchIsIgnored(t *testing.T) {
	r := newRig(t)
	r.launch(task(t, sleeps.With(none{}), 1))
	r.driver.Send(r.ref, &app.LaunchTask{Data: task(t, sleeps.With(none{}), 1)})
	r.driver.Quiet(time.Second)
}

func TestAKilledTaskReportsKilledWithTheReason(t *testing.T) {
	r := newRig(t)
	r.launch(task(t, sleeps.With(none{}), 1))
	r.driver.Send(r.ref, &app.KillTask{TaskId: 1, Executor: "0", Reason: "Stage cancelled"})
	if u := r.end(); u.GetState() != app.TaskState_KILLED || u.GetFailure().GetMessage() != "Stage cancelled" {
		t.Error(u)
	}
	r.driver.Send(r.ref, &app.KillTask{TaskId: 99}) // unknown: nothing
	r.driver.Quiet(time.Second)
}

// mapTask is the map side of parities for one partition.
func mapTask(t *testing.T, id int64, partition int32) *app.TaskDescription {
	d := task(t, parities.With(none{}), id)
	shuffle := int32(4)
	d.Node, d.ShuffleId, d.Shuffles, d.PartitionId, d.Action = 1, &shuffle, []int32{4}, partition, ""
	return d
}

// reduceTask is the reduce side of parities.
func reduceTask(t *testing.T, id int64) *app.TaskDescription {
	d := task(t, parities.With(none{}), id)
	d.Shuffles = []int32{4}
	return d
}

func TestAShuffleReadsItsOwnBlocksAndThoseOfOthers(t *testing.T) {
	r := newRig(t)
	for i := range int32(2) {
		r.launch(mapTask(t, int64(i), i))
		u := r.end()
		if u.GetResult().GetMapStatus() == nil {
			t.Fatal(u)
		}
		r.outputs = append(r.outputs, u.GetResult().GetMapStatus())
	}
	// The second output lies with another executor.
	r.blocks.others[9] = map[string][]byte{"shuffle_4_1_0": r.blocks.own["shuffle_4_1_0"]}
	delete(r.blocks.own, "shuffle_4_1_0")
	r.outputs[1].Location = &storage.BlockManagerId{ExecutorId: "1", Host: "10.0.0.3", Port: 9}
	r.launch(reduceTask(t, 5))
	if u := r.end(); u.GetState() != app.TaskState_FINISHED || u.GetResult().GetCount() != 2 {
		t.Fatal(u)
	}
	// The locations are asked for once.
	r.launch(reduceTask(t, 6))
	r.end()
	asked := 0
	for _, m := range r.tracker.Waiting() {
		if _, ok := m.(*storage.GetMapOutputStatuses); ok {
			asked++
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times for the map outputs", asked)
	}
}

func TestAMapOutputThatCannotBeHadIsFetchFailed(t *testing.T) {
	r := newRig(t)
	r.launch(mapTask(t, 0, 0))
	r.outputs = []*storage.MapStatus{r.end().GetResult().GetMapStatus(), {
		Location: &storage.BlockManagerId{ExecutorId: "1", Host: "10.0.0.3", Port: 9}, Sizes: []int64{10}, MapId: 1,
	}}
	r.launch(reduceTask(t, 5))
	f := r.end().GetFailure()
	if f.GetKind() != "FetchFailed" || f.GetShuffleId() != 4 || f.GetMapIndex() != 1 || f.GetBlockManager().GetExecutorId() != "1" {
		t.Error(f)
	}
}

func TestAMapOutputWithoutALocationIsFetchFailedOfNobody(t *testing.T) {
	r := newRig(t)
	r.outputs = []*storage.MapStatus{{}, {}}
	r.launch(reduceTask(t, 5))
	if f := r.end().GetFailure(); f.GetKind() != "FetchFailed" || f.GetMapIndex() != -1 || f.GetBlockManager() != nil {
		t.Error(f)
	}
}

func TestAFullDiskFailsTheTaskWithTheReason(t *testing.T) {
	r := newRig(t)
	r.blocks.full = true
	r.launch(mapTask(t, 0, 0))
	if u := r.end(); u.GetState() != app.TaskState_FAILED || !strings.Contains(u.GetFailure().GetMessage(), "no space left") {
		t.Error(u)
	}
}

func TestHeartbeatsComeEachTenSecondsAndNameTheRunningTasks(t *testing.T) {
	r := newRig(t)
	r.launch(task(t, sleeps.With(none{}), 1))
	q, ok := r.heartbeat.Next().(*app.Heartbeat)
	if !ok || len(q.GetRunningTasks()) != 1 {
		t.Fatal(q)
	}
	before := len(r.heartbeat.Waiting())
	r.Advance(time.Minute + time.Second)
	if n := len(r.heartbeat.Waiting()) - before; n != 6 {
		t.Errorf("%d heartbeats in a minute", n)
	}
	if r.managers != 1 {
		t.Errorf("%d registrations of the block manager", r.managers)
	}
}

func TestAHeartbeatsAnswerMayAskForTheBlockManagerAgain(t *testing.T) {
	r := newRig(t)
	r.reregist = true
	r.heartbeat.Next()
	r.Advance(time.Second)
	if r.managers != 2 {
		t.Errorf("%d registrations", r.managers)
	}
}

// Spec 1: BLOCK_MANAGER_REREGISTRATION_FAILED.
func TestARefusedReregistrationOfTheBlockManagerEndsTheProcess(t *testing.T) {
	r := newRig(t)
	r.reregist, r.given = true, true
	r.heartbeat.Next()
	if code := r.exited(); code != 58 {
		t.Errorf("exit code %d, want 58", code)
	}
}

func TestTooManyHeartbeatsWithoutAnswerEndTheProcess(t *testing.T) {
	r := newRig(t)
	r.silent = true
	r.Advance(2 * time.Minute)
	if code := r.exited(); code != 56 {
		t.Errorf("exit code %d, want 56", code)
	}
}

func TestStopExecutorEndsItAMomentLater(t *testing.T) {
	r := newRig(t)
	r.driver.Send(r.ref, &app.StopExecutor{})
	if _, ended := r.exec.Exited(); ended {
		t.Error("it ended at once")
	}
	if code := r.exited(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestTheLossOfTheDriverEndsTheProcess(t *testing.T) {
	r := newRig(t)
	r.Find("Driver").Kill()
	if code := r.exited(); code != 1 {
		t.Errorf("exit code %d", code)
	}
}

func TestParseArgs(t *testing.T) {
	good := []string{
		"--driver-url", "spark://CoarseGrainedScheduler@h:1", "--executor-id", "3", "--hostname", "h", "--cores", "2",
		"--app-id", "app-1", "--worker-url", "spark://Worker@h:2", "--resourceProfileId", "0",
	}
	a, err := executor.ParseArgs(good)
	if err != nil || a.Cores != 2 || a.ExecutorID != "3" || a.WorkerURL != "spark://Worker@h:2" {
		t.Error(a, err)
	}
	for _, bad := range [][]string{nil, good[:4], append(good[:0:0], append(good, "--colour", "red")...), append(good[:0:0], append(good, "--cores")...), append(good[:0:0], append(good, "--cores", "x")...)} {
		if _, err := executor.ParseArgs(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}
