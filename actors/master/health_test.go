package master

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/messages/deploy"
)

// Each case is the ends of an application's executors, one after the other: how long after the one before, how long the
// executor was RUNNING (-1: never), and whether it ended normally. want is after each: how many ended early in a row, how many
// of them failed, how long nothing is launched, and whether the application is removed. The limit is 3.
func TestWhichEndsCount(t *testing.T) {
	type end struct {
		after, ran time.Duration
		normal     bool
	}
	const never = -1
	for name, test := range map[string]struct {
		ends []end
		want string
	}{
		"failures in a row": {
			[]end{{0, never, false}, {time.Second, 0, false}, {time.Second, time.Second, false}}, "1/1/0s 2/2/0s 3/3/0s/removed",
		},
		"normal ends are early, and no failures": {
			[]end{{0, 0, true}, {0, 0, true}, {0, never, true}, {0, 0, true}, {0, 0, true}}, "1/0/0s 2/0/0s 3/0/0s 4/0/100ms 5/0/200ms",
		},
		"a healthy one sets both back": {
			[]end{{0, 0, false}, {0, 0, false}, {0, time.Minute, false}, {0, 0, false}}, "1/1/0s 2/2/0s 0/0/0s 1/1/0s",
		},
		"one that was RUNNING for less does not": {
			[]end{{0, 0, false}, {0, 0, false}, {0, time.Minute - 1, false}}, "1/1/0s 2/2/0s 3/3/0s/removed",
		},
		"ten minutes are the same row": {
			[]end{{0, 0, false}, {10 * time.Minute, 0, false}}, "1/1/0s 2/2/0s",
		},
		"more are a new one": {
			[]end{{0, 0, false}, {10*time.Minute + 1, 0, false}}, "1/1/0s 1/1/0s",
		},
	} {
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		a := &applicationInfo{}
		var got []string
		for _, x := range test.ends {
			now = now.Add(x.after)
			e := a.addExecutor(&workerInfo{}, 1, resourceProfile{})
			if x.ran >= 0 {
				e.runningSince = now.Add(-x.ran)
			}
			a.removeExecutor(e)
			removed := a.executorEnded(e, x.normal, 3, now)
			wait := time.Duration(0)
			if !a.health.notBefore.IsZero() {
				wait = a.health.notBefore.Sub(now)
			}
			text := fmt.Sprintf("%d/%d/%s", a.health.early, a.health.failures, wait)
			if removed {
				text += "/removed"
			}
			got = append(got, text)
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

// Without a limit (-1) nothing removes an application; of 1 the first failure does.
func TestTheLimitOfFailures(t *testing.T) {
	for limit, want := range map[int]int{-1: 0, 0: 1, 1: 1, 4: 4} {
		a, removed := &applicationInfo{}, 0
		for n := 1; n <= 30 && removed == 0; n++ {
			e := a.addExecutor(&workerInfo{}, 1, resourceProfile{})
			a.removeExecutor(e)
			if a.executorEnded(e, false, limit, time.Unix(0, 0)) {
				removed = n
			}
		}
		if removed != want {
			t.Errorf("limit %d: removed at failure %d, want %d", limit, removed, want)
		}
	}
}

// Only what is RUNNING keeps an application from its removal, and only what has been so for a minute is healthy.
func TestWhatIsRunningAndWhatIsHealthy(t *testing.T) {
	now := time.Unix(1000, 0)
	executor := func(s deploy.ExecutorState, since time.Time) *executorDesc {
		return &executorDesc{State: s, runningSince: since}
	}
	for want, of := range map[string][]*executorDesc{
		"false false": {executor(deploy.ExecutorState_LAUNCHING, time.Time{})},
		"true false":  {executor(deploy.ExecutorState_RUNNING, now.Add(1-time.Minute)), executor(deploy.ExecutorState_LAUNCHING, time.Time{})},
		"true true":   {executor(deploy.ExecutorState_RUNNING, now.Add(-time.Minute)), executor(deploy.ExecutorState_RUNNING, now)},
	} {
		running, healthy := (&applicationInfo{executors: of}).running(now)
		if got := fmt.Sprint(running, " ", healthy); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
