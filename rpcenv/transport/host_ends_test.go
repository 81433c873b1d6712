package transport

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport/wire/wiretest"
)

func TestATimerFiresOnceAndNotAfterItWasStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, Options{})
		var fired []time.Duration
		began := h.Now()
		for _, d := range []time.Duration{2 * time.Second, time.Second, 0} {
			h.After(d, func() { fired = append(fired, h.Now().Sub(began)) })
		}
		stop := h.After(3*time.Second, func() { t.Error("a timer fired that was stopped") })
		stop()
		stop()
		time.Sleep(time.Minute)
		synctest.Wait()
		if want := []time.Duration{0, time.Second, 2 * time.Second}; !slices.Equal(fired, want) {
			t.Errorf("timers fired after %v, want %v", fired, want)
		}
	})
}

func TestNoTimerFiresAfterTheEndOfItsHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(Options{})
		h.After(time.Second, func() { t.Error("a timer from before the end fired") })
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		h.After(time.Second, func() { t.Error("a timer from after the end fired") })
		time.Sleep(time.Minute)
	})
}

func TestCloseWaitsForWhatRunsAndSaysWhatDoesNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(Options{CloseTimeout: 7 * time.Second})
		began := time.Now()
		h.Block("quick", func(rpcenv.Parker) { time.Sleep(time.Second) })
		h.Block("slow", func(rpcenv.Parker) { time.Sleep(time.Minute) })
		h.After(0, func() { time.Sleep(time.Minute) })
		synctest.Wait()
		cannot := errors.New("cannot be closed")
		h.keep("a", func() error { return cannot })
		h.keep("b", func() error { return nil })
		const want = "cannot be closed\nclose host: after 7s these still run: block slow, timer: cancel them before the host is closed"
		if err := h.Close(); wiretest.Says(err) != want || !errors.Is(err, cannot) || !errors.Is(err, ErrStillRun) {
			t.Errorf("closed with %v", err)
		}
		if took := time.Since(began); took != 7*time.Second {
			t.Errorf("it took %s", took)
		}
		if err := h.Close(); err != nil {
			t.Errorf("closed again with %v", err)
		}
		if h.keep("c", func() error { return nil }) {
			t.Error("it keeps something after its end")
		}
		time.Sleep(time.Minute)
	})
}

func TestExitCallsExitFuncAndRemembersTheFirstCode(t *testing.T) {
	var codes []int
	h := newHost(t, Options{ExitFunc: func(code int) { codes = append(codes, code) }})
	if code, exited := h.Exited(); code != 0 || exited {
		t.Errorf("exited with %d, %v", code, exited)
	}
	h.Exit(0)
	h.Exit(3)
	if code, exited := h.Exited(); code != 0 || !exited || !slices.Equal(codes, []int{0, 3}) {
		t.Errorf("exited with %d, %v, ExitFunc got %v", code, exited, codes)
	}
}

func TestStartIsThatOfTheOptions(t *testing.T) {
	busy := errors.New("no more processes")
	var started []string
	h := newHost(t, Options{Start: func(cmd rpcenv.Command, onExit func(rpcenv.Exit)) (rpcenv.Process, error) {
		started = append(started, cmd.Class)
		onExit(rpcenv.Exit{})
		return nil, busy
	}})
	exits := 0
	if _, err := h.Start(rpcenv.Command{Class: "C"}, func(rpcenv.Exit) { exits++ }); !errors.Is(err, busy) {
		t.Errorf("start: %v", err)
	}
	if !slices.Equal(started, []string{"C"}) || exits != 1 {
		t.Errorf("started %q, %d exits", started, exits)
	}
	_, err := newHost(t, Options{}).Start(rpcenv.Command{Class: "C"}, nil)
	if wiretest.Says(err) != "start C: this host cannot start processes: give it Options.Start" {
		t.Errorf("without the option: %v", err)
	}
}
