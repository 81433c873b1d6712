package driver_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/appclient"
	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// waits asks a driver what its tasks wait for.
func (r *rig) waits(p *rpctest.Probe) *app.Waits {
	r.t.Helper()
	w, err := rpctest.Ask[*app.Waits](p, r.at(driver.Name), &app.RequestWaits{})
	if err != nil {
		r.t.Fatal(err)
	}
	return w
}

// reasons are the filters of what a stage waits for, in their order.
func reasons(w *app.TaskSetWait) (out []string) {
	for _, r := range w.GetReasons() {
		out = append(out, r.GetFilter())
	}
	return out
}

// The cores are those of executors that may take tasks; an executor whose end was asked for has none.
func TestWhyCountsTheExecutorsThatMayTakeTasks(t *testing.T) {
	r := newRig(t, 1, nil, nil)
	r.master.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		if q, ok := m.(*deploy.KillExecutors); ok {
			rpcenv.Reply(c, q, &rpc.Bool{Value: true})
		}
		return false
	})
	busy, idle := r.launched("0", 2), r.launched("1", 4)
	gone := r.launched("2", 8)
	run(r, tasksOf.With(1)) // it takes a core of one of them
	r.Settle()
	gone.Crash()
	r.Settle()
	free := int32(6)
	if len(busy.Waiting())+len(idle.Waiting()) > 0 {
		free--
	}
	w := r.waits(busy.Probe)
	if w.GetAppId() != "app-1" || w.GetExecutors() != 2 || w.GetCores() != 6 || w.GetFreeCores() != free {
		t.Errorf("%v, want 2 executors and %d of 6 cores free", w, free)
	}
	for _, set := range w.GetSets() {
		if len(set.GetReasons()) > 0 && reasons(set)[0] == "executors" {
			t.Errorf("executors take tasks: %v", w)
		}
	}
}

// What keeps all tasks comes before what keeps those of a stage, and nothing does when no task waits.
func TestWhyNamesFirstWhatKeepsAllTasks(t *testing.T) {
	r := newRig(t, 1, map[string]string{
		"spark.cores.max": "4", "spark.scheduler.minRegisteredResourcesRatio": "1", "spark.task.cpus": "2",
	}, nil)
	asker := r.ProbeIn(r.ClientEnv("Asker", nil), "Asker")
	run(r, numbers.With(3))
	r.Settle()
	first := func() *app.WaitReason {
		t.Helper()
		w := r.waits(asker)
		if len(w.GetSets()) != 1 || len(w.GetSets()[0].GetReasons()) == 0 {
			t.Fatalf("it waits for nothing: %v", w)
		}
		return w.GetSets()[0].GetReasons()[0]
	}
	want := func(filter, reason, help string) {
		t.Helper()
		if got := first(); got.GetFilter() != filter || got.GetReason() != reason || got.GetHelp() != help {
			t.Errorf("it waits for %v, want %s: %s; %s", got, filter, reason, help)
		}
	}
	const none = "coherer why app app-1 says why the application has none"
	want("executors", "no executor takes tasks", none)
	r.registered("0", 1)
	small := "a task wants 2 cores (spark.task.cpus), the largest executor has 1 and takes none: lower spark.task.cpus, " +
		"or have Workers of 2 cores and set spark.executor.cores to 2"
	want("executors", "no executor takes tasks: "+small, none)
	r.launched("1", 2)
	r.Settle()
	got := first()
	if got.GetFilter() != "ready" || !strings.HasPrefix(got.GetReason(), "the first task starts when 4 of 4 cores can take tasks, or 30s ") ||
		!strings.Contains(got.GetReason(), "; 2 can: ") || got.GetHelp() != "lower spark.scheduler.minRegisteredResourcesRatio" {
		t.Errorf("it waits for %v", got)
	}
	r.launched("2", 2)
	r.Settle()
	set := r.waits(asker).GetSets()[0]
	if got := reasons(set); set.GetWaiting() != 1 || len(got) == 0 || got[0] == "" || got[0] == "ready" || got[0] == "executors" {
		t.Errorf("two of three run: %v", set)
	}
	if _, err := rpctest.Ask[*rpc.Bool](r.ProbeIn(r.env, "program"), r.at(driver.Name), driver.StopExecutors{}); err != nil {
		t.Fatal(err)
	}
	want("end", "the driver ends", "")
}

// A set whose tasks all run waits for nothing, whatever keeps other tasks.
func TestWhySaysNothingOfTasksThatRun(t *testing.T) {
	r := newRig(t, 1, nil, nil)
	e := r.launched("0", 1)
	run(r, tasksOf.With(1))
	r.Settle()
	if _, err := rpctest.Ask[*rpc.Bool](r.ProbeIn(r.env, "program"), r.at(driver.Name), driver.StopExecutors{}); err != nil {
		t.Fatal(err)
	}
	if w := r.waits(e.Probe); len(w.GetSets()) != 1 || len(w.GetSets()[0].GetReasons()) > 0 {
		t.Errorf("%v", w)
	}
}

// A Master that does not know the application is why nothing starts.
func TestWhyNamesTheMasterThatForgotTheApplication(t *testing.T) {
	r := newRig(t, 1, nil, nil)
	asker := r.ProbeIn(r.env, "Asker")
	run(r, tasksOf.With(1))
	r.Settle()
	asker.Send(r.at(driver.Name), appclient.Forgotten{Reason: "it was started again"})
	w := r.waits(asker)
	if got := fmt.Sprint(w.GetSets()[0].GetReasons()[0].GetReason()); got != "no executor takes tasks: it was started again" {
		t.Error(got)
	}
}
