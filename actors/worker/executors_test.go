package worker

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/sim"
)

func TestAnExecutorRunsAndExits(t *testing.T) {
	k := newKit(t)
	k.join(Config{WorkDir: "/executors"}, nil)
	k.run(0)
	if got := k.last(); got != "RUNNING" {
		t.Errorf("reported %q", got)
	}
	if s := k.state(); s.CoresUsed != 1 || s.MemoryUsed != 512 || len(s.Executors) != 1 {
		t.Errorf("while it runs: %+v", s)
	}
	k.children[0].Exit(137)
	k.untilReports(2)
	if got := k.last(); got != "EXITED Command exited with code 137 status=137" {
		t.Errorf("reported %q", got)
	}
	if s := k.state(); s.CoresUsed != 0 || s.MemoryUsed != 0 || len(s.Executors) != 0 || len(s.FinishedExecutors) != 1 {
		t.Errorf("after its end: %+v", s)
	}
	if m := k.reports[1]; m.GetAppId() != appID || m.ExecId == nil || m.GetExecId() != 0 {
		t.Errorf("reported %v", m)
	}
	if got, want := k.states("executor"), []string{
		"$app/0:  to LAUNCHING, LaunchExecutor", "$app/0: LAUNCHING to RUNNING, ", "$app/0: RUNNING to EXITED, Command exited with code 137",
	}; !slices.Equal(got, want) {
		t.Errorf("states %q", got)
	}
	want := "Executor $app/0 finished with state EXITED message Command exited with code 137 exitStatus 137"
	if got := k.lines("Executor "); !slices.Equal(got, []string{want}) {
		t.Errorf("logged %q", got)
	}
}

// An executor's process reports nothing twice, and nothing of another's.
func TestASecondEndOfAnExecutorChangesNothing(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	k.run(0)
	p := k.w.ProbeIn(k.env, "Runner")
	p.Send(k.worker, ExecutorStateChanged{AppID: appID, ExecID: 0, State: deploy.ExecutorState_RUNNING})
	p.Send(k.worker, ExecutorStateChanged{AppID: appID, ExecID: 1, State: deploy.ExecutorState_EXITED})
	k.w.Settle()
	if got := k.lines("Unknown Executor"); len(k.reports) != 1 || !slices.Equal(got, []string{
		"Unknown Executor $app/0 changed state to RUNNING", "Unknown Executor $app/1 changed state to EXITED",
	}) {
		t.Errorf("reports %v, logged %q", k.reports, got)
	}
}

// asked is a process that counts how often the Worker asks it to end.
type asked []time.Duration

func (a *asked) PID() int                 { return 4711 }
func (a *asked) Kill(grace time.Duration) { *a = append(*a, grace) }

// A second SIGTERM could end a process that is cleaning up.
func TestAProcessIsToldToEndOnce(t *testing.T) {
	k := newDriverKit(t, Config{}, map[string]string{"spark.worker.driverTerminateTimeout": "7s"})
	k.kit.run(0)
	k.run(false)
	var executor, driver asked
	k.made.books.live[0].process, k.made.books.drivers[0].process = &executor, &driver
	if s := k.state(); s.Executors[0].GetPid() != 4711 || s.Drivers[0].GetPid() != 4711 {
		t.Errorf("state %v", s)
	}
	for range 2 {
		k.master.Send(k.worker, k.kill(0))
		k.master.Send(k.worker, &deploy.KillDriver{DriverId: driverID})
	}
	k.w.Settle()
	k.env.Stop(Name)
	k.w.Settle()
	if fmt.Sprint(executor) != "[10s]" || fmt.Sprint(driver) != "[7s]" {
		t.Errorf("the executor was asked to end within %v, the driver within %v", executor, driver)
	}
}

// As a recorded Spark 4.1.4 says it.
func TestAKilledExecutorIsReportedWhenItHasEnded(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	k.run(3)
	k.master.Send(k.worker, k.kill(3))
	k.master.Send(k.worker, k.kill(3))
	k.master.Send(k.worker, k.kill(4)) // unknown: only logged
	k.untilReports(2)
	if got := k.last(); got != "KILLED Runner thread for executor $app/3 interrupted status=143" {
		t.Errorf("reported %q", got)
	}
	k.w.Advance(time.Minute)
	if len(k.reports) != 2 {
		t.Errorf("%d reports, want 2", len(k.reports))
	}
}

func TestOrdersOfAnotherMasterAreIgnored(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	launch, kill := k.launch(0), k.kill(1)
	launch.MasterUrl, kill.MasterUrl = "spark://elsewhere:1", "spark://elsewhere:1"
	k.run(1)
	k.master.Send(k.worker, launch)
	k.master.Send(k.worker, kill)
	k.w.Advance(time.Second)
	if s := k.state(); len(k.reports) != 1 || len(s.Executors) != 1 || s.Executors[0].ExecId != 1 {
		t.Errorf("obeyed: %v %+v", k.reports, s)
	}
}

func TestALaunchOfALiveExecutorIsADuplicate(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	k.run(0)
	k.master.Send(k.worker, k.launch(0))
	k.w.Advance(time.Second)
	if len(k.started) != 1 || len(k.reports) != 1 {
		t.Errorf("started %d, reports %v", len(k.started), k.reports)
	}
}

func TestLaunchesThatCannotBeAreReportedFailed(t *testing.T) {
	id := func(n int32) *int32 { return &n }
	tests := []struct {
		name   string
		change func(*deploy.LaunchExecutor)
		want   string
	}{
		{"no such class", func(m *deploy.LaunchExecutor) { m.AppDesc.Command.MainClass = "Nothing" }, "Error running executor"},
		{"no class", func(m *deploy.LaunchExecutor) { m.AppDesc.Command.MainClass = "" }, "main class"},
		{"no description", func(m *deploy.LaunchExecutor) { m.AppDesc = nil }, "main class"},
		{"out of the work directory", func(m *deploy.LaunchExecutor) { m.AppId = "../../etc" }, "no plain name"},
		{"no application", func(m *deploy.LaunchExecutor) { m.AppId = "" }, "no plain name"},
		{"a negative id", func(m *deploy.LaunchExecutor) { m.ExecId = id(-1) }, "the executor id -1 is not valid: want 0 or more"},
		{"no id", func(m *deploy.LaunchExecutor) { m.ExecId = nil }, "the executor id 0 is not valid: want 0 or more"},
		{"no cores", func(m *deploy.LaunchExecutor) { m.Cores = 0 }, "an executor with 0 cores and 512 MiB cannot run"},
		{"memory that is owed", func(m *deploy.LaunchExecutor) { m.Memory = -1 }, "an executor with 1 cores and -1 MiB cannot run"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			k := newKit(t)
			k.join(Config{WorkDir: "/executors"}, nil)
			m := k.launch(0)
			test.change(m)
			k.master.Send(k.worker, m)
			k.untilReports(1)
			if got := k.last(); !strings.HasPrefix(got, "FAILED ") || !strings.Contains(got, test.want) {
				t.Errorf("reported %q", got)
			}
			if s := k.state(); len(s.Executors) != 0 || s.CoresUsed != 0 {
				t.Errorf("kept in the books: %+v", s)
			}
		})
	}
}

func TestAProcessThatCannotBeWatchedFailed(t *testing.T) {
	k := newKit(t)
	k.w.Roles["Exec"] = func(*sim.Host, rpcenv.Command) error { return errors.New("no such file") }
	k.join(Config{}, nil)
	k.master.Send(k.worker, k.launch(0))
	k.untilReports(2)
	if got := k.last(); got != "FAILED Error running executor: no such file" {
		t.Errorf("reported %q", got)
	}
}

func TestTheCommand(t *testing.T) {
	k := newKit(t)
	k.join(Config{WorkDir: "/executors", WebUIURL: "http://h:8081"}, nil)
	m := k.launch(7)
	m.RpId = 2
	m.AppDesc.Command.Arguments = []string{
		"--worker-url", "{{WORKER_URL}}", "{{EXECUTOR_ID}}", "{{HOSTNAME}}", "{{CORES}}", "{{APP_ID}}", "{{RESOURCE_PROFILE_ID}}", "x{{CORES}}",
	}
	m.AppDesc.Command.Environment = []*deploy.EnvironmentVariable{{Name: "A", Value: "1"}, {Name: "A", Value: "2"}}
	k.master.Send(k.worker, m)
	k.untilReports(1)
	cmd := k.started[0]
	args := []string{"--worker-url", k.worker.String(), "7", k.worker.Address.Host, "1", appID, "2", "x{{CORES}}"}
	if !slices.Equal(cmd.Args, args) {
		t.Errorf("args %q, want %q", cmd.Args, args)
	}
	page := "http://h:8081/logPage/?appId=" + appID + "&executorId=7&logType="
	env := []string{"A=2", "SPARK_EXECUTOR_MEMORY=512m", "SPARK_LAUNCH_WITH_SCALA=0", "SPARK_LOG_URL_STDERR=" + page + "stderr", "SPARK_LOG_URL_STDOUT=" + page + "stdout"}
	if !slices.Equal(cmd.Env, env) {
		t.Errorf("env %q, want %q", cmd.Env, env)
	}
	if want := "/executors/" + appID + "/7"; cmd.Dir != want || cmd.Class != "Exec" {
		t.Errorf("%s in %s, want Exec in %s", cmd.Class, cmd.Dir, want)
	}
}

func TestLogPagesAreFoundThroughAReverseProxy(t *testing.T) {
	for url, want := range map[string]string{"http://front/": "http://front/proxy/w-1", "": "/proxy/w-1"} {
		k := newKit(t)
		settings := map[string]string{"spark.ui.reverseProxy": "true"}
		if url != "" {
			settings["spark.ui.reverseProxyUrl"] = url
		}
		k.join(Config{ID: "w-1", WebUIURL: "http://h:8081"}, settings)
		k.run(0)
		page := "SPARK_LOG_URL_STDOUT=" + want + "/logPage/?appId=" + appID + "&executorId=0&logType=stdout"
		if !slices.Contains(k.started[0].Env, page) {
			t.Errorf("environment %q, want %s", k.started[0].Env, page)
		}
	}
}

func TestTheEndOfTheWorkerEndsItsExecutors(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	k.run(0)
	k.env.Stop(Name)
	k.w.Until("the executor's end", func() bool { _, ended := k.children[0].Exited(); return ended })
	if code, _ := k.children[0].Exited(); code != 143 {
		t.Errorf("it ended with %d, want 143", code)
	}
	k.w.Advance(time.Minute)
	if len(k.reports) != 1 {
		t.Errorf("reports %v, want 1", k.reports)
	}
}

func TestMessagesNobodyKnowsAreRefused(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	_, err := rpctest.Ask[*rpc.Bool](k.master, k.worker, &deploy.KillExecutors{})
	if !errors.Is(err, rpcenv.ErrRefusedUnsupported) {
		t.Error(err)
	}
}

func TestTransitions(t *testing.T) {
	const (
		launching, running, decommissioned = deploy.ExecutorState_LAUNCHING, deploy.ExecutorState_RUNNING, deploy.ExecutorState_DECOMMISSIONED
		killed, exited                     = deploy.ExecutorState_KILLED, deploy.ExecutorState_EXITED
	)
	tests := []struct {
		from, to deploy.ExecutorState
		want     bool
	}{
		{launching, running, true},
		{launching, exited, true},
		{running, killed, true},
		{running, deploy.ExecutorState_FAILED, true},
		{running, running, false},
		{running, launching, false},
		{exited, running, false},
		{exited, killed, false},
		{killed, deploy.ExecutorState_LOST, false},
		{running, decommissioned, false},
		{decommissioned, exited, true},
		{launching, decommissioned, false},
		{launching, launching, false},
	}
	for _, test := range tests {
		if got := mayFollow(test.from, test.to); got != test.want {
			t.Errorf("%s to %s: %t, want %t", test.from, test.to, got, test.want)
		}
	}
}

func TestTheBooksAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		retained := rapid.IntRange(0, 20).Draw(t, "retained")
		b := newBooks(retained, 1)
		for i := range rapid.IntRange(0, 60).Draw(t, "steps") {
			if len(b.live) > 0 && rapid.Bool().Draw(t, "end") {
				x := b.live[rapid.IntRange(0, len(b.live)-1).Draw(t, "which")]
				b.end(x)
				b.end(x) // a second end changes nothing
			} else {
				b.add(&executor{key: key{fmt.Sprint("a", i%3), int32(i)}, cores: i % 4, memoryMB: i})
			}
			cores, memory := 0, 0
			for _, x := range b.live {
				cores, memory = cores+x.cores, memory+x.memoryMB
				if slices.Contains(b.ended, x) {
					t.Fatal("live and ended")
				}
			}
			if cores != b.coresUsed || memory != b.memoryUsedMB || len(b.ended) > retained {
				t.Fatalf("used %d cores, %d MiB, want %d, %d; %d ended kept", b.coresUsed, b.memoryUsedMB, cores, memory, len(b.ended))
			}
		}
	})
}

func TestTrimDropsTheOldestTenth(t *testing.T) {
	list := make([]*executor, 21)
	for i := range list {
		list[i] = &executor{key: key{"a", int32(i)}}
	}
	got := trim(list, 20)
	if len(got) != 19 || got[0].key.id != 2 {
		t.Errorf("kept %d from %v, want 19 from a/2", len(got), got[0].key)
	}
	if got := trim(list, 21); len(got) != 21 {
		t.Errorf("kept %d of as many as may be kept", len(got))
	}
}

func TestTheEndOfAnExecutorSaysWhy(t *testing.T) {
	for _, test := range []struct {
		exit rpcenv.Exit
		want string
	}{
		{rpcenv.Exit{}, "Command exited with code 0"},
		{rpcenv.Exit{Code: 1}, "Command exited with code 1"},
		{rpcenv.Exit{Code: 1, Words: "error: no space left"}, "Command exited with code 1: error: no space left"},
	} {
		if got := exited(test.exit); got != test.want {
			t.Errorf("%+v: %q, want %q", test.exit, got, test.want)
		}
	}
}
