package driver_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/driver/yarnscheduler"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/actors/yarnclient"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// onYARN is a rig whose driver is on YARN, with an ApplicationMaster that the test plays.
type onYARN struct {
	*rig
	am    *rpctest.Probe
	asked []string
	loss  []rpcenv.Call[*app.ExecutorExited] // that are not answered yet
}

func newYARNRig(t *testing.T, settings map[string]string) *onYARN {
	t.Helper()
	c, err := conf.New(settings)
	if err != nil {
		t.Fatal(err)
	}
	w := rpctest.New(t, 1)
	w.NoPanic()
	y := &onYARN{rig: &rig{World: w, t: t, env: w.Env("Driver", c)}}
	y.events = w.ProbeIn(y.env, "Listener")
	y.driver, err = driver.Start(y.env, driver.Config{
		AppName: "test", Listener: y.events.Ref, YARN: &driver.YARN{AppID: "application_1_0001"},
	})
	if err != nil {
		t.Fatal(err)
	}
	y.register("AM")
	return y
}

// register lets an ApplicationMaster register.
func (y *onYARN) register(name string) {
	y.t.Helper()
	y.am = y.ProbeIn(y.ClientEnv(name, nil), "YarnAM")
	y.am.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		y.asked = append(y.asked, strings.TrimPrefix(fmt.Sprintf("%T", m), "*app."))
		switch q := m.(type) {
		case *app.RequestExecutors:
			rpcenv.Reply(c, q, &rpc.Bool{Value: true})
		case *app.KillExecutors:
			rpcenv.Reply(c, q, &rpc.Bool{Value: true})
		case *app.GetExecutorLossReason:
			y.loss = append(y.loss, rpcenv.Defer(c, q))
		}
		return true
	})
	y.am.Send(y.at(yarnscheduler.Name), &app.RegisterClusterManager{Am: y.am.Ref.Proto()})
	y.Settle()
}

// Spec 4.12 and part 5: tasks start when 0.8 of the executors that the application begins with can take them, or after 30 s.
func TestTasksOnYARNWaitForFourFifthsOfTheExecutors(t *testing.T) {
	y := newYARNRig(t, map[string]string{"spark.executor.instances": "5"})
	var all []*executor
	for i := range 3 {
		all = append(all, y.launched(fmt.Sprint(i+1), 1))
	}
	run(y.rig, numbers.With(3))
	y.Settle()
	for _, e := range all {
		if got := e.Waiting(); len(got) > 0 {
			t.Fatalf("executor %s was given %T with three of five", e.id, got[0])
		}
	}
	y.launched("4", 1).task()

	y = newYARNRig(t, map[string]string{"spark.executor.instances": "5"})
	e := y.launched("1", 1)
	run(y.rig, numbers.With(3))
	y.Advance(29 * time.Second)
	if got := e.Waiting(); len(got) > 0 {
		t.Fatalf("it was given %T after 29 s", got[0])
	}
	e.task()
	if waited := y.Now().Sub(y.Trace().Start); waited < 30*time.Second || waited > 32*time.Second {
		t.Errorf("it was given a task after %s", waited)
	}
}

// Spec 4.12: on disconnect the executor gets no tasks and the ApplicationMaster is asked why; then it is removed.
func TestTheReasonOfALossIsAskedOfTheApplicationMaster(t *testing.T) {
	y := newYARNRig(t, map[string]string{"spark.executor.instances": "1"})
	e := y.launched("1", 1)
	y.Settle()
	e.crash()
	y.Advance(time.Minute)
	if !y.heard("ExecutorChange") || len(y.loss) != 1 || !slices.Equal(y.driver.Views()[driver.Name], []string{"1"}) {
		t.Fatalf("asked %q, executors %q", y.asked, y.driver.Views())
	}
	y.am.Do(func(*rpcenv.Context) {
		y.loss[0].Reply(&app.ExecutorExited{ExitCode: 1, ExitCausedByApp: true, Reason: "the heap was full"})
	})
	y.Settle()
	if !y.heardPart("the heap was full") || len(y.driver.Views()[driver.Name]) != 0 {
		t.Errorf("executors %q", y.driver.Views())
	}

	y = newYARNRig(t, map[string]string{"spark.executor.instances": "1"})
	e = y.launched("1", 1)
	y.am.Env.Shutdown()
	y.Settle()
	e.crash()
	y.Settle()
	if !y.heardPart("Executor Process Lost: ") || !y.heardPart("AM is not yet registered.") {
		t.Error("without an ApplicationMaster it is not removed")
	}
}

// Spec 4.12: an ApplicationMaster that registers after another: the executors are removed, and the ids go on.
func TestAnotherApplicationMasterResetsTheExecutors(t *testing.T) {
	y := newYARNRig(t, nil)
	first := y.launched("3", 1)
	y.Settle()
	y.register("AM2")
	if !y.heardPart("Stale executor after cluster manager re-registered.") || len(y.driver.Views()[driver.Name]) != 0 {
		t.Errorf("executors %q", y.driver.Views())
	}
	if _, stopped := first.Next().(*app.StopExecutor); !stopped {
		t.Error("the executor got no StopExecutor")
	}
	last, err := rpctest.Ask[*app.LastAllocatedExecutorId](y.am, y.at(yarnscheduler.Name), &app.RetrieveLastAllocatedExecutorId{})
	if err != nil || last.GetId() != 3 {
		t.Error(last, err)
	}
}

// Spec 5, requestTotalExecutors: the totals by profile; with dynamic allocation the default profile's. No task has a preferred
// host and no host is excluded, so there are no hints.
func TestARequestHasTotalsAlone(t *testing.T) {
	y := newYARNRig(t, map[string]string{"spark.dynamicAllocation.enabled": "true", "spark.dynamicAllocation.initialExecutors": "2"})
	var asked []*app.RequestExecutors
	y.register("AM2")
	y.am.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		q, ok := m.(*app.RequestExecutors)
		if ok {
			asked = append(asked, q)
			rpcenv.Reply(c, q, &rpc.Bool{Value: true})
		}
		return ok
	})
	y.launched("1", 1)
	y.launched("2", 1)
	run(y.rig, numbers.With(9))
	y.Advance(3 * time.Second)
	if len(asked) == 0 {
		t.Fatal("it asks for no executor more")
	}
	totals := asked[0].GetResourceProfileToTotalExecs()
	if len(totals) != 1 || totals[0].GetTotal() != 3 || totals[0].GetProfile().GetId() != 0 {
		t.Errorf("totals %v, want three of profile 0", totals)
	}
	if asked[0].GetNumLocalityAwareTasks() != nil || asked[0].GetHostToLocalTaskCount() != nil || asked[0].GetExcludedNodes() != nil {
		t.Errorf("hints %v", asked[0])
	}
}

// The word of the ApplicationMaster on a container that has ended counts as it says.
func TestAContainersEndIsToldByTheApplicationMaster(t *testing.T) {
	y := newYARNRig(t, nil)
	y.launched("1", 1)
	y.Settle()
	y.am.Send(y.at(yarnscheduler.Name), &app.RemoveExecutor{ExecutorId: "1", Exited: &app.ExecutorExited{ExitCode: -102, Reason: "preempted"}})
	y.Settle()
	if !y.heardPart("Reason:preempted CausedByApp:false") {
		t.Errorf("%+v", y.events.Waiting())
	}
}

// Spec 4.12, stop: the ApplicationMaster hears of the end before the executors do, and starts none in their place.
func TestTheEndOfADriverOnYARN(t *testing.T) {
	y := newYARNRig(t, nil)
	e := y.launched("1", 1)
	y.Settle()
	y.stop()
	if !slices.Equal(y.asked, []string{"Shutdown", "RequestExecutors"}) {
		t.Errorf("%q", y.asked)
	}
	if _, stopped := e.Next().(*app.StopExecutor); !stopped {
		t.Error("the executor got no StopExecutor")
	}
	y.stop()
}

// In client mode the driver submits itself; an application that YARN does not take fails the jobs with its reason.
func TestADriverThatYARNDoesNotTakeFailsItsJobs(t *testing.T) {
	w := rpctest.New(t, 1)
	r := &rig{World: w, t: t, env: w.Env("Driver", nil)}
	r.events = w.ProbeIn(r.env, "Listener")
	var err error
	r.driver, err = driver.Start(r.env, driver.Config{AppName: "test", Listener: r.events.Ref, YARN: &driver.YARN{
		ResourceManager: rpcenv.Address{Host: "10.9.9.9", Port: 8032},
		Submission:      &yarnclient.Submission{Mode: submit.Client, Program: "p", Library: "l", Files: noFiles{}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := run(r, numbers.With(3)).failure(); !strings.Contains(err.Error(), "YARN did not take the application. Diagnostics message: no ResourceManager answers at 10.9.9.9:8032") {
		t.Error(err)
	}
	r.stop()
}

// noFiles is never asked: the test's submissions do not come so far.
type noFiles struct{ yarnclient.Files }
