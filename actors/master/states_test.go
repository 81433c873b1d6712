package master

import (
	"fmt"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/machine"
	"github.com/coherer/coherer/messages/deploy"
)

// These moves are legal and no others.
func TestWhichStateFollowsWhich(t *testing.T) {
	follows(t, recoveryMoves, RecoveryCompleting, `
STANDBY -> ALIVE RECOVERING
RECOVERING -> COMPLETING_RECOVERY
COMPLETING_RECOVERY -> ALIVE`)
	follows(t, workerMoves, WorkerUnknown, `
ALIVE -> DEAD DECOMMISSIONED
DECOMMISSIONED -> DEAD
UNKNOWN -> ALIVE DEAD`)
	follows(t, applicationMoves, ApplicationUnknown, `
WAITING -> RUNNING FINISHED FAILED KILLED
RUNNING -> FINISHED FAILED KILLED
UNKNOWN -> WAITING FINISHED FAILED KILLED`)
	follows(t, executorMoves, deploy.ExecutorState(len(deploy.ExecutorState_name)-1), `
LAUNCHING -> RUNNING KILLED FAILED LOST EXITED DECOMMISSIONED
RUNNING -> KILLED FAILED LOST EXITED DECOMMISSIONED
DECOMMISSIONED -> KILLED FAILED LOST EXITED`)
	follows(t, driverMoves, deploy.DriverState_State(len(deploy.DriverState_State_name)-1), `
SUBMITTED -> RUNNING KILLED
RUNNING -> FINISHED RELAUNCHING KILLED FAILED ERROR
UNKNOWN -> RUNNING FINISHED RELAUNCHING KILLED FAILED ERROR`)
}

// follows compares which of the states up to last may follow which.
func follows[S interface {
	~int | ~int32
	fmt.Stringer
}](t *testing.T, m machine.Moves[S], last S, want string) {
	t.Helper()
	var got string
	for from := S(0); from <= last; from++ {
		var next string
		for to := S(0); to <= last; to++ {
			if m.Check(from, to) == nil {
				next += " " + to.String()
			}
		}
		if next != "" {
			got += "\n" + from.String() + " ->" + next
		}
	}
	if got != want {
		t.Errorf("%s:%s\nwant%s", m.Kind, got, want)
	}
}

// A Worker may report these states of a driver and no others.
func TestWhichStatesOfADriverAreItsEnd(t *testing.T) {
	var ends, over []string
	for n := range int32(len(deploy.DriverState_State_name)) {
		if s := deploy.DriverState_State(n); DriverOver(s) {
			ends = append(ends, s.String())
		}
		if s := deploy.DriverState_State(n); driverOver(s) {
			over = append(over, s.String())
		}
	}
	if got := fmt.Sprint(ends, over); got != "[FINISHED KILLED FAILED ERROR] [FINISHED RELAUNCHING KILLED FAILED ERROR]" {
		t.Error(got)
	}
}

func TestStatesHaveSparksNames(t *testing.T) {
	got := fmt.Sprint([]RecoveryState{0, 1, 2, 3, 4}, []WorkerState{-1, 0, 1, 2, 3, 4}, []ApplicationState{0, 1, 2, 3, 4, 5, 6})
	const want = "[STANDBY ALIVE RECOVERING COMPLETING_RECOVERY number 4] [number -1 ALIVE DEAD DECOMMISSIONED UNKNOWN number 4] " +
		"[WAITING RUNNING FINISHED FAILED KILLED UNKNOWN number 6]"
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestBackoff(t *testing.T) {
	for n, want := range map[int]time.Duration{
		1: 0, 3: 0, 4: 100 * time.Millisecond, 5: 200 * time.Millisecond, 9: 3200 * time.Millisecond, 13: 51200 * time.Millisecond,
		14: time.Minute, 1000: time.Minute,
	} {
		if got := backoff(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

// With one executor RUNNING the question whether the application is ill is open, for a minute at most.
func TestNothingIsLaunchedWhileTheQuestionIsOpen(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	a := &applicationInfo{}
	keeper := a.addExecutor(&workerInfo{}, 1, resourceProfile{})
	keeper.State, keeper.runningSince = deploy.ExecutorState_RUNNING, now
	fail := func() bool {
		e := a.addExecutor(&workerInfo{}, 1, resourceProfile{})
		a.removeExecutor(e)
		return a.executorEnded(e, false, 3, now)
	}
	for range 3 {
		if fail() {
			t.Fatal("removed with an executor RUNNING")
		}
	}
	if wait := a.health.notBefore.Sub(now); wait != healthyAfter {
		t.Errorf("waits %s", wait)
	}
	ill := *a
	ill.removeExecutor(keeper)
	if !ill.executorEnded(keeper, false, 3, now.Add(time.Second)) {
		t.Error("kept with no executor RUNNING")
	}
	a.executors = []*executorDesc{keeper}
	now = now.Add(healthyAfter)
	if fail(); a.health.failures != 0 {
		t.Errorf("%d failures beside a healthy executor", a.health.failures)
	}
}

func TestMegabytes(t *testing.T) {
	for n, want := range map[int]string{512: "512.0 MiB", 2047: "2047.0 MiB", 2048: "2.0 GiB", 5000: "4.9 GiB"} {
		if got := megabytes(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
