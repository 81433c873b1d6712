package worker

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/sim"
)

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
