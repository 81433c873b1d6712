package rdd

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

// tired sleeps n ms before each number n.
var tired = Define("tired", func(n int64) Dataset[int64] {
	return Sleep(Range(0, n, 1), func(n int64) time.Duration { return time.Duration(n) * time.Millisecond })
})

func TestSleepPausesBeforeEachRecord(t *testing.T) {
	var slept []time.Duration
	l := lineageOf(t, tired.With(4))
	res, err := l.RunResult(Task{Node: l.Last(), Sleep: func(d time.Duration) error {
		slept = append(slept, d)
		return nil
	}}, ActionCount)
	if err != nil || res.Count != 4 {
		t.Fatalf("%d records, error %v", res.Count, err)
	}
	want := []time.Duration{time.Millisecond, 2 * time.Millisecond, 3 * time.Millisecond} // none for 0
	if !slices.Equal(slept, want) {
		t.Errorf("slept %v, want %v", slept, want)
	}
}

func TestSleepEndsATask(t *testing.T) {
	l := lineageOf(t, tired.With(4))
	_, err := l.RunResult(Task{Node: l.Last(), Sleep: func(time.Duration) error { return errBroken }}, ActionCount)
	if err != errBroken { //nolint:errorlint // it must come back unchanged
		t.Errorf("error %v", err)
	}
}

func TestSleepNeedsAClock(t *testing.T) {
	l := lineageOf(t, tired.With(4))
	if _, err := l.RunResult(Task{Node: l.Last()}, ActionCount); !errors.Is(err, ErrBadTask) {
		t.Errorf("error %v", err)
	}
}

func TestLocalSleepsInNoTime(t *testing.T) {
	n, err := Count(t.Context(), Local(nil), tired.With(100_000)) // 58 days
	if err != nil || n != 100_000 {
		t.Errorf("%d records, error %v", n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Count(ctx, Local(nil), tired.With(2)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
