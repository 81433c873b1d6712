package progress_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/progress"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func TestLines(t *testing.T) {
	w := rpctest.New(t, 1)
	var out strings.Builder
	env := w.Env("Driver", nil)
	ref := w.Register(env, progress.Name, progress.New(&out, "Master"))
	p := w.ProbeIn(env, "P")
	for _, m := range []rpcenv.Message{
		event.Starving{},
		event.ApplicationStart{AppID: "app-1", Name: "co\nunts"},
		event.ExecutorChange{Kind: event.ExecutorAdded, ExecutorID: "0", Host: "h", Cores: 2},
		event.JobStart{},
		event.StageSubmitted{StageID: 0, Tasks: 2},
		event.TaskStart{StageID: 0, ExecutorID: "0", Locality: "ANY"},
		event.TaskEnd{StageID: 0},
		event.TaskEnd{StageID: 0, Index: 1, Failure: "no luck\nits stack", ExecutorID: "0"},
		event.TaskEnd{StageID: 0, Index: 1, Failure: "TaskKilled (Stage cancelled)", Killed: true, ExecutorID: "0"},
		event.TaskEnd{StageID: 0, Index: 1},
		event.StageCompleted{StageID: 0},
		event.StageCompleted{StageID: 1, Failure: "fetch failed\nits stack"},
		event.StageSubmitted{StageID: 4, Tasks: 2},
		event.TaskEnd{StageID: 4, Failure: "FetchFailed(null, message=\nit is gone\n)", ExecutorID: "0"},
		event.StageCompleted{StageID: 4, Failure: "FetchFailed(null, message=\nit is gone\n)"},
		event.StageSubmitted{StageID: 4, Attempt: 1, Tasks: 2},
		event.StageCompleted{StageID: 4, Attempt: 1, Failure: "FetchFailed(null, message=\nit is gone\n)"},
		event.StageCompleted{StageID: 2, Failure: event.Cancelled + "the same that the program says"},
		event.StageCompleted{StageID: 3, Failure: event.Cancelled + "Job 4 cancelled because its context ended"},
		event.Starving{},
		event.Starving{Executors: 1, Why: "it is too small"},
		event.ExecutorChange{Kind: event.ExecutorLost, ExecutorID: "0", Reason: "it crashed"},
		event.JobEnd{Err: errors.New("x")},
	} {
		p.Send(ref, m)
	}
	w.Settle()
	want := `  no executor takes the tasks that wait; 0 are registered: the Master has not taken the application: coherer status --master says whether it is there, and its log what it waits for
  application co\nunts is app-1
  executor 0 registered, 2 cores at h
  stage 0.0: 2 tasks
  task 1 in stage 0.0 failed on executor 0: no luck
  stage 0.0: 2 of 2 tasks done
  stage 1.0 failed: fetch failed
  stage 4.0: 2 tasks
  task 0 in stage 4.0 failed on executor 0: FetchFailed(null, message=it is gone
  stage 4.0 failed with this task
  stage 4.1: 2 tasks
  stage 4.1 failed: FetchFailed(null, message=it is gone
  stage 2.0 is cancelled: its job failed
  stage 3.0 is cancelled with its job
  no executor takes the tasks that wait; 0 are registered: coherer why app app-1 says why (with --master, of a cluster that coherer run did not start)
  no executor takes the tasks that wait; 1 are registered: it is too small
  executor 0 is gone: it crashed
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}
