package status_test

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/coherer/coherer/actors/driver/listener"
	"github.com/coherer/coherer/actors/driver/status"
	"github.com/coherer/coherer/rpcenv/conf"
)

func newStore(t testing.TB, pairs map[string]string) *status.Store {
	t.Helper()
	c, err := conf.New(pairs, status.Settings)
	if err != nil {
		t.Fatal(err)
	}
	return status.New(c)
}

// ask is the answer to a question that has one.
func ask[T any](t interface{ Fatal(args ...any) }, s *status.Store, q status.Query) T {
	v, err := s.Answer(q, 1000)
	out, ok := v.(T)
	if err != nil || !ok {
		t.Fatal(v, err)
	}
	return out
}

// ran is a job of one stage with tasks that succeed on executor x, one after another; all numbers are id.
func ran(s *status.Store, id int32, tasks int) {
	at := int64(id)*100 + 1
	info := listener.StageInfo{ID: id, Name: "s", Tasks: tasks}
	s.On(&listener.JobStart{JobID: id, Submitted: at, Stages: []listener.StageInfo{info}, StageIDs: []int32{id}})
	info.Submitted = &at
	s.On(&listener.StageSubmitted{Stage: info})
	for i := range tasks {
		t := listener.TaskInfo{ID: int64(id)*1000 + int64(i), Index: int32(i), Launched: at, ExecutorID: "x"}
		s.On(&listener.TaskStart{StageID: id, Task: t})
		t.Finished = at + int64(i) + 1
		s.On(&listener.TaskEnd{StageID: id, Reason: listener.TaskEndReason{Reason: listener.Success}, Task: t, ExecutorMetrics: listener.Unmeasured})
	}
	info.Completed = &at
	s.On(&listener.StageCompleted{Stage: info})
	s.On(&listener.JobEnd{JobID: id, Completed: at, Result: listener.JobResult{Result: listener.JobSucceeded}})
}

// Of what is over the oldest goes first, a tenth of the limit at once; what runs stays.
func TestTheOldestIsForgotten(t *testing.T) {
	s := newStore(t, map[string]string{"spark.ui.retainedJobs": "20", "spark.ui.retainedStages": "10", "spark.ui.retainedTasks": "5"})
	s.On(&listener.JobStart{JobID: 0, Submitted: 1, Stages: []listener.StageInfo{{ID: 0}}, StageIDs: []int32{0}})
	for id := int32(1); id <= 20; id++ {
		ran(s, id, 7)
	}
	var jobs []int32
	for _, j := range ask[[]status.JobData](t, s, status.Jobs{}) {
		jobs = append(jobs, j.ID)
	}
	if len(jobs) != 19 || jobs[0] != 20 || jobs[17] != 3 || jobs[18] != 0 {
		t.Errorf("jobs %v: want 0, which runs, and 3 to 20", jobs)
	}
	stages := ask[[]status.StageData](t, s, status.Stages{})
	if len(stages) != 10 || stages[0].ID != 20 || stages[9].ID != 0 || stages[9].Status != "PENDING" {
		t.Errorf("%d stages, the last is %+v", len(stages), stages[len(stages)-1])
	}
	var tasks []int32
	for _, x := range ask[[]*status.TaskData](t, s, status.TaskList{ID: 20, Length: 20}) {
		tasks = append(tasks, x.Index)
	}
	if !slices.Equal(tasks, []int32{2, 3, 4, 5, 6}) {
		t.Errorf("tasks %v", tasks)
	}
	// The counts stay whole.
	if g := ask[status.StageData](t, s, status.Stage{ID: 20}); g.CompleteTasks != 7 || g.CompletedIndices != 7 {
		t.Errorf("%+v", g)
	}
}

func TestDeadExecutorsAreForgotten(t *testing.T) {
	s := newStore(t, map[string]string{"spark.ui.retainedDeadExecutors": "1"})
	for i, id := range []string{"a", "b", "c"} {
		s.On(&listener.ExecutorAdded{Timestamp: 1, ExecutorID: id})
		if id != "c" {
			s.On(&listener.ExecutorRemoved{Timestamp: int64(10 - i), ExecutorID: id, Reason: "it went"})
		}
	}
	var ids []string
	for _, x := range ask[[]status.ExecutorSummary](t, s, status.Executors{All: true}) {
		ids = append(ids, x.ID)
	}
	if !slices.Equal(ids, []string{"a", "c"}) { // b was removed earlier than a
		t.Error(ids)
	}
}

// The loss of a finished map output has an end without a start: it counts as a failure, and no running task goes.
func TestALostOutputIsNoRunningTask(t *testing.T) {
	s := newStore(t, nil)
	info := listener.StageInfo{ID: 1, Tasks: 1}
	s.On(&listener.JobStart{JobID: 1, Stages: []listener.StageInfo{info}, StageIDs: []int32{1}})
	s.On(&listener.StageSubmitted{Stage: info})
	s.On(&listener.ExecutorAdded{ExecutorID: "x"})
	task := listener.TaskInfo{ID: 5, ExecutorID: "x", Launched: 1}
	s.On(&listener.TaskStart{StageID: 1, Task: task})
	task.Finished = 3
	s.On(&listener.TaskEnd{StageID: 1, Task: task, Reason: listener.TaskEndReason{Reason: listener.Success}})
	s.On(&listener.TaskEnd{StageID: 1, Task: task, Reason: listener.TaskEndReason{Reason: listener.Resubmitted}})
	g := ask[status.StageData](t, s, status.Stage{ID: 1})
	x := ask[[]status.ExecutorSummary](t, s, status.Executors{})[0]
	j := ask[status.JobData](t, s, status.Job{ID: 1})
	if g.ActiveTasks != 0 || g.FailedTasks != 1 || g.CompleteTasks != 1 || x.ActiveTasks != 0 || j.ActiveTasks != 0 || x.TotalTasks != 1 {
		t.Errorf("%+v\n%+v\n%+v", g, x, j)
	}
}

// Whatever events come, in whatever order: nothing panics, and no count is below zero.
func TestAnyEventsAreTaken(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, err := conf.New(map[string]string{"spark.ui.retainedJobs": "2", "spark.ui.retainedStages": "2", "spark.ui.retainedTasks": "2", "spark.ui.retainedDeadExecutors": "1"}, status.Settings)
		if err != nil {
			t.Fatal(err)
		}
		s := status.New(c)
		small := rapid.Int32Range(0, 3)
		for range rapid.IntRange(1, 60).Draw(t, "n") {
			id, at := small.Draw(t, "id"), int64(small.Draw(t, "time"))
			x := string('a' + small.Draw(t, "executor"))
			info := listener.StageInfo{ID: id, Attempt: small.Draw(t, "attempt"), Submitted: &at, RDDs: []listener.RDDInfo{{ID: id, Level: listener.StorageLevel{Memory: true}}}}
			task := listener.TaskInfo{ID: int64(small.Draw(t, "task")), Index: id, Launched: at, Finished: at, ExecutorID: x}
			reason := rapid.SampledFrom([]string{listener.Success, listener.TaskKilled, listener.ExceptionFailure, listener.Resubmitted, listener.FetchFailed, listener.TaskCommitDenied}).Draw(t, "reason")
			s.On(rapid.SampledFrom([]listener.Event{
				&listener.JobStart{JobID: id, Stages: []listener.StageInfo{info}, StageIDs: []int32{id}}, &listener.JobEnd{JobID: id},
				&listener.StageSubmitted{Stage: info}, &listener.StageCompleted{Stage: info},
				&listener.TaskStart{StageID: id, Attempt: info.Attempt, Task: task},
				&listener.TaskEnd{StageID: id, Attempt: info.Attempt, Task: task, Reason: listener.TaskEndReason{Reason: reason}},
				&listener.TaskGettingResult{Task: task}, &listener.ExecutorAdded{ExecutorID: x}, &listener.ExecutorRemoved{ExecutorID: x, Timestamp: at + 1},
				&listener.BlockUpdated{Info: listener.BlockUpdatedInfo{Manager: listener.BlockManagerID{ExecutorID: x}, BlockID: "rdd_1_1", Memory: at, Level: listener.StorageLevel{Memory: id > 1}}},
				&listener.UnpersistRDD{ID: id}, &listener.Exclusion{Name: "NodeExcludedForStage", HostID: x, StageID: &id},
			}).Draw(t, "event"))
		}
		for _, x := range ask[[]status.ExecutorSummary](t, s, status.Executors{All: true}) {
			if x.Blocks < 0 || x.MemoryUsed < 0 {
				t.Fatalf("%+v", x)
			}
		}
		detail := status.Detail{Tasks: true, Summaries: true, Quantiles: []float64{0, 0.5, 1, -1, 2}}
		for _, q := range []status.Query{
			status.Application{},
			status.Jobs{},
			status.Stages{Detail: detail},
			status.RDDs{},
			status.EnvironmentOf{},
			status.TaskSummary{ID: 1, Quantiles: detail.Quantiles},
			status.TaskList{ID: 1, Offset: -1, Length: -1},
			status.TaskList{ID: 1, Offset: 9, Length: 9, SortBy: status.ByRuntimeReverse},
		} {
			if _, err := s.Answer(q, 5); err != nil && !errors.Is(err, status.ErrNotFound) {
				t.Fatal(err)
			}
		}
	})
}
