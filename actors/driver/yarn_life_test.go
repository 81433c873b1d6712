package driver_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	logtest "github.com/sirupsen/logrus/hooks/test"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/driver/allocation"
	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/yarnscheduler"
	"github.com/coherer/coherer/actors/yarnclient"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// newLonelyRig is a driver on YARN without an ApplicationMaster, with a YarnClient that the test plays.
func newLonelyRig(t *testing.T, id string, settings map[string]string) (r *rig, client *rpctest.Probe) {
	t.Helper()
	c, err := conf.New(settings)
	if err != nil {
		t.Fatal(err)
	}
	w := rpctest.New(t, 1)
	w.NoPanic()
	r = &rig{World: w, t: t, env: w.Env("Driver", c)}
	r.events = w.ProbeIn(r.env, "Listener")
	r.driver, err = driver.Start(r.env, driver.Config{AppName: "test", Listener: r.events.Ref, YARN: &driver.YARN{AppID: id}})
	if err != nil {
		t.Fatal(err)
	}
	client = w.ProbeIn(r.env, yarnclient.Name)
	r.Settle()
	return r, client
}

// starts are the starts of the application that the listener heard of.
func (r *rig) starts() []event.ApplicationStart {
	var out []event.ApplicationStart
	for _, m := range r.events.Waiting() {
		if s, ok := m.(event.ApplicationStart); ok {
			out = append(out, s)
		}
	}
	return out
}

// stopWith ends the driver with an exit code and returns its error.
func (r *rig) stopWith(code int) (err error) {
	r.t.Helper()
	done := false
	r.env.Go("stop", func(b *rpcenv.Blocking) error {
		if code == 0 {
			err = r.driver.Stop(b)
		} else {
			err = r.driver.StopWith(b, code)
		}
		done = true
		return nil
	})
	r.Until("the driver's stop", func() bool { return done })
	return err
}

// In cluster mode the application has begun when its driver begins; in client mode YARN has to take it.
func TestWhenAnApplicationOnYARNBegins(t *testing.T) {
	want := []event.ApplicationStart{{AppID: "application_1_0001", Name: "test"}}
	r, _ := newLonelyRig(t, "application_1_0001", nil)
	if got := r.starts(); !slices.Equal(got, want) {
		t.Errorf("cluster mode: %+v", got)
	}
	r, client := newLonelyRig(t, "", nil)
	if got := r.starts(); len(got) > 0 {
		t.Errorf("client mode, before it is taken: %+v", got)
	}
	log := logtest.NewLocal(r.env.Log().Logger)
	client.Send(r.at(driver.Name), yarnclient.Submitted{AppID: "application_1_0001"})
	client.Send(r.at(driver.Name), yarnclient.Running{})
	r.Settle()
	if got := r.starts(); !slices.Equal(got, want) {
		t.Errorf("client mode: %+v", got)
	}
	if got := logged(log, ""); !slices.Equal(got, []string{"info The application has started running"}) || log.LastEntry().Data["app"] != "application_1_0001" {
		t.Errorf("log %q, %v", got, log.LastEntry().Data)
	}
}

// What YARN says of the end fails the jobs; a driver that ends by itself knows it.
func TestTheEndOfAnApplicationOnYARNFailsItsJobs(t *testing.T) {
	const failed = "Job aborted due to stage failure: "
	for _, k := range []struct {
		end  yarnclient.Ended
		want string
	}{
		{yarnclient.Ended{AppID: "a", State: yarn.YarnApplicationState_KILLED}, failed +
			"YARN application has exited unexpectedly with state KILLED! Check the YARN application logs for more details."},
		{yarnclient.Ended{AppID: "a", State: yarn.YarnApplicationState_FAILED, Diagnostics: "why"}, failed +
			"YARN application has exited unexpectedly with state FAILED! Check the YARN application logs for more details. Diagnostics message: why"},
		{yarnclient.Ended{Diagnostics: "why"}, failed + "YARN did not take the application. Diagnostics message: why"},
	} {
		r, client := newLonelyRig(t, "", nil)
		j := run(r, numbers.With(3))
		client.Send(r.at(driver.Name), k.end)
		if err := j.failure(); !strings.HasSuffix(err.Error(), k.want) {
			t.Errorf("%+v: %v", k.end, err)
		}
		r, client = newLonelyRig(t, "", nil)
		log := logtest.NewLocal(r.env.Log().Logger)
		client.Send(r.at(driver.Name), k.end)
		r.Advance(time.Second)
		if got := logged(log, strings.TrimPrefix(k.want, failed)); len(got) != 1 {
			t.Errorf("without a job the log has %q", got)
		}
	}
	r, client := newLonelyRig(t, "", nil)
	j := run(r, numbers.With(3))
	if _, err := rpctest.Ask[*rpc.Bool](client, r.at(driver.Name), driver.StopExecutors{}); err != nil {
		t.Fatal(err)
	}
	client.Send(r.at(driver.Name), yarnclient.Ended{AppID: "a"})
	r.Advance(time.Second)
	if j.done {
		t.Errorf("a driver that ends takes the end for a failure: %v", j.err)
	}
}

// The ApplicationMaster hears the exit code; the YarnClient gives up the application of one that does not hear it. Nothing of a
// driver is left, so another one may start there.
func TestWhoHearsOfTheEndOfADriverOnYARN(t *testing.T) {
	y := newYARNRig(t, nil)
	client := y.ProbeIn(y.env, yarnclient.Name)
	code := int32(-1)
	y.am.On(func(_ *rpcenv.Context, m rpcenv.Message) bool {
		if q, ok := m.(*app.Shutdown); ok {
			code = q.GetExitCode()
		}
		return false
	})
	if err := y.stopWith(3); err != nil || code != 3 || len(client.Waiting()) > 0 {
		t.Errorf("%v; the ApplicationMaster heard %d, the YarnClient %v", err, code, client.Waiting())
	}
	if _, err := driver.Start(y.env, driver.Config{AppName: "next", YARN: &driver.YARN{}}); err != nil {
		t.Error(err)
	}

	for _, fails := range []bool{false, true} {
		r, client := newLonelyRig(t, "", nil)
		gaveUp := 0
		client.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
			q, ok := m.(yarnclient.GiveUp)
			switch {
			case !ok:
				return false
			case fails:
				rpcenv.Fail(c, q, fmt.Errorf("%w: no way", rpcenv.ErrRefused))
			default:
				rpcenv.Reply(c, q, &rpc.Bool{Value: true})
			}
			gaveUp++
			return true
		})
		err := r.stopWith(0)
		if gaveUp != 1 || errors.Is(err, rpcenv.ErrRefused) != fails {
			t.Errorf("given up %d times: %v", gaveUp, err)
		}
		if _, err := rpctest.Ask[*rpc.Bool](r.events, r.at(yarnclient.Name), yarnclient.GiveUp{}); !errors.Is(err, rpcenv.ErrRefusedNotFound) {
			t.Errorf("the YarnClient is still there: %v", err)
		}
	}
}

// A standalone driver leaves nothing either.
func TestAnotherDriverMayStartWhereOneEnded(t *testing.T) {
	e := newElastic(t, nil)
	e.stop()
	if _, err := driver.Start(e.env, driver.Config{AppName: "next", Masters: []rpcenv.Address{e.master.Ref.Address}}); err != nil {
		t.Error(err)
	}
}

// What the ApplicationMaster is asked names the executor that is meant.
func TestTheApplicationMasterIsAskedOfTheExecutor(t *testing.T) {
	y := newYARNRig(t, nil)
	var asked []string
	y.am.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		switch q := m.(type) {
		case *app.KillExecutors:
			asked = append(asked, fmt.Sprint("kill ", q.GetExecutorIds()))
		case *app.GetExecutorLossReason:
			asked = append(asked, "why "+q.GetExecutorId())
			rpcenv.Reply(c, q, &app.ExecutorExited{Reason: "why", ExitCausedByApp: true})
			return true
		}
		return false
	})
	y.launched("1", 1)
	e := y.launched("2", 1)
	y.Settle()
	if got := y.asksToKill(allocation.KillExecutors{IDs: []string{"1"}}); got != "[1]" {
		t.Errorf("removed %s", got)
	}
	e.crash()
	y.Settle()
	if !slices.Equal(asked, []string{"kill [1]", "why 2"}) {
		t.Errorf("asked %q", asked)
	}
	all := y.changes()
	if last := all[len(all)-1]; last.ExecutorID != "2" || last.Reason != "why" || !last.CausedByApp {
		t.Errorf("%+v", last)
	}
}

// With dynamic allocation the next ApplicationMaster hears the target at once: ExecutorAllocationManager hears of it.
func TestTheNextApplicationMasterHearsTheTarget(t *testing.T) {
	y := newYARNRig(t, map[string]string{"spark.dynamicAllocation.enabled": "true", "spark.dynamicAllocation.initialExecutors": "2"})
	y.launched("1", 1)
	y.launched("2", 1)
	y.Settle()
	y.asked = nil
	y.register("AM2")
	if !slices.Equal(y.asked, []string{"RequestExecutors"}) || len(y.driver.Views()[driver.Name]) > 0 {
		t.Errorf("asked %q, executors %v", y.asked, y.driver.Views())
	}
}

// With too few executors the log says how many the tasks wait for.
func TestWhatTasksOnYARNWaitFor(t *testing.T) {
	r, _ := newLonelyRig(t, "application_1_0001", map[string]string{"spark.executor.instances": "5"})
	log := logtest.NewLocal(r.env.Log().Logger)
	run(r, numbers.With(3))
	r.Settle()
	if got := logged(log, "Tasks wait: the first task starts when 4 of 5 executors can take tasks, or 30s after the start of the driver; 0 can: "); len(got) != 1 {
		t.Errorf("log %q", logged(log, "Tasks wait"))
	}
	if _, err := rpctest.Ask[yarnscheduler.LastExecutorID](r.events, r.at(driver.Name), yarnscheduler.RetrieveLastExecutorID{}); err != nil {
		t.Error(err)
	}
}
