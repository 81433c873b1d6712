package worker

import (
	"errors"
	"strings"
	"testing"
	"time"

	logtest "github.com/sirupsen/logrus/hooks/test"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/sim"
)

func watch(t *testing.T, env *rpcenv.Env, url string) rpcenv.Ref {
	t.Helper()
	if err := Watch(env, url); err != nil {
		t.Fatal(err)
	}
	return env.Ref(env.Address(), WatcherName)
}

// watched is a Worker that a test plays and an executor that watches it.
func watched(t *testing.T) (w *rpctest.World, worker, exec *sim.Host, env *rpcenv.Env) {
	w = rpctest.New(t, 1)
	p := w.ProbeIn(w.Env("W1", nil), Name)
	env = w.ClientEnv("Exec0", nil)
	watch(t, env, p.Ref.String())
	w.Settle()
	if len(p.Events()) != 1 {
		t.Fatalf("the worker heard of %v, want one connection", p.Events())
	}
	return w, w.Find("W1"), w.Find("Exec0"), env
}

func TestTheLossOfTheWorkerEndsTheExecutor(t *testing.T) {
	w, worker, exec, _ := watched(t)
	w.Advance(time.Minute)
	if _, ended := exec.Exited(); ended {
		t.Fatal("it ended with the worker alive")
	}
	worker.Kill()
	w.Advance(5 * time.Second)
	if code, ended := exec.Exited(); !ended || code != 255 {
		t.Errorf("ended %t with %d, want 255", ended, code)
	}
}

func TestTheLossOfAnotherPeerEndsNothing(t *testing.T) {
	w, _, exec, env := watched(t)
	said := logtest.NewLocal(env.Log().Logger)
	other := w.ProbeIn(w.Env("Other", nil), "Other")
	w.ProbeIn(env, "Executor").Send(other.Ref, wrapperspb.Bool(true))
	w.Settle()
	w.Find("Other").Kill()
	w.Advance(time.Minute)
	if _, ended := exec.Exited(); ended || len(said.AllEntries()) != 0 {
		t.Errorf("ended %t, said %v", ended, said.AllEntries())
	}
}

// The look-up fails, and the connection does: one loss.
func TestTheLossOfTheWorkerIsSaidOnce(t *testing.T) {
	w := rpctest.New(t, 1)
	env := w.ClientEnv("Exec0", nil)
	said := logtest.NewLocal(env.Log().Logger)
	watch(t, env, "spark://Worker@10.0.0.9:1")
	w.Advance(time.Minute)
	var lines []string
	for _, e := range said.AllEntries() {
		lines = append(lines, e.Message)
	}
	if got, want := strings.Join(lines, "\n"), "Connecting to worker spark://Worker@10.0.0.9:1\n"+
		"Lost connection to worker rpc endpoint spark://Worker@10.0.0.9:1. Exiting."; !strings.HasPrefix(got, want) || strings.Count(got, "Exiting.") != 1 ||
		strings.Contains(got, "Successfully") {
		t.Errorf("logged\n%s", got)
	}
}

// The verifier answers that the endpoint is unknown: the process is another's, but it lives.
func TestAPeerWithoutAWorkerIsSaidToBeNone(t *testing.T) {
	w := rpctest.New(t, 1)
	at := w.Env("W1", nil).Address()
	env := w.ClientEnv("Exec0", nil)
	said := logtest.NewLocal(env.Log().Logger)
	watch(t, env, "spark://Worker@"+at.String())
	w.Advance(time.Second)
	if got := said.LastEntry().Message; got != "The look-up of worker spark://Worker@"+at.String()+" failed" {
		t.Errorf("logged %q", got)
	}
}

func TestAnExecutorThatEndsByItselfDoesNotMind(t *testing.T) {
	w, worker, exec, env := watched(t)
	p := w.ProbeIn(env, "Executor")
	p.Send(rpcenv.Ref{Address: env.Address(), Name: WatcherName}, wrapperspb.Bool(true)) // unexpected: only logged
	env.Stop(WatcherName)
	worker.Kill()
	w.Advance(time.Minute)
	if _, ended := exec.Exited(); ended {
		t.Error("it ended")
	}
}

func TestAWorkerThatCannotBeReachedEndsTheExecutor(t *testing.T) {
	w := rpctest.New(t, 1)
	env := w.ClientEnv("Exec0", nil)
	exec := w.Find("Exec0")
	watch(t, env, "spark://Worker@10.0.0.9:1")
	w.Advance(time.Minute)
	if code, ended := exec.Exited(); !ended || code != 255 {
		t.Errorf("ended %t with %d, want 255", ended, code)
	}
	if err := Watch(env, "http://h:1"); !errors.Is(err, rpcenv.ErrInvalidURL) {
		t.Error("a malformed URL:", err)
	}
}

func TestTheWatcherSendsNothing(t *testing.T) {
	w := rpctest.New(t, 1)
	p := w.ProbeIn(w.Env("W1", nil), Name)
	env := w.ClientEnv("Exec0", nil)
	ref := watch(t, env, p.Ref.String())
	w.ProbeIn(env, "Executor").Send(ref, wrapperspb.Bool(true)) // unexpected: only logged
	p.Quiet(10 * time.Minute)
	if _, ended := w.Find("Exec0").Exited(); ended {
		t.Error("a message ended it")
	}
}
