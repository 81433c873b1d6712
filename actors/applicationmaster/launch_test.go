package applicationmaster_test

import (
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/applicationmaster"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

func TestTheCommandOfAnExecutor(t *testing.T) {
	r := newRig(t, map[string]string{"spark.executorEnv.GREETING": "hello", "spark.executor.cores": "2"})
	r.extra = []*yarn.StringStringMap{{Key: "SPARK_USER", Value: "ada"}}
	r.driver = r.Probe(applicationmaster.SchedulerName)
	r.driver.On(r.playDriver)
	r.restart(attempt)
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
	if got := strings.Join(env, " "); got != "GOGC=400 GOMAXPROCS=2 GOMEMLIMIT=1024MiB SPARK_USER=ada GREETING=hello" {
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

// The end of the application is the end of the pool: what waits in it for its turn is not started. Another end after it is
// none.
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
	r.ProbeIn(r.env, "Process").Send(r.ref, applicationmaster.Terminated{})
	r.Advance(time.Second)
	if len(out) != 1 {
		t.Error(len(out), "executors were started")
	}
	r.stored = 0
	if code := r.untilExit(); code != 0 || r.finished[len(r.finished)-1].GetFinalApplicationStatus() != yarn.FinalApplicationStatus_APP_SUCCEEDED {
		t.Error("the first end was not the one that counts:", code)
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

// What an executor's container gets, field by field: each has the same files, variables and credentials.
func TestWhatAnExecutorGets(t *testing.T) {
	r := newRig(t, map[string]string{"spark.executorEnv.A": "1", "spark.executor.instances": "1"})
	r.driver = r.Probe(applicationmaster.SchedulerName)
	r.driver.On(r.playDriver)
	cfg := r.config()
	cfg.Driver = r.driver.Env.Address()
	cfg.LocalResources = []*yarn.StringLocalResourceMap{{Key: "f", Value: &yarn.LocalResource{Size: 7}}}
	cfg.Credentials = []byte("tokens")
	r.begin(r.clientEnv("AM"), cfg)
	r.Until("a call", func() bool { return len(r.calls) > 0 })
	r.run(1)
	at := r.node.Env.Address()
	same(t, "the start", r.starts[0], &yarn.StartContainersRequest{StartContainerRequest: []*yarn.StartContainerRequest{{
		ContainerToken: &yarn.Token{Kind: "ContainerToken"},
		ContainerLaunchContext: &yarn.ContainerLaunchContext{
			LocalResources: cfg.LocalResources, Tokens: cfg.Credentials,
			Environment: []*yarn.StringStringMap{
				{Key: "GOGC", Value: "400"}, {Key: "GOMAXPROCS", Value: "1"}, {Key: "GOMEMLIMIT", Value: "1024MiB"}, {Key: "A", Value: "1"},
			},
			Command: []string{
				"{{PWD}}/__app__.jar", "executor", "--driver-url", "spark://CoarseGrainedScheduler@" + r.driver.Env.Address().String(), "--executor-id", "1",
				"--hostname", at.Host, "--cores", "1", "--app-id", attempt.App.String(), "--resourceProfileId", "0", "1><LOG_DIR>/stdout", "2><LOG_DIR>/stderr",
			},
		},
	}}})
}
