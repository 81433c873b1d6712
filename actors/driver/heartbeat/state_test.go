package heartbeat

import (
	"slices"
	"testing"
	"time"
)

// An executor may be silent for as long as the time-out says; those that were longer are forgotten, in order of their numbers.
func TestExecutorsExpireAfterTheirTimeOut(t *testing.T) {
	const timeout = 120 * time.Second
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	l := lastSeen{"8": start.Add(1), "11": start, "10": start, "2": start, "9": start.Add(-time.Second)}
	want := []silent{{"2", timeout + 1}, {"9", timeout + 1 + time.Second}, {"10", timeout + 1}, {"11", timeout + 1}}
	if got := l.expire(start.Add(timeout+1), timeout); !slices.Equal(got, want) {
		t.Errorf("expired %v, want %v", got, want)
	}
	if _, ok := l["8"]; len(l) != 1 || !ok {
		t.Errorf("still waited for: %v", l)
	}
}
