package applicationmaster_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/applicationmaster"
	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// begun starts an ApplicationMaster in cluster mode, with a driver, for one attempt alone unless settings say otherwise.
func begun(t *testing.T, settings map[string]string, change func(*applicationmaster.Config)) *rig {
	t.Helper()
	if settings == nil {
		settings = map[string]string{"spark.yarn.maxAppAttempts": "1"}
	}
	r := newRig(t, settings)
	const host = "10.7.0.1"
	env, err := rpcenv.New(r.Host("A", host), rpcenv.Config{Name: "A", Listen: rpcenv.Address{Host: host, Port: 7077}, Conf: r.conf, Log: r.logTo()})
	if err != nil {
		t.Fatal(err)
	}
	r.driver = r.ProbeIn(env, applicationmaster.SchedulerName)
	r.driver.On(r.playDriver)
	cfg := r.config()
	cfg.ClusterMode = true
	change(&cfg)
	r.begin(env, cfg)
	if _, err := rpctest.Ask[*rpc.Bool](r.driver, r.ref, applicationmaster.ContextReady{}); err != nil {
		t.Fatal(err)
	}
	return r
}

// The first and the last message to the ResourceManager, field by field; and each end in words.
func TestTheWordsOfTheEnd(t *testing.T) {
	tok := &yarn.Token{Kind: "AMRMToken"}
	for _, v := range []struct {
		ended  rpcenv.Message
		reason string
		status yarn.FinalApplicationStatus
		code   int
	}{
		{applicationmaster.UserEnded{}, "", yarn.FinalApplicationStatus_APP_SUCCEEDED, 0},
		{applicationmaster.UserEnded{Err: "no such file"}, "User class threw exception: no such file", yarn.FinalApplicationStatus_APP_FAILED, 15},
		{applicationmaster.UserEnded{Code: 4, Err: "told so"}, "User application exited with status 4: told so", yarn.FinalApplicationStatus_APP_FAILED, 4},
		{applicationmaster.Terminated{}, "Shutdown hook called before final status was reported.", yarn.FinalApplicationStatus_APP_FAILED, 16},
	} {
		r := begun(t, nil, func(c *applicationmaster.Config) { c.Token, c.TrackingURL, c.HistoryURL = tok, "http://t", "http://h" })
		same(t, "the registration", r.registrations[0], &yarn.RegisterApplicationMasterRequest{
			Host: "10.7.0.1", RpcPort: 7077, TrackingUrl: "http://t", ApplicationAttemptId: attempt.Proto(), AmRmToken: tok,
		})
		r.untilCalls(1)
		if got := r.calls[0].GetAmRmToken(); got.GetKind() != "AMRMToken" {
			t.Error(got)
		}
		r.driver.Send(r.ref, v.ended)
		r.untilExit()
		if len(r.finished) != 1 {
			t.Fatal(r.finished)
		}
		same(t, "the end", r.finished[0], &yarn.FinishApplicationMasterRequest{
			Diagnostics: v.reason, TrackingUrl: "http://h", FinalApplicationStatus: v.status, ApplicationAttemptId: attempt.Proto(), AmRmToken: tok,
		})
		level := "error"
		if v.code == 0 {
			level = "info"
		}
		if got, want := r.lines("exit"), fmt.Sprintf("info Final app status: %s, exitCode: %d, (reason: %s)\n%s exit %d: %s\n", v.status, v.code, v.reason, level, v.code, v.reason); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	}
}

// A ResourceManager that was started anew takes the end of an ApplicationMaster only when it is registered. One that refuses
// that is not told; the application's files go all the same, or are warned of.
func TestTheEndAtAResourceManagerThatForgot(t *testing.T) {
	for _, refused := range []bool{false, true} {
		var removed []string
		r := begun(t, nil, func(c *applicationmaster.Config) { c.Staging = staging{&removed} })
		r.untilCalls(1)
		forgot := true
		r.rm.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
			switch q := m.(type) {
			case *yarn.RegisterApplicationMasterRequest:
				if forgot = false; refused {
					rpcenv.Fail(c, q, rpcenv.NewRefusal("x.no", "no more"))
				}
				return refused
			case *yarn.FinishApplicationMasterRequest:
				if forgot {
					rpcenv.Fail(c, q, exceptions.ApplicationMasterNotRegistered)
				}
				return forgot
			}
			return false
		})
		r.driver.Send(r.ref, applicationmaster.UserEnded{})
		if code := r.untilExit(); code != 0 || len(removed) != 1 {
			t.Error(code, removed)
		}
		told := r.lines("does not know that")
		if refused && told != "warning The ResourceManager does not know that the application has ended: no more\n" || !refused && (told != "" || len(r.finished) != 1 || len(r.registrations) != 2) {
			t.Errorf("%q, %v", told, r.finished)
		}
		if !refused {
			same(t, "the registration for the end", r.registrations[1], r.registrations[0])
		}
	}
}

// An end that the ResourceManager refuses is not reported again.
func TestAnEndThatIsRefused(t *testing.T) {
	r := begun(t, nil, func(*applicationmaster.Config) {})
	r.rm.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		q, ok := m.(*yarn.FinishApplicationMasterRequest)
		if ok {
			r.finished = append(r.finished, q)
			rpcenv.Fail(c, q, rpcenv.NewRefusal("x.no", "not you"))
		}
		return ok
	})
	r.driver.Send(r.ref, applicationmaster.UserEnded{})
	if code := r.untilExit(); code != 0 || len(r.finished) != 1 || r.lines("does not know that") != "warning The ResourceManager does not know that the application has ended: not you\n" {
		t.Error(code, r.finished, r.lines("does not know that"))
	}
}

// While the ResourceManager does not answer the report of the end, the ApplicationMaster makes no other call and repeats none.
func TestAfterTheEndNothingElseIsCalled(t *testing.T) {
	settings := map[string]string{"spark.yarn.maxAppAttempts": "1", "spark.hadoop.yarn.resourcemanager.connect.retry-interval.ms": "1000"}
	r := begun(t, settings, func(*applicationmaster.Config) {})
	r.untilCalls(1)
	r.Advance(50 * time.Millisecond) // it is answered, and the next one is due
	r.stored = 30
	r.driver.Send(r.ref, applicationmaster.UserEnded{})
	r.untilExit()
	if len(r.finished) != 31 || len(r.calls) != 1 {
		t.Errorf("%d ends, %d calls", len(r.finished), len(r.calls))
	}

	r = begun(t, settings, func(*applicationmaster.Config) {})
	r.fail = exceptions.Retriable
	r.untilCalls(2)
	r.Advance(50 * time.Millisecond)
	r.driver.Send(r.ref, applicationmaster.UserEnded{})
	r.stored = 30
	r.untilExit()
	if len(r.finished) != 31 || len(r.calls) != 2 {
		t.Errorf("%d ends, %d calls", len(r.finished), len(r.calls))
	}
}

// stuck is a staging directory that cannot be removed.
type stuck struct{}

func (stuck) Remove(*rpcenv.Blocking) error { return errors.New("it is in use") }

func TestFilesThatStayAreWarnedOf(t *testing.T) {
	r := begun(t, nil, func(c *applicationmaster.Config) { c.Staging = stuck{} })
	r.driver.Send(r.ref, applicationmaster.UserEnded{})
	if code := r.untilExit(); code != 0 || r.lines("staging") != "warning Failed to cleanup staging dir: it is in use\n" {
		t.Error(code, r.lines("staging"))
	}
}

// slowly is a staging directory that takes a second to remove.
type slowly struct{}

func (slowly) Remove(b *rpcenv.Blocking) error { return b.Sleep(time.Second) }

// The program that waits for the allocator hears why it gets none; settings that cannot be, and a driver that does not say which
// executors it had, are such reasons.
func TestWhyThereIsNoAllocator(t *testing.T) {
	for why, change := range map[string]func(r *rig){
		"Uncaught exception: register: not you": func(r *rig) {
			r.rm.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
				q, ok := m.(*yarn.RegisterApplicationMasterRequest)
				if ok {
					rpcenv.Fail(c, q, rpcenv.NewRefusal("x.no", "not you"))
				}
				return ok
			})
		},
		"Uncaught exception: the driver's last executor id: no idea": func(r *rig) {
			r.driver.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
				q, ok := m.(*app.RetrieveLastAllocatedExecutorId)
				if ok {
					rpcenv.Fail(c, q, rpcenv.NewRefusal("x.no", "no idea"))
				}
				return ok
			})
		},
	} {
		r := newRig(t, map[string]string{"spark.yarn.maxAppAttempts": "1"})
		env := r.Env("A", r.conf)
		r.driver = r.ProbeIn(env, applicationmaster.SchedulerName)
		r.driver.On(r.playDriver)
		change(r)
		cfg := r.config()
		cfg.ClusterMode, cfg.Staging = true, slowly{}
		r.begin(env, cfg)
		_, err := rpctest.Ask[*rpc.Bool](r.driver, r.ref, applicationmaster.ContextReady{})
		if err == nil || err.Error() != "refused: "+why {
			t.Errorf("%v, want %s", err, why)
		}
		r.untilExit()
	}
	r := newRig(t, map[string]string{"spark.dynamicAllocation.enabled": "true", "spark.dynamicAllocation.minExecutors": "5", "spark.dynamicAllocation.maxExecutors": "1"})
	r.driver = r.Probe(applicationmaster.SchedulerName)
	r.driver.On(r.playDriver)
	cfg := r.config()
	cfg.Driver = r.driver.Env.Address()
	r.begin(r.clientEnv("AM"), cfg)
	if code := r.untilExit(); code != applicationmaster.ExitUncaughtException || len(r.calls) > 0 {
		t.Error(code, len(r.calls))
	}
}

// A driver's Shutdown in cluster mode does not make an attempt the last: its failure leaves the application to the next.
func TestAShutdownInClusterModeIsNotTheEnd(t *testing.T) {
	r := begun(t, map[string]string{}, func(*applicationmaster.Config) {})
	r.driver.Send(r.ref, &app.Shutdown{})
	r.driver.Send(r.ref, applicationmaster.UserEnded{Err: "no"})
	if code := r.untilExit(); code != applicationmaster.ExitExceptionUserClass || len(r.finished) != 0 {
		t.Error(code, r.finished)
	}
}

// An ApplicationMaster that never registered has nothing to report to the ResourceManager, also in the last attempt.
func TestWhatNeverRegisteredTellsNoEnd(t *testing.T) {
	r := newRig(t, map[string]string{"spark.yarn.maxAppAttempts": "1"})
	r.rm.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		q, ok := m.(*yarn.RegisterApplicationMasterRequest)
		if ok {
			rpcenv.Fail(c, q, rpcenv.NewRefusal("x.no", "not you"))
		}
		return ok
	})
	var removed []string
	cfg := r.config()
	cfg.Driver, cfg.Staging = rpcenv.Address{Host: "10.0.0.99", Port: 7077}, staging{&removed}
	r.begin(r.clientEnv("AM"), cfg)
	if code := r.untilExit(); code != applicationmaster.ExitUncaughtException || len(r.finished) != 0 || len(removed) != 1 {
		t.Error(code, r.finished, removed)
	}
	if got := r.lines("exit 10"); got != "error exit 10: Uncaught exception: register: not you\n" {
		t.Error(got)
	}
}
