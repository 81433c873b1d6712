package tasks

import (
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// slowly is a set of n tasks on executor a, of which the last m have run for a minute and the others finished within a second,
// having read 100 records in it.
func slowly(n, m int, cfg Speculation, s Set) *kit {
	p := newKit(1, Config{MaxFailures: 4, Speculation: cfg})
	p.Submit(s)
	p.Offers(at{{"a", "h1", n}}, inOrder)
	p.now = p.now.Add(time.Second)
	for id := range int64(n - m) {
		p.Update(id, app.TaskState_FINISHED, &app.TaskResult{RecordsRead: 100, RunMs: 1000}, nil)
	}
	p.now = p.now.Add(time.Minute)
	return p
}

// quick asks only for how long a task has run: without efficiency, the rate and the long run do not count.
var quick = Speculation{Enabled: true, Multiplier: 2, Quantile: 0.5, LongRunFactor: 1000}

// A task starts a second time, on another host, once. Its copy that ended needs no other.
func TestASlowTaskHasOneCopy(t *testing.T) {
	s := newSet(7, 1, 0, 4)
	s.Tasks[2].Locations, s.Tasks[3].Locations = []Location{{Host: "h9"}}, []Location{{Host: "h2"}}
	p := slowly(4, 2, quick, s)
	slow := p.Speculate(p.now)
	of := func(index int32) rpcenv.Message {
		return SpeculativeTaskSubmitted{Set: SetID{7, 1}, Index: index, Partition: index}
	}
	if !slices.Equal(slow.DAG, []rpcenv.Message{of(2), of(3)}) || !slow.Revive {
		t.Fatalf("%+v", slow)
	}
	want(t, names(p.Offers(at{{"a", "h1", 9}}, inOrder)))
	want(t, names(p.Offers(at{{"b", "h2", 1}}, inOrder)), "b: task 3.1 in stage 7.1 (TID 4)")
	want(t, names(p.Offers(at{{"c", "h3", 9}}, inOrder)), "c: task 2.1 in stage 7.1 (TID 5)")
	ended := p.fail(4, KindExceptionFailure)
	if e := ended[0].(CompletionEvent); !e.Speculative {
		t.Errorf("%+v", e)
	}
	p.fail(5, KindExceptionFailure)
	want(t, names(p.Offers(at{{"c", "h3", 9}, {"d", "h4", 9}}, inOrder)))
}

// Of a set that is over nothing is slow, nor of one of which too little is known.
func TestNothingIsSlowThatNobodyWaitsFor(t *testing.T) {
	p := slowly(4, 2, quick, newSet(0, 0, 0, 4))
	p.Cancel(0, "")
	if e := p.Speculate(p.now); len(e.DAG) > 0 {
		t.Errorf("%+v", e)
	}
	p = slowly(4, 2, quick, newSet(0, 0, 0, 4))
	p.PartitionCompleted(0, 2, p.now)
	if e := p.Speculate(p.now); len(e.DAG) != 1 {
		t.Errorf("%+v", e)
	}
	p = newKit(1, Config{Speculation: quick, Profiles: map[int32]*Profile{0: {CPUs: 1, Slots: 8}}})
	p.Submit(newSet(0, 0, 0, 4))
	p.Offers(at{{"a", "h", 4}}, inOrder)
	p.now = p.now.Add(time.Hour)
	if e := p.Speculate(p.now); len(e.DAG) > 0 {
		t.Errorf("%+v", e)
	}
}

// With efficiency on, a task that has run for the multiple but not very long is slow when it reads less than the others did. What it
// reports without records or time says nothing.
func TestATaskThatReadsFastGetsNoCopy(t *testing.T) {
	cfg := quick
	cfg.Efficiency, cfg.RateMultiplier, cfg.LongRunFactor = true, 0.75, 1000
	type report struct {
		records int64
		ran     time.Duration
	}
	for _, k := range []struct {
		name    string
		reports []report
		slow    bool
	}{
		{"no report", nil, true},
		{"slower than the others", []report{{74, time.Second}}, true},
		{"as fast as is asked", []report{{75, time.Second}}, false},
		{"fast, and now reading nothing", []report{{75, time.Second}, {0, time.Second}}, false},
		{"fast, and then no time", []report{{74, time.Second}, {100, 0}}, true},
		{"one record of the least time", []report{{1, 1}}, false},
		{"a time and no record", []report{{0, time.Second}}, true},
		{"slowed down", []report{{75, time.Second}, {75, time.Minute}}, true},
	} {
		p := slowly(2, 1, cfg, newSet(0, 0, 0, 2))
		p.Progress(7, 1000, time.Second) // of nobody
		for _, r := range k.reports {
			p.Progress(1, r.records, r.ran)
		}
		if e := p.Speculate(p.now); len(e.DAG) > 0 != k.slow {
			t.Errorf("%s: %+v, want slow: %v", k.name, e, k.slow)
		}
	}
	// Where the others read nothing, reading says nothing.
	p := newKit(1, Config{Speculation: cfg})
	p.Submit(newSet(0, 0, 0, 2))
	p.Offers(at{{"a", "h", 2}}, inOrder)
	p.now = p.now.Add(time.Second)
	p.Update(0, app.TaskState_FINISHED, &app.TaskResult{RunMs: 1000}, nil)
	p.now = p.now.Add(time.Minute)
	p.Progress(1, 1000, time.Second)
	if e := p.Speculate(p.now); len(e.DAG) != 1 {
		t.Errorf("%+v", e)
	}
}

// A threshold of the user's is for sets of few tasks of which too few are done, whatever they read and whoever is about to go.
func TestAThresholdOfTheUserIsFinal(t *testing.T) {
	for _, k := range []struct {
		name      string
		n         int
		threshold time.Duration
		slow      bool
	}{
		{"beyond it", 3, time.Minute, true},
		{"not beyond it", 3, time.Minute + time.Second, false},
		{"too many tasks", 5, time.Minute, false},
	} {
		cfg := Speculation{
			Enabled: true, Multiplier: 2, Quantile: 1, Efficiency: true, RateMultiplier: 0.75, LongRunFactor: 1000,
			Threshold: &k.threshold, KillInterval: time.Second,
		}
		p := newKit(1, Config{Speculation: cfg, Profiles: map[int32]*Profile{0: {CPUs: 1, Slots: 4}}})
		p.Submit(newSet(0, 0, 0, k.n))
		p.Offers(at{{"a", "h", k.n}}, inOrder)
		p.now = p.now.Add(time.Minute + time.Second)
		p.Decommission("a", false, p.now.Add(-time.Minute))
		p.Update(0, app.TaskState_FINISHED, &app.TaskResult{RecordsRead: 1, RunMs: 1000}, nil)
		p.Progress(1, 1000, time.Second)
		if e := p.Speculate(p.now); len(e.DAG) > 0 != k.slow {
			t.Errorf("%s: %+v, want slow: %v", k.name, e.DAG, k.slow)
		}
	}
}

// A task on an executor that is about to go is slow when it is likely to end later than that, and the time of the end is known.
func TestATaskThatEndsTooLateGetsACopy(t *testing.T) {
	for _, k := range []struct {
		leaves   bool
		interval time.Duration
		slow     bool
	}{
		{true, 30 * time.Second, true},
		{true, 50 * time.Second, false}, // the executor goes as the task ends
		{true, 0, false},
		{false, 30 * time.Second, false},
	} {
		cfg := quick
		cfg.KillInterval = k.interval
		p := newKit(1, Config{Speculation: cfg})
		p.Submit(newSet(0, 0, 0, 2))
		p.Offers(at{{"a", "h", 1}}, inOrder)
		p.now = p.now.Add(time.Minute)
		p.finish(0)
		p.Offers(at{{"b", "h", 1}}, inOrder)
		p.now = p.now.Add(10 * time.Second)
		if k.leaves {
			p.Decommission("b", false, p.now)
		}
		if e := p.Speculate(p.now); len(e.DAG) > 0 != k.slow {
			t.Errorf("%+v: %+v", k, e.DAG)
		}
	}
}

func TestTheMedianIsTheUpperOneInTheMiddle(t *testing.T) {
	for _, all := range [][]time.Duration{{5, 4, 3, 2, 1, 0}, {1, 2, 3, 4, 5, 6}, {3, 9, 1, 7, 5, 5, 5, 2, 8}, {2, 2, 1, 1, 3, 3}} {
		var m median
		for n, d := range all {
			m.add(d)
			sorted := slices.Sorted(slices.Values(all[:n+1]))
			if m.len() != n+1 || m.value() != sorted[(n+1)/2] {
				t.Errorf("%v: got %v of %d, want %v", all[:n+1], m.value(), m.len(), sorted[(n+1)/2])
			}
		}
	}
}

// copied has finished task 0 with two bytes and runs task 1, which is slow and has a copy on b, and task 2.
func copied(t *testing.T, cfg Config, s Set) *kit {
	cfg.MaxFailures, cfg.Speculation = 4, quick
	p := newKit(1, cfg)
	p.Submit(s)
	p.Offers(at{{"a", "h1", 2}}, inOrder)
	p.now = p.now.Add(time.Second)
	p.Update(0, app.TaskState_FINISHED, &app.TaskResult{MapStatus: mapped().MapStatus, Records: make([]byte, 2)}, nil)
	p.now = p.now.Add(time.Minute)
	p.Offers(at{{"c", "h3", 1}}, inOrder)
	p.Speculate(p.now)
	want(t, names(p.Offers(at{{"b", "h2", 1}}, inOrder)), "b: task 1.1 in stage 0.0 (TID 3)")
	return p
}

// A copy that ended before its kill reached it counts as killed, and its result not at all.
func TestACopyThatFinishedBeforeItsKillBringsNothing(t *testing.T) {
	s := newSet(0, 0, 0, 3)
	p := copied(t, Config{MaxResultSize: 12}, s)
	finish := func(id int64, bytes int) []string {
		return texts(p.Update(id, app.TaskState_FINISHED, result(bytes), nil))
	}
	want(t, finish(1, 4), "Success 1.0 of 0.0")
	want(t, finish(3, 4), "TaskKilled 1.1 of 0.0")
	m := p.sets[0]
	if m.bytes != 6 || m.results != 2 || m.done != 2 || len(m.running) != 1 {
		t.Errorf("%d bytes of %d results, %d done", m.bytes, m.results, m.done)
	}
	want(t, finish(2, 6), "Success 2.0 of 0.0")
}

// When the output that won is lost before the copy ended, the copy's output is the task's.
func TestACopyWinsWhenTheOutputThatWonIsLost(t *testing.T) {
	p := copied(t, Config{}, newMapSet(0, 0, 0, 3))
	want(t, texts(p.finish(1)), "Success 1.0 of 0.0")
	want(t, texts(p.ExecutorLost("a", Loss{})), "Resubmitted 0.0 of 0.0", "Resubmitted 1.0 of 0.0")
	want(t, texts(p.finish(3)), "Success 1.1 of 0.0")
}
