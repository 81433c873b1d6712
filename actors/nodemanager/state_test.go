package nodemanager

import (
	"testing"
	"time"

	"github.com/coherer/coherer/actors/ids"
)

// What started, and what ended, is remembered until just its time, and no longer.
func TestWhatIsRememberedOfAContainerExpires(t *testing.T) {
	now := time.UnixMilli(1000)
	early, just, late := containerID(app1, 1), containerID(app1, 2), containerID(app1, 3)
	b := newBooks()
	for id, ms := range map[ids.Container]int64{early: 999, just: 1000, late: 1001} {
		b.started[id], b.stopped[id] = ms, time.UnixMilli(ms)
	}
	b.expire(now)
	for id, kept := range map[ids.Container]bool{early: false, just: true, late: true} {
		_, started := b.started[id]
		_, stopped := b.stopped[id]
		if started != kept || stopped != kept {
			t.Errorf("%s: its start is remembered: %t, its end: %t, want %t", id, started, stopped, kept)
		}
	}
}
