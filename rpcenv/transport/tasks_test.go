package transport

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestTasksAreWaitedForAndNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ts := newTasks()
		for _, name := range []string{"b", "a", "b", "c"} {
			if !ts.begin(name) {
				t.Errorf("%s may not begin", name)
			}
		}
		ts.end("c")
		ts.end("b")
		if !ts.begin("b") {
			t.Error("b may not begin again")
		}
		if first, again := ts.close(), ts.close(); !first || again {
			t.Errorf("the first to close: %v, then %v", first, again)
		}
		if ts.begin("late") {
			t.Error("something begins after the end")
		}
		began := time.Now()
		if left := ts.wait(time.Second); !slices.Equal(left, []string{"a", "b (2 times)"}) {
			t.Errorf("%q still run", left)
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("it waited %s", took)
		}
		ts.end("a")
		ts.end("b")
		if left := ts.wait(0); !slices.Equal(left, []string{"b"}) {
			t.Errorf("%q still run", left)
		}
		go func() {
			time.Sleep(2 * time.Second)
			ts.end("b")
		}()
		began = time.Now()
		if left := ts.wait(time.Minute); left != nil {
			t.Errorf("%q still run", left)
		}
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("it waited %s, the last one ended after 2 s", took)
		}
	})
}

func TestWithoutTasksNobodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ts := newTasks()
		ts.begin("a")
		ts.end("a") // nothing runs, but more may begin
		if !ts.begin("b") {
			t.Error("b may not begin")
		}
		ts.close()
		if left := ts.wait(time.Second); !slices.Equal(left, []string{"b"}) {
			t.Errorf("%q still run", left)
		}
		ts.end("b")
		began := time.Now()
		if left := ts.wait(time.Minute); left != nil || time.Since(began) > 0 {
			t.Errorf("%q still run, after %s", left, time.Since(began))
		}
	})
}
