package driver_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/driver/yarnscheduler"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// Spec 4.12, GetExecutorLossReason: a failure and a time-out both mean that the process is lost, and nobody knows why.
func TestALossOfWhichNobodyKnowsTheReason(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(y *onYARN)
	}{
		{"refused", func(y *onYARN) {
			y.am.Do(func(*rpcenv.Context) { y.loss[0].Fail(rpcenv.ErrRefused) })
			y.Settle()
		}},
		{"no answer", func(y *onYARN) {
			y.Advance(119 * time.Second)
			if len(y.driver.Views()[driver.Name]) != 1 {
				y.t.Error("it was removed before spark.rpc.askTimeout")
			}
			y.Advance(2 * time.Second)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			y := newYARNRig(t, nil)
			e := y.launched("1", 1)
			y.Settle()
			e.crash()
			y.Settle()
			c.end(y)
			if len(y.driver.Views()[driver.Name]) != 0 || !y.heardPart("Executor Process Lost: ") || !y.heardPart("CausedByApp:false") {
				t.Errorf("executors %v", y.driver.Views())
			}
		})
	}
}

// The ApplicationMaster's word can overtake its answer: the executor is removed once, and what comes for it later changes nothing.
func TestALossIsToldOnce(t *testing.T) {
	y := newYARNRig(t, nil)
	e := y.launched("1", 1)
	y.Settle()
	e.crash()
	y.Settle()
	y.am.Send(y.at(yarnscheduler.Name), &app.RemoveExecutor{ExecutorId: "1", Exited: &app.ExecutorExited{Reason: "preempted"}})
	y.am.Send(y.at(yarnscheduler.Name), &app.RemoveExecutor{ExecutorId: "none", Exited: &app.ExecutorExited{Reason: "no such"}})
	y.am.Do(func(*rpcenv.Context) { y.loss[0].Reply(&app.ExecutorExited{Reason: "later"}) })
	y.Settle()
	if !y.heardPart("Reason:preempted") || y.heardPart("Reason:later") || y.heardPart("no such") {
		t.Errorf("%+v", y.events.Waiting())
	}
}

// Spec 4.12, DecommissionExecutorsOnHost: the executors of that host, and of no other, get no more tasks and hear so.
func TestExecutorsOfAHostAreDecommissioned(t *testing.T) {
	y := newYARNRig(t, map[string]string{"spark.executor.instances": "2"})
	a, b := y.launched("1", 1), y.launched("2", 1)
	y.Settle()
	y.am.Send(y.at(yarnscheduler.Name), &app.DecommissionExecutorsOnHost{HostName: "host1"})
	y.Settle()
	if _, heard := a.Next().(*app.DecommissionExecutor); !heard {
		t.Error("executor 1 got no DecommissionExecutor")
	}
	run(y.rig, numbers.With(9))
	b.finish(b.task())
	b.finish(b.task())
	b.finish(b.task())
	if got := a.Waiting(); len(got) > 0 {
		t.Errorf("executor 1 was given %T", got[0])
	}
}

// Nobody is asked again and again for an executor that ends anyway.
func TestADecommissionedExecutorIsNotGivenBack(t *testing.T) {
	y := newYARNRig(t, map[string]string{"spark.dynamicAllocation.enabled": "true", "spark.dynamicAllocation.executorIdleTimeout": "10s"})
	y.launched("1", 1)
	y.Settle()
	y.am.Send(y.at(yarnscheduler.Name), &app.DecommissionExecutorsOnHost{HostName: "host1"})
	y.Settle()
	y.asked = nil
	y.Advance(time.Minute)
	if len(y.asked) > 0 {
		t.Errorf("the ApplicationMaster was asked %d times: %s ...", len(y.asked), y.asked[0])
	}
}

// Spec part 5, shrink: the ApplicationMaster kills executors that are idle, and that is nobody's fault; with
// spark.decommission.enabled they get DecommissionExecutor.
func TestIdleExecutorsOnYARNAreGivenBack(t *testing.T) {
	dynamic := map[string]string{"spark.dynamicAllocation.enabled": "true", "spark.dynamicAllocation.executorIdleTimeout": "10s"}
	y := newYARNRig(t, dynamic)
	e := y.launched("1", 1)
	y.asked = nil
	y.Advance(10500 * time.Millisecond)
	if !slices.Equal(y.asked, []string{"KillExecutors", "RequestExecutors"}) {
		t.Errorf("the ApplicationMaster was asked %q", y.asked)
	}
	e.crash()
	y.Settle()
	y.am.Do(func(*rpcenv.Context) {
		y.loss[0].Reply(&app.ExecutorExited{ExitCode: 143, ExitCausedByApp: true, Reason: "143"})
	})
	y.Settle()
	if !y.heardPart("Reason:Executor killed by driver. CausedByApp:false") {
		t.Errorf("%+v", y.events.Waiting())
	}

	dynamic["spark.decommission.enabled"] = "true"
	y = newYARNRig(t, dynamic)
	e = y.launched("1", 1)
	y.asked = nil
	y.Advance(time.Minute)
	if !slices.Equal(y.asked, []string{"RequestExecutors"}) {
		t.Errorf("with decommissioning the ApplicationMaster was asked %q", y.asked)
	}
	if _, heard := e.Next().(*app.DecommissionExecutor); !heard || len(e.Waiting()) > 0 {
		t.Errorf("the executor did not get one DecommissionExecutor: %v", e.Waiting())
	}
	y.am.Send(y.at(yarnscheduler.Name), &app.RemoveExecutor{ExecutorId: "1", Exited: &app.ExecutorExited{Reason: "exit 0", ExitCausedByApp: true}})
	y.Settle()
	if !y.heardPart("Reason:Executor decommission: ") || !y.heardPart("CausedByApp:false") {
		t.Errorf("%+v", y.events.Waiting())
	}
}

// Spec part 5, initial target: above the greatest number it is an error, which the driver reports before it begins.
func TestADriverTellsThatItsInitialTargetIsTooLarge(t *testing.T) {
	c, err := conf.New(map[string]string{
		"spark.dynamicAllocation.enabled": "true", "spark.dynamicAllocation.maxExecutors": "2", "spark.executor.instances": "3",
	})
	if err != nil {
		t.Fatal(err)
	}
	env := rpctest.New(t, 1).Env("Driver", c)
	_, err = driver.Start(env, driver.Config{AppName: "test", YARN: &driver.YARN{AppID: "application_1_0001"}})
	if err == nil || !strings.Contains(err.Error(), "initial executor number 3 must between min executor number 0 and max executor number 2") {
		t.Error(err)
	}
}

// Part 5, scheduling start: what is expected is the initial target, with dynamic allocation too; the share can be set.
func TestTheInitialTargetIsWhatIsExpected(t *testing.T) {
	for _, c := range []struct {
		name     string
		settings map[string]string
		want     int // executors with which tasks start
	}{
		{"static, two by default", nil, 2},
		{"static, half of four", map[string]string{"spark.executor.instances": "4", "spark.scheduler.minRegisteredResourcesRatio": "0.5"}, 2},
		{"dynamic", map[string]string{"spark.dynamicAllocation.enabled": "true", "spark.dynamicAllocation.initialExecutors": "3"}, 3},
		{"dynamic from nothing", map[string]string{"spark.dynamicAllocation.enabled": "true"}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			y := newYARNRig(t, c.settings)
			run(y.rig, numbers.With(9))
			var last *executor
			for i := range c.want {
				if last != nil && len(last.Waiting()) > 0 {
					t.Fatalf("executor %s was given %T", last.id, last.Next())
				}
				last = y.launched(fmt.Sprint(i+1), 1)
				y.Settle()
			}
			if len(last.Waiting()) == 0 {
				t.Errorf("executor %s was given nothing", last.id)
			}
		})
	}
}

// Once enough were there, tasks start on those that are left.
func TestTasksThatBeganGoOnWithFewer(t *testing.T) {
	y := newYARNRig(t, map[string]string{"spark.executor.instances": "2"})
	run(y.rig, numbers.With(9))
	a, b := y.launched("1", 1), y.launched("2", 1)
	first := a.task()
	b.crash()
	y.Settle()
	a.finish(first)
	y.Settle()
	if len(a.Waiting()) != 1 {
		t.Errorf("executor 1 was given %d tasks at once, want the next one", len(a.Waiting()))
	}
}
