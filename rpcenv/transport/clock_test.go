package transport

import (
	"testing"
	"testing/synctest"
	"time"
)

// The clock says what the wall clock says, and reads it again after a while: somebody may have set it.
func TestTheClockIsTheWallClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c clock
		same := func() {
			t.Helper()
			if got, want := c.now(), time.Now(); !got.Equal(want) || got.UnixNano() != want.UnixNano() {
				t.Errorf("%v, it is %v", got, want)
			}
		}
		same()
		first := c.read.Load()
		time.Sleep(rereadEvery - 1)
		if same(); c.read.Load() != first {
			t.Error("it is read again too early")
		}
		time.Sleep(time.Nanosecond)
		if same(); c.read.Load() == first {
			t.Error("it is not read again")
		}
	})
}

func BenchmarkClock(b *testing.B) {
	var c clock
	b.ReportAllocs()
	for b.Loop() {
		c.now()
	}
}
