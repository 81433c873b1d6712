package heartbeat

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// silent is an executor that was not heard of for too long.
type silent struct {
	id    string
	quiet time.Duration
}

// lastSeen is when each executor was heard of last.
type lastSeen map[string]time.Time

// seen notes a sign of life; false for an unknown executor.
func (l lastSeen) seen(id string, now time.Time) bool {
	if _, known := l[id]; !known {
		return false
	}
	l[id] = now
	return true
}

// expire forgets and returns the executors that are silent for longer than timeout, by their ids.
func (l lastSeen) expire(now time.Time, timeout time.Duration) []silent {
	var out []silent
	for _, id := range slices.SortedFunc(maps.Keys(l), byNumber) {
		if quiet := now.Sub(l[id]); quiet > timeout {
			// So that each silence is reported once.
			delete(l, id)
			out = append(out, silent{id, quiet})
		}
	}
	return out
}

// byNumber orders ids that are numbers as numbers.
func byNumber(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

// Executors are those whose heartbeats are waited for, in order.
func (r *Receiver) Executors() []string { return slices.Sorted(maps.Keys(r.lastSeen)) }
