package driver_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/driver/allocation"
	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// asksToKill asks for the end of executors, and returns the answer in words.
func (r *rig) asksToKill(q rpcenv.Asks[allocation.Removed]) string {
	r.t.Helper()
	got, err := rpctest.Ask[allocation.Removed](r.events, r.at(driver.Name), q)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(got.IDs)
}

// answerKills makes the Master answer kills so; nil: it is asked once more by nobody.
func (r *rig) answerKills(answer func(*rpcenv.Context, *deploy.KillExecutors)) {
	r.master.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		q, ok := m.(*deploy.KillExecutors)
		if ok {
			answer(c, q)
		}
		return ok
	})
}

// Only executors that can take tasks and run none are killed; nobody is asked for the others.
func TestWhichExecutorsAreKilled(t *testing.T) {
	r := newRig(t, nil)
	var asked []string
	r.answerKills(func(c *rpcenv.Context, q *deploy.KillExecutors) {
		asked = append(asked, fmt.Sprint(q.GetExecutorIds()))
		rpcenv.Reply(c, q, &rpc.Bool{Value: true})
	})
	busy := r.launched("0", 2)
	run(r, numbers.With(1))
	for range 2 {
		busy.task()
	}
	r.launched("1", 1).task()
	for _, id := range []string{"2", "3"} {
		r.launched(id, 1)
	}
	r.Settle()
	r.tellDecommissioned(3)
	r.Settle()
	for range 2 {
		want := "[2]"
		if len(asked) > 0 {
			want = "[]" // it is ending
		}
		if got := r.asksToKill(allocation.KillExecutors{IDs: []string{"0", "1", "2", "3", "9"}}); got != want {
			t.Errorf("removed %s, want %s", got, want)
		}
	}
	if !slices.Equal(asked, []string{"[2]"}) {
		t.Errorf("the Master was asked for %q", asked)
	}
}

// The Master's no, and its failure, leave the executor in use at once.
func TestAnExecutorIsKeptWhenItsKillIsNotTaken(t *testing.T) {
	for want, answer := range map[string]func(*rpcenv.Context, *deploy.KillExecutors){
		"[]": func(c *rpcenv.Context, q *deploy.KillExecutors) { rpcenv.Reply(c, q, &rpc.Bool{}) },
		"kill executors [0]: refused: no way": func(c *rpcenv.Context, q *deploy.KillExecutors) {
			rpcenv.Fail(c, q, fmt.Errorf("%w: no way", rpcenv.ErrRefused))
		},
	} {
		r := newRig(t, nil)
		var a *executor
		r.answerKills(func(c *rpcenv.Context, q *deploy.KillExecutors) {
			run(r, numbers.With(9)) // while the Master is asked
			answer(c, q)
		})
		a = r.launched("0", 1)
		r.Settle()
		if got := r.asksToKill(allocation.KillExecutors{IDs: []string{"0"}}); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		r.Settle()
		if len(a.Waiting()) != 1 {
			t.Errorf("%s: the executor got %v", want, a.Waiting())
		}
	}
}

// An executor that went meanwhile is not missed when its kill is refused.
func TestAnExecutorMayGoWhileItsKillIsAskedFor(t *testing.T) {
	r := newRig(t, nil)
	r.launched("0", 1)
	r.Settle()
	r.answerKills(func(c *rpcenv.Context, q *deploy.KillExecutors) {
		call := rpcenv.Defer(c, q)
		c.Send(r.at("AppClient"), &deploy.ExecutorUpdated{Id: new(int32), State: deploy.ExecutorState_EXITED})
		c.After(time.Second, later{})
		r.master.On(func(_ *rpcenv.Context, m rpcenv.Message) bool {
			if _, ok := m.(later); !ok {
				return false
			}
			call.Reply(&rpc.Bool{})
			return true
		})
	})
	if got := r.asksToKill(allocation.KillExecutors{IDs: []string{"0"}}); got != "[]" {
		t.Errorf("removed %s", got)
	}
}

type later struct{ rpcenv.Local }

// With spark.decommission.enabled executors get DecommissionExecutor; one that goes already, and an unknown one, are left out.
func TestWhichExecutorsAreDecommissioned(t *testing.T) {
	r := newRig(t, nil)
	a := r.launched("0", 1)
	r.launched("1", 1)
	r.launched("2", 1)
	lost := r.launched("3", 1)
	r.Settle()
	r.asksToKill(allocation.KillExecutors{IDs: []string{"1"}})
	lost.crash()
	r.Settle()
	if got := r.asksToKill(allocation.DecommissionExecutors{IDs: []string{"0", "1", "3", "9"}}); got != "[0]" {
		t.Errorf("decommissioned %s", got)
	}
	if m, ok := a.Next().(*app.DecommissionExecutor); !ok {
		t.Errorf("the executor got %T", m)
	}
}

// Whose fault it is that an executor ends by itself: its own, what the ApplicationMaster says, or nobody's.
func TestWhoseFaultItIsThatAnExecutorEnds(t *testing.T) {
	for _, k := range []struct {
		m    *app.RemoveExecutor
		want string
	}{
		{&app.RemoveExecutor{Reason: "why"}, "why true"},
		{&app.RemoveExecutor{Reason: "why", Exited: &app.ExecutorExited{Reason: "how", ExitCausedByApp: true}}, "how true"},
		{&app.RemoveExecutor{Reason: "why", Exited: &app.ExecutorExited{Reason: "how"}}, "how false"},
	} {
		r := newRig(t, nil)
		r.launched("0", 1)
		r.Settle()
		k.m.ExecutorId = "0"
		r.events.Send(r.at(driver.Name), k.m)
		r.Settle()
		all := r.changes()
		if last := all[len(all)-1]; last.Kind != event.ExecutorLost || fmt.Sprint(last.Reason, " ", last.CausedByApp) != k.want {
			t.Errorf("%v: %+v", k.m, last)
		}
	}
}

// What one executor takes goes along with how many are wanted; that the Master failed is the answer.
func TestARequestToTheMasterSaysWhatAnExecutorTakes(t *testing.T) {
	for _, k := range []struct {
		settings map[string]string
		cores    *int32
	}{
		{map[string]string{"spark.executor.memory": "2g"}, nil},
		{map[string]string{"spark.executor.memory": "2g", "spark.executor.cores": "3"}, new(int32(3))},
	} {
		r := newRig(t, k.settings)
		var asked []*deploy.ProfileTarget
		r.master.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
			q, ok := m.(*deploy.RequestExecutors)
			if ok {
				asked = q.GetTotals()
				rpcenv.Fail(c, q, fmt.Errorf("%w: no way", rpcenv.ErrRefused))
			}
			return ok
		})
		_, err := rpctest.Ask[*rpc.Bool](r.events, r.at(driver.Name), allocation.RequestTotalExecutors{Total: 4})
		if err == nil || err.Error() != "request executors: refused: no way" {
			t.Error(err)
		}
		if len(asked) != 1 || asked[0].GetTotal() != 4 || asked[0].GetProfile().GetExecutorMemoryMb() != 2048 ||
			(asked[0].GetProfile().ExecutorCores == nil) != (k.cores == nil) || asked[0].GetProfile().GetExecutorCores() != deref(k.cores) {
			t.Errorf("asked for %v", asked)
		}
	}
}

func deref(n *int32) int32 {
	if n == nil {
		return 0
	}
	return *n
}

// ExecutorAllocationManager hears which task of which attempt started: a running task is needed once, and its executor is not idle.
func TestTheStartOfATaskIsTold(t *testing.T) {
	e := newElastic(t, nil)
	a := e.launched("0", 1)
	e.Settle()
	id := tasks.SetID{Stage: 7, Attempt: 2}
	e.events.Send(e.at(allocation.Name), event.StageSubmitted{StageID: 7, Attempt: 2, Tasks: 2})
	e.events.Send(e.at(driver.Name), tasks.SubmitTasks{Set: tasks.Set{ID: id, Tasks: []tasks.Task{{Partition: 0}, {Partition: 1}}}})
	a.finish(a.task())
	a.task()
	e.Settle()
	if needed, target, ok := e.driver.Wants(); !ok || needed != 1 || target != 0 {
		t.Errorf("%d executors are needed, want one for the task that runs; %d are asked for", needed, target)
	}
	e.Advance(time.Minute)
	for _, m := range e.Trace().Entries {
		if strings.HasSuffix(m.Type, "KillExecutors") {
			t.Fatalf("it is idle: %+v", m)
		}
	}
	e.stop()
	if _, _, ok := e.driver.Wants(); ok {
		t.Error("a driver that ended wants executors")
	}
	if _, _, ok := newRig(t, nil).driver.Wants(); ok {
		t.Error("a driver without dynamic allocation has wishes")
	}
}

// Tasks start when the longest time to wait for executors is over, not a second later.
func TestTasksWaitForExecutorsSoLong(t *testing.T) {
	r := newRig(t, map[string]string{"spark.cores.max": "2", "spark.scheduler.minRegisteredResourcesRatio": "1"})
	run(r, numbers.With(9))
	a := r.launched("0", 1)
	a.task()
	if waited := r.Now().Sub(r.Trace().Start); waited < 30*time.Second || waited >= 30500*time.Millisecond {
		t.Errorf("the first task started after %s", waited)
	}
}
