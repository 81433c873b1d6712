package master

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/messages/deploy"
)

func TestNoStateFollowsAnEnd(t *testing.T) {
	for next := range WorkerUnknown + 1 {
		if _, err := WorkerDead.To(next); err == nil {
			t.Errorf("a dead worker becomes %s", next)
		}
	}
	for end := ApplicationFinished; end <= ApplicationKilled; end++ {
		for next := range ApplicationKilled + 1 {
			if _, err := end.To(next); err == nil {
				t.Errorf("an application becomes %s after %s", next, end)
			}
		}
	}
	for s := range deploy.ExecutorState_name {
		for next := range deploy.ExecutorState_name {
			got, err := executorTo(deploy.ExecutorState(s), deploy.ExecutorState(next))
			decommissioned := int32(deploy.ExecutorState_DECOMMISSIONED)
			legal := s < next && !finished(deploy.ExecutorState(s)) || s == decommissioned && finished(deploy.ExecutorState(next))
			if (err == nil) != legal {
				t.Errorf("executor %d to %d: %v", s, next, err)
			}
			if err != nil && int32(got) != s {
				t.Errorf("a refused move changes %d to %d", s, got)
			}
		}
	}
}

// These moves are legal and no others; one that is refused changes nothing and says which it was.
func TestWhichStateFollowsWhich(t *testing.T) {
	moves[RecoveryState]{
		RecoveryStandby: {RecoveryAlive, RecoveryRecovering}, RecoveryRecovering: {RecoveryCompleting}, RecoveryCompleting: {RecoveryAlive},
	}.check(t, RecoveryCompleting, RecoveryState.To)
	moves[WorkerState]{
		WorkerAlive: {WorkerDead, WorkerDecommissioned}, WorkerDecommissioned: {WorkerDead}, WorkerUnknown: {WorkerAlive, WorkerDead},
	}.check(t, WorkerUnknown, WorkerState.To)
	moves[ApplicationState]{
		ApplicationWaiting: {ApplicationRunning, ApplicationFinished, ApplicationFailed, ApplicationKilled},
		ApplicationRunning: {ApplicationFinished, ApplicationFailed, ApplicationKilled},
		ApplicationUnknown: {ApplicationWaiting, ApplicationFinished, ApplicationFailed, ApplicationKilled},
	}.check(t, ApplicationUnknown, ApplicationState.To)
	_, err := WorkerDead.To(WorkerAlive)
	if want := "master: worker cannot become ALIVE after DEAD"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// moves are the states that may follow each.
type moves[S ~int] map[S][]S

func (m moves[S]) check(t *testing.T, last S, to func(from, to S) (S, error)) {
	t.Helper()
	for from := range last + 1 {
		for next := range last + 1 {
			got, err := to(from, next)
			legal := slices.Contains(m[from], next)
			if (err == nil) != legal || legal && got != next || !legal && got != from {
				t.Errorf("%T %v to %v: %v, %v", from, from, next, got, err)
			}
		}
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
	const want = "[STANDBY ALIVE RECOVERING COMPLETING_RECOVERY state 4] [state -1 ALIVE DEAD DECOMMISSIONED UNKNOWN state 4] " +
		"[WAITING RUNNING FINISHED FAILED KILLED UNKNOWN state 6]"
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
	a := &ApplicationInfo{}
	keeper := a.addExecutor(&WorkerInfo{}, 1, Profile{})
	keeper.State, keeper.runningSince = deploy.ExecutorState_RUNNING, now
	fail := func() bool {
		e := a.addExecutor(&WorkerInfo{}, 1, Profile{})
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
	a.executors = []*ExecutorDesc{keeper}
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
