package tasks

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

func newSet(stage, attempt, job int32, n int) Set {
	s := Set{ID: SetID{stage, attempt}, Job: job, Work: Work{Action: "count"}}
	for i := range n {
		s.Tasks = append(s.Tasks, Task{Partition: int32(i)})
	}
	return s
}

func newMapSet(stage, attempt, job int32, n int) Set {
	s := newSet(stage, attempt, job, n)
	s.Work = Work{Map: true, Shuffle: stage}
	return s
}

func names(launches []Launch) []string {
	var out []string
	for _, l := range launches {
		out = append(out, l.Executor+": "+l.Description.GetName())
	}
	return out
}

// texts are the ends in short: the reason's kind and the task, or the set's failure.
func texts(ends []rpcenv.Message) []string {
	var out []string
	for _, m := range ends {
		switch m := m.(type) {
		case CompletionEvent:
			out = append(out, fmt.Sprintf("%s %d.%d of %s", m.Reason.Kind, m.Index, m.Attempt, m.Set))
		case TaskSetFailed:
			out = append(out, "failed "+m.Set.String())
		}
	}
	return out
}

func want(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestOffersGoRoundRobinOverExecutors(t *testing.T) {
	p := pool(newSet(0, 0, 0, 5))
	got := p.Offers(at{{"a", "h", 1}, {"b", "h", 3}, {"c", "h", 0}}, inOrder)
	want(t, names(got), "a: task 0.0 in stage 0.0 (TID 0)", "b: task 1.0 in stage 0.0 (TID 1)",
		"b: task 2.0 in stage 0.0 (TID 2)", "b: task 3.0 in stage 0.0 (TID 3)")
}

func TestSetsGoInOrderOfJobAndStage(t *testing.T) {
	p := pool(newSet(5, 0, 1, 1), newSet(3, 0, 1, 1), newSet(9, 0, 0, 1))
	want(t, names(p.Offers(at{{"a", "h", 9}}, inOrder)), "a: task 0.0 in stage 9.0 (TID 0)",
		"a: task 0.0 in stage 3.0 (TID 1)", "a: task 0.0 in stage 5.0 (TID 2)")
}

func TestTasksTakeTheirCPUs(t *testing.T) {
	p := newKit(2, Config{MaxFailures: 4})
	p.Submit(newSet(0, 0, 0, 9))
	if got := p.Offers(at{{"a", "h", 5}, {"b", "h", 1}}, inOrder); len(got) != 2 || got[0].Description.GetCpus() != 2 {
		t.Errorf("%v", names(got))
	}
}

func TestAFailedTaskIsTheNextToStart(t *testing.T) {
	p := pool(newSet(0, 0, 0, 3))
	p.Offers(at{{"a", "h", 2}}, inOrder)
	want(t, texts(p.fail(1, KindExceptionFailure)), "ExceptionFailure 1.0 of 0.0")
	want(t, names(p.Offers(at{{"a", "h", 1}}, inOrder)), "a: task 1.1 in stage 0.0 (TID 2)")
}

// TestWhatCounts runs one task into failures of each kind.
func TestWhatCounts(t *testing.T) {
	for _, k := range []struct {
		kind string
		of   func(p *kit, id int64) []rpcenv.Message
		at   int // the failure that ends the set; 0: none does
	}{
		{"an exception", func(p *kit, id int64) []rpcenv.Message { return p.fail(id, KindExceptionFailure) }, 4},
		{"a kind that nobody knows", func(p *kit, id int64) []rpcenv.Message { return p.fail(id, "?") }, 4},
		{"no reason", func(p *kit, id int64) []rpcenv.Message { return p.Update(id, app.TaskState_TASK_LOST, nil, nil) }, 4},
		{"no result", func(p *kit, id int64) []rpcenv.Message { return p.Update(id, app.TaskState_FINISHED, nil, nil) }, 4},
		{"a lineage that differs", func(p *kit, id int64) []rpcenv.Message { return p.fail(id, KindLineageDiffers) }, 1},
		{"a result that its executor does not have any more", func(p *kit, id int64) []rpcenv.Message {
			p.Update(id, app.TaskState_FINISHED, indirect(5), nil)
			return p.Fetched(id, nil, p.now).DAG
		}, 4},
		{"a job that no executor can compute", func(p *kit, id int64) []rpcenv.Message { return p.fail(id, KindBadJob) }, 1},
		{"a task that is too large", func(p *kit, id int64) []rpcenv.Message { return p.Abort(id, "too large") }, 1},
		{"a kill", func(p *kit, id int64) []rpcenv.Message { return p.Update(id, app.TaskState_KILLED, nil, nil) }, 0},
		{"an executor lost by the application's fault", func(p *kit, id int64) []rpcenv.Message {
			p.runs(id)
			return p.ExecutorLost("a", Loss{CausedByApp: true})
		}, 4},
		{"an executor lost before the attempt ran", func(p *kit, _ int64) []rpcenv.Message {
			return p.ExecutorLost("a", Loss{CausedByApp: true})
		}, 0},
		{"an executor lost while the attempt began", func(p *kit, id int64) []rpcenv.Message {
			p.Update(id, app.TaskState_LAUNCHING, nil, nil)
			return p.ExecutorLost("a", Loss{CausedByApp: true})
		}, 0},
		{"an output that another attempt writes", func(p *kit, id int64) []rpcenv.Message { return p.fail(id, KindTaskCommitDenied) }, 0},
		{"a result that cannot be encoded", func(p *kit, id int64) []rpcenv.Message { return p.fail(id, KindNotSerializable) }, 1},
		{"an output that is there already", func(p *kit, id int64) []rpcenv.Message { return p.fail(id, KindOutputFileExists) }, 1},
		{"an executor lost otherwise", func(p *kit, _ int64) []rpcenv.Message { return p.ExecutorLost("a", Loss{}) }, 0},
	} {
		p := pool(newSet(0, 0, 0, 1))
		ended := 0
		for n := 1; n <= 6 && ended == 0; n++ {
			l := p.Offers(at{{"a", "h", 1}}, inOrder)
			if len(l) != 1 {
				t.Fatalf("%s: try %d was not started", k.kind, n)
			}
			for _, m := range k.of(p, l[0].Description.GetTaskId()) {
				if _, failed := m.(TaskSetFailed); failed {
					ended = n
				}
			}
		}
		if ended != k.at {
			t.Errorf("%s: the set failed at failure %d, want %d", k.kind, ended, k.at)
		}
		if ended > 0 && (len(p.sets) > 0 || p.Waiting()) {
			t.Errorf("%s: the failed set is still there", k.kind)
		}
	}
}

func TestAFetchFailureMakesTheSetAZombie(t *testing.T) {
	p := pool(newSet(1, 0, 0, 3))
	p.Offers(at{{"a", "h", 2}}, inOrder)
	want(t, texts(p.fail(0, KindFetchFailed)), "FetchFailed 0.0 of 1.0")
	want(t, names(p.Offers(at{{"a", "h", 3}}, inOrder)))
	p.Submit(newSet(1, 1, 0, 3))
	want(t, names(p.Offers(at{{"b", "h", 1}}, inOrder)), "b: task 0.0 in stage 1.1 (TID 2)")
	want(t, texts(p.Update(1, app.TaskState_FINISHED, &app.TaskResult{}, nil)), "Success 1.0 of 1.0")
	p.PartitionCompleted(1, 1, p.now)
	// The zombie brought partition 1, so the new attempt has only partition 2 to start.
	want(t, names(p.Offers(at{{"b", "h", 9}}, inOrder)), "b: task 2.0 in stage 1.1 (TID 3)")
}

func TestALostExecutorsFinishedMapTasksRunAgain(t *testing.T) {
	p := pool(newMapSet(0, 0, 0, 3))
	p.Offers(at{{"a", "h", 2}}, inOrder)
	want(t, texts(p.finish(0)), "Success 0.0 of 0.0")
	want(t, texts(p.ExecutorLost("a", Loss{})), "Resubmitted 0.0 of 0.0", "ExecutorLostFailure 1.0 of 0.0")
	want(t, names(p.Offers(at{{"b", "h", 9}}, inOrder)), "b: task 1.1 in stage 0.0 (TID 2)",
		"b: task 0.1 in stage 0.0 (TID 3)", "b: task 2.0 in stage 0.0 (TID 4)")
	want(t, texts(p.ExecutorLost("a", Loss{})))
}

func TestALostExecutorsResultsStay(t *testing.T) {
	p := pool(newSet(0, 0, 0, 2))
	p.Offers(at{{"a", "h", 1}}, inOrder)
	p.finish(0)
	want(t, texts(p.ExecutorLost("a", Loss{})))
}

func TestACancelledStageNamesWhatRuns(t *testing.T) {
	p := pool(newSet(0, 0, 0, 3), newSet(1, 0, 0, 1))
	p.Offers(at{{"a", "h", 1}, {"b", "h", 1}}, inOrder)
	got := p.Cancel(0, "why")
	if !slices.Equal(got, []Kill{{"a", 0, false, "why"}, {"b", 1, false, "why"}}) {
		t.Errorf("kills %v", got)
	}
	want(t, names(p.Offers(at{{"c", "h", 9}}, inOrder)), "c: task 0.0 in stage 1.0 (TID 2)")
	if !p.Known(0, "a") || p.Known(0, "b") {
		t.Error("a killed attempt is known until it reports")
	}
	want(t, texts(p.Update(0, app.TaskState_KILLED, nil, nil)), "TaskKilled 0.0 of 0.0")
}

func TestReportsOfUnknownAttemptsChangeNothing(t *testing.T) {
	p := pool(newSet(0, 0, 0, 1))
	p.Offers(at{{"a", "h", 1}}, inOrder)
	want(t, texts(p.finish(7)))
	want(t, texts(p.Update(0, app.TaskState_RUNNING, nil, nil)))
	want(t, texts(p.finish(0)), "Success 0.0 of 0.0")
	want(t, texts(p.finish(0)))
}

func TestTextsAreSparks(t *testing.T) {
	for _, k := range []struct {
		r    Reason
		want string
	}{
		{executorLost("3", Loss{Message: "worker lost"}), "ExecutorLostFailure (executor 3 exited unrelated to the running tasks) Reason: worker lost"},
		{executorLost("3", Loss{CausedByApp: true}), "ExecutorLostFailure (executor 3 exited caused by one of the running tasks)"},
		{killed("another attempt succeeded"), "TaskKilled (another attempt succeeded)"},
		{
			fetchFailed(&app.TaskFailure{ShuffleId: 1, MapIndex: 2, ReduceId: 3, Message: "m", BlockManager: &storage.BlockManagerId{ExecutorId: "0", Host: "h", Port: 7}}),
			"FetchFailed(BlockManagerId(0, h, 7, None), shuffleId=1, mapIndex=2, reduceId=3, message=\nm\n)",
		},
		{reasonOf(app.TaskState_FAILED, false, nil, &app.TaskFailure{Kind: KindTaskCommitDenied, Message: "denied"}), "denied"},
		{fetchFailed(&app.TaskFailure{MapIndex: -1}), "FetchFailed(null, shuffleId=0, mapIndex=-1, reduceId=0, message=\n\n)"},
	} {
		if k.r.Text != k.want {
			t.Errorf("got  %s\nwant %s", k.r.Text, k.want)
		}
	}
}

// TestASchedulerKeepsItsPromises plays a cluster at random: no executor runs more than its cores allow, no task runs twice at
// once, and a set that nobody fails ends with a success of each task.
func TestASchedulerKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "tasks")
		p := pool(newMapSet(0, 0, 0, n))
		free := map[string]int{"a": 2, "b": 1, "c": 3}
		ids := []string{"a", "b", "c"}
		running := map[int64]*app.TaskDescription{}
		done := map[int32]string{} // by whom
		take := func(ends []rpcenv.Message) {
			for _, m := range ends {
				e, ok := m.(CompletionEvent)
				if !ok {
					t.Fatalf("%+v", m)
				}
				switch e.Reason.Kind {
				case KindSuccess:
					done[e.Index] = e.Executor
				case KindResubmitted:
					if done[e.Index] != e.Executor {
						t.Fatalf("task %d was resubmitted, but executor %s does not have it", e.Index, e.Executor)
					}
					delete(done, e.Index)
				}
			}
		}
		offer := func() {
			var offers at
			for _, id := range ids {
				offers = append(offers, seat{id, "h", free[id]})
			}
			for _, l := range p.Offers(offers, inOrder) {
				d := l.Description
				for _, other := range running {
					if other.GetIndex() == d.GetIndex() {
						t.Fatalf("task %d runs twice", d.GetIndex())
					}
				}
				if _, ok := done[d.GetIndex()]; ok {
					t.Fatalf("task %d was done", d.GetIndex())
				}
				if free[l.Executor]--; free[l.Executor] < 0 {
					t.Fatalf("executor %s has no core for %s", l.Executor, d.GetName())
				}
				running[d.GetTaskId()] = d
			}
		}
		some := func() int64 {
			var live []int64
			for id := range running {
				live = append(live, id)
			}
			slices.Sort(live)
			return rapid.SampledFrom(live).Draw(t, "attempt")
		}
		end := func(id int64, ends []rpcenv.Message) {
			free[running[id].GetExecutorId()]++
			delete(running, id)
			take(ends)
		}
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			offer()
			switch {
			case len(running) == 0:
			case rapid.Bool().Draw(t, "finishes"):
				id := some()
				end(id, p.finish(id))
			case rapid.Bool().Draw(t, "is killed"):
				id := some()
				end(id, p.Update(id, app.TaskState_KILLED, nil, nil))
			default:
				lost := rapid.SampledFrom(ids).Draw(t, "lost")
				for id, d := range running {
					if d.GetExecutorId() == lost {
						free[lost]++
						delete(running, id)
					}
				}
				take(p.ExecutorLost(lost, Loss{}))
			}
		}
		for offer(); len(running) > 0; offer() {
			id := some()
			end(id, p.finish(id))
		}
		if len(done) != n || len(p.sets) > 0 || len(p.live) > 0 {
			t.Fatalf("done %v of %d, sets %d, live %d", done, n, len(p.sets), len(p.live))
		}
	})
}
