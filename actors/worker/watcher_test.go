package worker

import (
	"errors"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/sim"
)

// watched is a Worker that a test plays and an executor that watches it.
func watched(t *testing.T) (w *rpctest.World, worker, exec *sim.Host, env *rpcenv.Env) {
	w = rpctest.New(t, 1)
	p := w.ProbeIn(w.Env("W1", nil), Name)
	env = w.ClientEnv("Exec0", nil)
	watcher, err := NewWatcher(p.Ref.String())
	if err != nil {
		t.Fatal(err)
	}
	w.Register(env, WatcherName, watcher)
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
	watcher, err := NewWatcher("spark://Worker@10.0.0.9:1")
	if err != nil {
		t.Fatal(err)
	}
	env := w.ClientEnv("Exec0", nil)
	exec := w.Find("Exec0")
	w.Register(env, WatcherName, watcher)
	w.Advance(time.Minute)
	if code, ended := exec.Exited(); !ended || code != 255 {
		t.Errorf("ended %t with %d, want 255", ended, code)
	}
	if _, err := NewWatcher("http://h:1"); !errors.Is(err, rpcenv.ErrInvalidURL) {
		t.Error("a malformed URL:", err)
	}
}

func TestTheWatcherSendsNothing(t *testing.T) {
	w := rpctest.New(t, 1)
	p := w.ProbeIn(w.Env("W1", nil), Name)
	watcher, err := NewWatcher(p.Ref.String())
	if err != nil {
		t.Fatal(err)
	}
	env := w.ClientEnv("Exec0", nil)
	ref := w.Register(env, WatcherName, watcher)
	w.ProbeIn(env, "Executor").Send(ref, wrapperspb.Bool(true)) // unexpected: only logged
	p.Quiet(10 * time.Minute)
	if _, ended := w.Find("Exec0").Exited(); ended {
		t.Error("a message ended it")
	}
}
