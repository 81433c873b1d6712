package applicationmaster_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/applicationmaster"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func TestTheCommandOfAnExecutor(t *testing.T) {
	r := client(t, map[string]string{"spark.executorEnv.GREETING": "hello", "spark.executor.cores": "2"})
	r.run(2)
	q := r.starts[1].GetStartContainerRequest()[0]
	host, driver := r.node.Env.Address().Host, r.driver.Env.Address()
	want := "{{PWD}}/__app__.jar executor --driver-url spark://CoarseGrainedScheduler@" + driver.String() +
		" --executor-id 2 --hostname " + host + " --cores 2 --app-id " + attempt.App.String() + " --resourceProfileId 0" +
		" 1><LOG_DIR>/stdout 2><LOG_DIR>/stderr"
	if got := strings.Join(q.GetContainerLaunchContext().GetCommand(), " "); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	var env []string
	for _, e := range q.GetContainerLaunchContext().GetEnvironment() {
		env = append(env, e.GetKey()+"="+e.GetValue())
	}
	if got := strings.Join(env, " "); got != "GOGC=400 GOMAXPROCS=2 GOMEMLIMIT=1024MiB GREETING=hello" {
		t.Error(got)
	}
	if q.GetContainerToken().GetKind() != "ContainerToken" {
		t.Error("the container's token was not shown")
	}
}

func TestTheNodesTokenIsShown(t *testing.T) {
	r := client(t, nil)
	at := r.node.Env.Address()
	r.next.NmTokens = []*yarn.NMToken{{NodeId: &yarn.NodeId{Host: at.Host, Port: int32(at.Port)}, Token: &yarn.Token{Kind: "NMToken"}}}
	r.run(1)
	r.run(1)
	for _, s := range r.starts {
		if s.GetNmToken().GetKind() != "NMToken" {
			t.Error(s.GetNmToken())
		}
	}
}

func TestAtMostSoManyAreStartedAtOnce(t *testing.T) {
	r := newRig(t, map[string]string{"spark.executor.instances": "7", "spark.yarn.containerLauncherMaxThreads": "3"})
	var out []rpcenv.Call[*yarn.StartContainersResponse]
	most := 0
	r.node.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		q, ok := m.(*yarn.StartContainersRequest)
		if ok {
			out = append(out, rpcenv.Defer(c, q))
			most = max(most, len(out))
		}
		return ok
	})
	r.driver = r.Probe(applicationmaster.SchedulerName)
	r.driver.On(r.playDriver)
	r.restart(attempt)
	r.give(7)
	started := 0
	for started < 7 {
		r.Until("a start", func() bool { return len(out) > 0 })
		r.Advance(10 * time.Millisecond)
		r.node.Do(func(*rpcenv.Context) {
			out[0].Reply(&yarn.StartContainersResponse{SucceededRequests: []*yarn.ContainerId{{}}})
			out = out[1:]
			started++
		})
	}
	r.Advance(10 * time.Millisecond)
	if b := r.am.Balances()[0]; most != 3 || b.Running != 7 || b.Starting != 0 {
		t.Error(most, b)
	}
}

// The end of the application is the end of the pool: what waits in it for its turn is not started.
func TestWhatWaitsForItsTurnIsNotStartedAfterTheEnd(t *testing.T) {
	r := newRig(t, map[string]string{"spark.executor.instances": "3", "spark.yarn.containerLauncherMaxThreads": "1"})
	var out []rpcenv.Call[*yarn.StartContainersResponse]
	r.node.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		q, ok := m.(*yarn.StartContainersRequest)
		if ok {
			out = append(out, rpcenv.Defer(c, q))
		}
		return ok
	})
	r.driver = r.Probe(applicationmaster.SchedulerName)
	r.driver.On(r.playDriver)
	r.stored = 1000 // the application's end takes its time
	r.restart(attempt)
	r.give(3)
	r.Until("a start", func() bool { return len(out) > 0 })
	r.driver.Crash()
	r.Until("the end", func() bool { return len(r.finished) > 0 })
	r.node.Do(func(*rpcenv.Context) {
		out[0].Reply(&yarn.StartContainersResponse{SucceededRequests: []*yarn.ContainerId{{}}})
	})
	r.Advance(time.Second)
	if len(out) != 1 {
		t.Error(len(out), "executors were started")
	}
}

func TestANodeThatRefusesEveryLaunchEndsTheApplication(t *testing.T) {
	r := client(t, map[string]string{"spark.executor.instances": "1"})
	r.refuse = true
	for range 3 {
		r.run(1)
	}
	if code := r.untilExit(); code != applicationmaster.ExitMaxExecutorFailures {
		t.Error(code)
	}
	if last := r.calls[len(r.calls)-1]; len(last.GetRelease()) != 1 {
		t.Error("the container was not given back:", last)
	}
}

// A node that is gone is nobody's failure: what was to start there is asked for elsewhere.
func TestALaunchAtANodeThatIsGoneDoesNotCount(t *testing.T) {
	r := client(t, map[string]string{"spark.executor.instances": "1", "spark.executor.maxNumFailures": "1"})
	r.node.Crash()
	n := len(r.calls)
	r.give(1)
	r.Until("another ask", func() bool {
		for _, c := range r.calls[n:] {
			if len(c.GetRelease()) == 1 && len(c.GetAsk()) == 1 && c.GetAsk()[0].GetNumContainers() == 1 {
				return true
			}
		}
		return false
	})
	r.Advance(10 * time.Second)
	if r.exit() >= 0 {
		t.Error("it ended with", r.exit())
	}
}

func TestContainersOfHostileNamesAreIgnored(t *testing.T) {
	r := client(t, nil)
	r.give(2)
	r.next.AllocatedContainers[0].NodeId.Host = "h;rm -rf ~"
	r.next.AllocatedContainers[1].Id.AppAttemptId.AttemptId = 9
	r.untilCalls(len(r.calls) + 2)
	if len(r.starts) != 0 {
		t.Error(r.starts)
	}
}

func TestTheDriverHearsWhyAnExecutorEnded(t *testing.T) {
	r := client(t, nil)
	r.run(2)
	var got []string
	r.driver.Do(func(c *rpcenv.Context) {
		for _, id := range []string{"1", "9"} {
			rpcenv.Ask(c, r.managers[0], &app.GetExecutorLossReason{ExecutorId: id}, func(why *app.ExecutorExited, err error) {
				got = append(got, fmt.Sprintln(id, why.GetExitCode(), why.GetExitCausedByApp(), err != nil))
			})
		}
	})
	r.Advance(10 * time.Millisecond)
	if s := strings.Join(got, ";"); s != "9 0 false true\n" {
		t.Error(s)
	}
	r.end(1, 137)
	r.end(2, -102)
	r.Until("the answer", func() bool { return len(got) == 2 })
	r.Advance(10 * time.Millisecond)
	if got[1] != "1 137 true false\n" {
		t.Error(got)
	}
	if len(r.removed) != 2 || r.removed[0].GetExited().GetExitCode() != 137 || r.removed[1].GetExited().GetExitCausedByApp() {
		t.Error(r.removed)
	}
	why, err := rpctest.Ask[*app.ExecutorExited](r.driver, r.managers[0], &app.GetExecutorLossReason{ExecutorId: "2"})
	if err != nil || why.GetExitCode() != -102 {
		t.Error("a reason that nobody had asked for is kept:", why, err)
	}
}

func TestTooManyFailedExecutorsEndTheApplication(t *testing.T) {
	r := client(t, map[string]string{"spark.executor.instances": "1"})
	for i := range 3 {
		r.run(1)
		if i < 2 {
			r.endNow(int64(i+1), 1)
		} else {
			r.end(int64(i+1), 1)
		}
	}
	if code := r.untilExit(); code != applicationmaster.ExitMaxExecutorFailures {
		t.Error(code)
	}
}

// With spark.executor.failuresValidityInterval a failure is forgiven after that time.
func TestFailuresThatAreLongAgoEndNoApplication(t *testing.T) {
	r := client(t, map[string]string{"spark.executor.instances": "1", "spark.executor.failuresValidityInterval": "10s"})
	for i := range 6 {
		r.run(1)
		r.endNow(int64(i+1), 1)
		r.Advance(6 * time.Second)
	}
	if r.exit() >= 0 {
		t.Error("it ended with", r.exit())
	}
}

func TestAllNodesExcludedEndTheApplication(t *testing.T) {
	r := client(t, map[string]string{
		"spark.executor.instances": "1", "spark.yarn.executor.launch.excludeOnFailure.enabled": "true",
		"spark.excludeOnFailure.application.maxFailedExecutorsPerNode": "1", "spark.executor.maxNumFailures": "100",
	})
	r.run(1)
	r.endNow(1, 1)
	r.run(1)
	r.end(2, 1)
	r.next.NumClusterNodes = 1
	if code := r.untilExit(); code != applicationmaster.ExitMaxExecutorFailures {
		t.Error(code)
	}
	if r.calls[len(r.calls)-1].GetBlacklistRequest() != nil {
		t.Error("the end comes before the blacklist is told")
	}
}

// SPARK-20079, SPARK-12864: five executors run, the ApplicationMaster dies, the next one goes on.
func TestASecondAttemptGoesOnBehindTheLastExecutor(t *testing.T) {
	r := client(t, map[string]string{"spark.executor.instances": "2"})
	r.request(5)
	r.run(5)
	r.Find(r.env.Name()).Kill()
	r.lastID = 5
	second := attempt
	second.Attempt = 2
	r.restart(second)
	r.request(5) // the driver tells the new one its target
	r.untilCalls(len(r.calls) + 1)
	if b := r.am.Balances()[0]; b.Target != 5 || b.Pending != 5 {
		t.Error(b)
	}
	r.sequence = 0
	r.run(1)
	command := strings.Join(r.starts[5].GetStartContainerRequest()[0].GetContainerLaunchContext().GetCommand(), " ")
	if !strings.Contains(command, "--executor-id 6 ") {
		t.Error(command)
	}
}

func TestClientModeEndsWithItsDriver(t *testing.T) {
	code := func(n int32) *int32 { return &n }
	for _, v := range []struct {
		shutdown *int32
		treated  string
		exit     int
		finished []yarn.FinalApplicationStatus // none: another attempt is due
	}{
		{nil, "false", 0, []yarn.FinalApplicationStatus{yarn.FinalApplicationStatus_APP_SUCCEEDED}},
		{nil, "true", 17, nil},
		{code(0), "true", 0, []yarn.FinalApplicationStatus{yarn.FinalApplicationStatus_APP_SUCCEEDED}},
		{code(3), "false", 3, []yarn.FinalApplicationStatus{yarn.FinalApplicationStatus_APP_FAILED}},
		{code(3), "true", 3, []yarn.FinalApplicationStatus{yarn.FinalApplicationStatus_APP_FAILED}},
	} {
		r := client(t, map[string]string{"spark.yarn.am.clientModeTreatDisconnectAsFailed": v.treated})
		if v.shutdown != nil {
			r.driver.Send(r.managers[0], &app.Shutdown{ExitCode: *v.shutdown})
			r.Advance(10 * time.Millisecond)
		}
		r.driver.Crash()
		if got := r.untilExit(); got != v.exit {
			t.Errorf("%+v: exit code %d", v, got)
		}
		var finished []yarn.FinalApplicationStatus
		for _, f := range r.finished {
			finished = append(finished, f.GetFinalApplicationStatus())
		}
		if !slices.Equal(finished, v.finished) {
			t.Errorf("%+v: finished as %v", v, finished)
		}
	}
}

func TestADriverThatCannotBeReachedEndsTheAttempt(t *testing.T) {
	r := newRig(t, nil)
	cfg := r.config()
	cfg.Driver = rpcenv.Address{Host: "10.0.0.99", Port: 7077}
	r.begin(r.ClientEnv("AM1", r.conf), cfg)
	if code := r.untilExit(); code != applicationmaster.ExitUncaughtException || len(r.registrations) != 1 {
		t.Error(code, r.registrations)
	}
}

func TestBeforeTheAllocatorIsThereNothingIsTaken(t *testing.T) {
	r := cluster(t, nil)
	ok, err := rpctest.Ask[*rpc.Bool](r.driver, r.ref, &app.RequestExecutors{})
	if err != nil || ok.GetValue() {
		t.Error(ok, err)
	}
	ok, err = rpctest.Ask[*rpc.Bool](r.driver, r.ref, &app.KillExecutors{ExecutorIds: []string{"1"}})
	if err != nil || ok.GetValue() {
		t.Error(ok, err)
	}
	if _, err := rpctest.Ask[*app.ExecutorExited](r.driver, r.ref, &app.GetExecutorLossReason{ExecutorId: "1"}); err == nil {
		t.Error("a reason of nothing")
	}
}

// The program's thread waits until the allocator is ready.
func TestTheHandShakeOfClusterMode(t *testing.T) {
	r := cluster(t, nil)
	r.Advance(10 * time.Second)
	if len(r.registrations) != 0 {
		t.Fatal("it registered without a driver")
	}
	ok, err := rpctest.Ask[*rpc.Bool](r.driver, r.ref, applicationmaster.ContextReady{TrackingURL: "http://a:4040"})
	if err != nil || !ok.GetValue() || len(r.registrations) != 1 || len(r.managers) != 1 {
		t.Fatal(ok, err, len(r.registrations), len(r.managers))
	}
	q, at := r.registrations[0], r.env.Address()
	if q.GetHost() != at.Host || q.GetRpcPort() != int32(at.Port) || q.GetTrackingUrl() != "http://a:4040" {
		t.Error(q)
	}
	r.untilCalls(1)
	r.driver.Send(r.ref, applicationmaster.UserEnded{})
	if code := r.untilExit(); code != 0 || len(r.finished) != 1 {
		t.Error(code, r.finished)
	}
	if len(r.others) > 0 {
		t.Error("what is of client mode was told:", r.others)
	}
}

func TestAProgramWithoutDriverFailsAfterTheWaitTime(t *testing.T) {
	r := cluster(t, map[string]string{"spark.yarn.am.waitTime": "30s"})
	at := r.Now()
	if code := r.untilExit(); code != applicationmaster.ExitSCNotInited || r.Now().Sub(at) < 30*time.Second {
		t.Error(code, r.Now().Sub(at))
	}
	if len(r.registrations) != 0 {
		t.Error("it registered")
	}
}

// How a program ends, and what becomes of it: exit code and final status.
func TestTheEndOfAProgram(t *testing.T) {
	for _, v := range []struct {
		name    string
		ready   bool
		ended   rpcenv.Message
		attempt int32
		exit    int
		status  string // "" when the application stays registered
	}{
		{"success", true, applicationmaster.UserEnded{}, 1, 0, "APP_SUCCEEDED"},
		{"an exception", true, applicationmaster.UserEnded{Err: "no such file"}, 1, 15, ""},
		{"an exception in the last attempt", true, applicationmaster.UserEnded{Err: "no such file"}, 2, 15, "APP_FAILED"},
		{"a code of its own", true, applicationmaster.UserEnded{Code: 4, Err: "told so"}, 2, 4, "APP_FAILED"},
		{"terminated", true, applicationmaster.Terminated{}, 1, 16, ""},
		{"terminated in the last attempt", true, applicationmaster.Terminated{}, 2, 16, "APP_FAILED"},
		{"success without a driver", false, applicationmaster.UserEnded{}, 1, 13, ""},
		{"an exception without a driver", false, applicationmaster.UserEnded{Err: "early"}, 1, 13, ""},
	} {
		r := newRig(t, nil)
		env := r.Env("A", r.conf)
		r.driver = r.ProbeIn(env, applicationmaster.SchedulerName)
		r.driver.On(r.playDriver)
		cfg := r.config()
		cfg.ClusterMode, cfg.Attempt = true, ids.Attempt{App: attempt.App, Attempt: v.attempt}
		r.begin(env, cfg)
		if v.ready {
			if _, err := rpctest.Ask[*rpc.Bool](r.driver, r.ref, applicationmaster.ContextReady{}); err != nil {
				t.Fatal(err)
			}
		}
		r.driver.Send(r.ref, v.ended)
		status := ""
		code := r.untilExit()
		if len(r.finished) > 0 {
			status = r.finished[0].GetFinalApplicationStatus().String()
		}
		if code != v.exit || status != v.status {
			t.Errorf("%s: exit code %d and %q, want %d and %q", v.name, code, status, v.exit, v.status)
		}
	}
}

type staging struct{ removed *[]string }

func (s staging) Remove(*rpcenv.Blocking) error {
	*s.removed = append(*s.removed, "removed")
	return nil
}

// An end that is not stored yet is told again each 100 ms; then what the client staged is removed.
func TestUnregisterIsRepeatedUntilItIsStored(t *testing.T) {
	r := newRig(t, nil)
	env := r.Env("A", r.conf)
	r.driver = r.ProbeIn(env, applicationmaster.SchedulerName)
	r.driver.On(r.playDriver)
	var removed []string
	cfg := r.config()
	cfg.ClusterMode, cfg.Staging, cfg.HistoryURL = true, staging{&removed}, "http://h:18080"
	r.stored = 3
	r.begin(env, cfg)
	if _, err := rpctest.Ask[*rpc.Bool](r.driver, r.ref, applicationmaster.ContextReady{}); err != nil {
		t.Fatal(err)
	}
	at := r.Now()
	r.driver.Send(r.ref, applicationmaster.UserEnded{})
	if code := r.untilExit(); code != 0 || len(r.finished) != 4 || r.Now().Sub(at) < 300*time.Millisecond || len(removed) != 1 {
		t.Error(code, len(r.finished), r.Now().Sub(at), removed)
	}
	if got := r.finished[3].GetTrackingUrl(); got != "http://h:18080" {
		t.Error(got)
	}
}

// The order of the end: the last attempt removes what was staged and unregisters; success unregisters first; before another
// attempt all stays. How many attempts there are is the least of the application's wish and the cluster's.
func TestTheOrderOfTheEnd(t *testing.T) {
	for _, v := range []struct {
		attempt int32
		most    string
		ended   applicationmaster.UserEnded
		want    string
	}{
		{1, "", applicationmaster.UserEnded{}, "unregistered removed"},
		{1, "", applicationmaster.UserEnded{Err: "no"}, ""},
		{2, "", applicationmaster.UserEnded{Err: "no"}, "removed unregistered"},
		{2, "", applicationmaster.UserEnded{}, "removed unregistered"},
		{1, "1", applicationmaster.UserEnded{Err: "no"}, "removed unregistered"},
		{2, "5", applicationmaster.UserEnded{Err: "no"}, "removed unregistered"},
	} {
		settings := map[string]string{}
		if v.most != "" {
			settings["spark.yarn.maxAppAttempts"] = v.most
		}
		r := newRig(t, settings)
		env := r.Env("A", r.conf)
		r.driver = r.ProbeIn(env, applicationmaster.SchedulerName)
		r.driver.On(r.playDriver)
		var got []string
		r.rm.On(func(_ *rpcenv.Context, m rpcenv.Message) bool {
			if _, ok := m.(*yarn.FinishApplicationMasterRequest); ok {
				got = append(got, "unregistered")
			}
			return false
		})
		cfg := r.config()
		cfg.ClusterMode, cfg.Staging, cfg.Attempt = true, staging{&got}, ids.Attempt{App: attempt.App, Attempt: v.attempt}
		r.begin(env, cfg)
		if _, err := rpctest.Ask[*rpc.Bool](r.driver, r.ref, applicationmaster.ContextReady{}); err != nil {
			t.Fatal(err)
		}
		r.driver.Send(r.ref, v.ended)
		r.untilExit()
		if s := strings.Join(got, " "); s != v.want {
			t.Errorf("%+v: %q, want %q", v, s, v.want)
		}
	}
}

// In client mode the driver knows how the application ended, so an ApplicationMaster that is terminated does not say.
func TestAnExecutorLauncherThatIsTerminatedKnowsNoStatus(t *testing.T) {
	r := client(t, map[string]string{"spark.yarn.maxAppAttempts": "1"})
	r.ProbeIn(r.env, "Process").Send(r.ref, applicationmaster.Terminated{})
	if code := r.untilExit(); code != applicationmaster.ExitEarly || len(r.finished) != 1 || r.finished[0].GetFinalApplicationStatus() != yarn.FinalApplicationStatus_APP_UNDEFINED {
		t.Error(code, r.finished)
	}
	if got := r.registrations[0].GetRpcPort(); got != -1 {
		t.Error("it listens nowhere, and says", got)
	}
}

// The last words are cut to spark.yarn.am.finalMessageLimit bytes, between letters, and can be read whatever the program said.
func TestTheLastWordsAreCut(t *testing.T) {
	for limit, want := range map[string]string{"27b": "User class threw exception:", "31b": "User class threw exception: d\u00e9", "30b": "User class threw exception: d", "1m": "User class threw exception: d\u00e9?"} {
		r := cluster(t, map[string]string{"spark.yarn.am.finalMessageLimit": limit, "spark.yarn.maxAppAttempts": "1"})
		if _, err := rpctest.Ask[*rpc.Bool](r.driver, r.ref, applicationmaster.ContextReady{}); err != nil {
			t.Fatal(err)
		}
		r.driver.Send(r.ref, applicationmaster.UserEnded{Err: "d\u00e9\xff"})
		if code := r.untilExit(); code != applicationmaster.ExitExceptionUserClass || len(r.finished) != 1 || r.finished[0].GetDiagnostics() != want {
			t.Errorf("%s: %d, %v, want %q", limit, code, r.finished, want)
		}
	}
}

func TestAConfigThatLacksSomethingSaysAllOfIt(t *testing.T) {
	_, err := applicationmaster.New(applicationmaster.Config{})
	for _, part := range []string{"CONTAINER_ID", "yarn.resourcemanager.address", "--arg HOST:PORT"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not say %s", err, part)
		}
	}
}
