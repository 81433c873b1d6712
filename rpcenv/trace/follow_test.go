package trace

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace/internal/tracetest"
)

// However the records come, each entry of the merged trace comes once, and in order of time when every process has
// reported up to the moment that is asked for.
func TestFollowerHasWhatMergeHas(t *testing.T) {
	files := tracetest.SparkRun(t, 3, 5)
	want := map[string]int{}
	whole := spark.Merge(files...)
	for i := range whole.Entries {
		want[followed(&whole.Entries[i])]++
	}
	rapid.Check(t, func(t *rapid.T) {
		f, left := NewFollower(spark), slices.Clone(files)
		got := map[string]int{}
		take := func(tr *Trace) {
			if len(tr.Entries) > 0 && !tr.Start.Equal(whole.Start) {
				t.Fatalf("the start is %v, want %v", tr.Start, whole.Start)
			}
			for i := range tr.Entries {
				got[followed(&tr.Entries[i])]++
			}
		}
		f.Add("0", left[0][:1]) // the first to report is the first that began: else all times are shifted
		left[0] = left[0][1:]
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			i := rapid.IntRange(0, len(left)-1).Draw(t, "process")
			n := rapid.IntRange(0, len(left[i])).Draw(t, "records")
			f.Add(fmt.Sprint(i), left[i][:n])
			left[i] = left[i][n:]
			if rapid.Bool().Draw(t, "take") {
				take(f.Settled(tracetest.Began.Add(time.Duration(rapid.IntRange(0, 500).Draw(t, "until")) * time.Millisecond)))
			}
		}
		for i := range left {
			f.Add(fmt.Sprint(i), left[i])
		}
		take(f.Settled(time.Time{}))
		if n := len(f.Settled(time.Time{}).Entries); n != 0 || len(f.gone) != 0 {
			t.Fatalf("%d entries come again, %d messages are waited for", n, len(f.gone))
		}
		for what, n := range want {
			if got[what] != n {
				t.Fatalf("%s came %d times, want %d", what, got[what], n)
			}
		}
		for what := range got {
			if want[what] == 0 {
				t.Fatalf("%s is not in the trace", what)
			}
		}
	})
}

// followed is what does not depend on how much was known when the entry was taken.
func followed(e *Entry) string {
	if e.K == KindMsg {
		return e.ID
	}
	return e.K + " " + e.ID + " " + e.Cause + e.Name + e.Why + e.Is + e.At
}

func TestFollowerKeepsTheOrder(t *testing.T) {
	files := tracetest.SparkRun(t, 3, 5)
	f, last := NewFollower(spark), int64(-1)
	var all []Entry
	for ms := range 400 {
		now := uint64(tracetest.Began.Add(time.Duration(ms) * time.Millisecond).UnixNano())
		for i := range files {
			n := slices.IndexFunc(files[i], func(r *tracepb.Record) bool { return r.GetTime() >= now })
			if n < 0 {
				n = len(files[i])
			}
			f.Add(fmt.Sprint(i), files[i][:n])
			files[i] = files[i][n:]
		}
		for _, e := range f.Settled(time.Unix(0, int64(now)-2e6)).Entries {
			if e.Sent < last {
				t.Fatalf("%s of %d comes after %d", e.ID, e.Sent, last)
			}
			last = e.Sent
			all = append(all, e)
		}
	}
	all = append(all, f.Settled(time.Time{}).Entries...)
	files = tracetest.SparkRun(t, 3, 5)
	whole := spark.Merge(files...)
	if len(all) != len(whole.Entries) {
		t.Fatalf("%d entries, want %d", len(all), len(whole.Entries))
	}
	for i := range all {
		if a, b := &all[i], &whole.Entries[i]; a.From != b.From || a.To != b.To || a.Message != b.Message || a.Body != b.Body || a.Sent != b.Sent {
			t.Errorf("entry %d: %+v, want %+v", i, a, b)
		}
	}
	for _, s := range f.sources {
		if len(s.waiting) != 0 {
			t.Errorf("%d records are kept", len(s.waiting))
		}
	}
}
