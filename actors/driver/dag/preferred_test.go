package dag

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/actors/rdd"
)

// wrote is the success of a map task whose executor, HOST/ID, has blocks of so many bytes for each reducer.
func wrote(stage, attempt, partition int32, at string, epoch int64, sizes ...int64) tasks.CompletionEvent {
	host, executor, _ := strings.Cut(at, "/")
	e := mapped(stage, attempt, partition, executor, epoch)
	s := e.Result.GetMapStatus()
	s.Location.Host, s.Sizes = host, sizes
	return e
}

// hosts are where the tasks of the newest set want to run.
func (r *rig) hosts() string {
	var out [][]string
	for _, t := range r.sets[len(r.sets)-1].Tasks {
		var hosts []string
		for _, l := range t.Locations {
			hosts = append(hosts, l.Host+strings.TrimSuffix("/"+l.Executor, "/"))
		}
		out = append(out, hosts)
	}
	return fmt.Sprint(out)
}

var wide = rdd.Define("dag-test-wide", func(size [2]int) rdd.Dataset[ones] {
	pairs := rdd.Map(rdd.Range(0, 9, size[0]), func(i int64) ones { return rdd.PairOf("k", i) })
	return rdd.ReduceByKey(pairs, func(a, b int64) int64 { return a + b }, size[1])
})

var placed = rdd.Define("dag-test-placed", func(hosts []string) rdd.Dataset[ones] {
	where := func(partition int) []string {
		if hosts[partition] == "" {
			return nil
		}
		return hosts[partition : partition+1]
	}
	pairs := rdd.Map(rdd.Prefer(rdd.Range(0, 9, len(hosts)), where), func(i int64) ones { return rdd.PairOf("k", i) })
	return rdd.Prefer(rdd.ReduceByKey(pairs, func(a, b int64) int64 { return a + b }, len(hosts)), where)
})

// An executor is a place if it has a fifth of the bytes or more, and its host counts once. What one host's executors have together does
// not count.
func TestReducersPreferTheHostsThatHaveMuchOfWhatTheyFetch(t *testing.T) {
	r := newRig(t, nil)
	submit(r, wide.With([2]int{5, 4}))
	r.tell(
		wrote(0, 0, 0, "h1/a", 0, 20, 10, 0, 1), wrote(0, 0, 1, "h2/b", 0, 80, 10, 0, 1), wrote(0, 0, 2, "h2/c", 0, 0, 19, 0, 1),
		wrote(0, 0, 3, "h1/a", 0, 0, 10, 0, 1), wrote(0, 0, 4, "h2/d", 0, 0, 51, 0, 1),
	)
	// Of reducer 0 a has 20 %, b 80; of reducer 1 a 20, b 10, c 19, d 51; of reducer 2 there is nothing; of reducer 3 b, c and d have 20 each.
	if got := r.hosts(); got != "[[h1 h2] [h1 h2] [] [h1 h2]]" {
		t.Error(got)
	}
	submit(r, wide.With([2]int{2, 3}))
	r.tell(wrote(2, 0, 0, "h1/a", 1, 199, -90, 1), wrote(2, 0, 1, "h2/b", 1, 801, 10)) // sizes that are missing or wrong are none
	if got := r.hosts(); got != "[[h2] [h2] [h1]]" {
		t.Error(got)
	}
}

// A later attempt of a stage prefers the hosts that have the outputs then.
func TestPlacesFollowOutputsThatWereMadeAgain(t *testing.T) {
	r := newRig(t, nil)
	submit(r, wide.With([2]int{2, 2}))
	r.tell(wrote(0, 0, 0, "h1/a", 0, 9, 9), wrote(0, 0, 1, "h1/a", 0, 1, 1))
	if got := r.hosts(); got != "[[h1] [h1]]" {
		t.Error(got)
	}
	r.tell(missed(1, 0, 0, 0, 0, "a", 1))
	r.Advance(resubmitDelay)
	if got := r.hosts(); got != "[[] []]" { // the map tasks read nothing
		t.Error(got)
	}
	r.tell(wrote(0, 1, 0, "h2/b", 9, 9, 0), wrote(0, 1, 1, "h3/c", 9, 1, 5))
	if got := r.hosts(); got != "[[h2] [h3]]" {
		t.Error(got)
	}
}

// Each reducer looks at each output, so from 1,000 of either on nobody looks.
func TestPlacesOfReducersAreBounded(t *testing.T) {
	for _, k := range []struct {
		maps, reducers int
		enabled, want  bool
	}{
		{999, 999, true, true},
		{999, 999, false, false},
		{1000, 1, true, false},
		{1, 1000, true, false},
	} {
		r := newRig(t, map[string]string{"spark.shuffle.reduceLocality.enabled": fmt.Sprint(k.enabled)})
		submit(r, wide.With([2]int{k.maps, k.reducers}))
		for i := range k.maps {
			r.scheduler.Send(r.ref, wrote(0, 0, int32(i), "h/a", 0, slices.Repeat([]int64{1}, k.reducers)...))
		}
		r.Settle()
		set := r.sets[len(r.sets)-1]
		if set.ID.Stage != 1 || len(set.Tasks) != k.reducers {
			t.Fatalf("%+v: %s with %d tasks", k, set.ID, len(set.Tasks))
		}
		for i, task := range set.Tasks {
			if want := []tasks.Location{{Host: "h"}}; k.want && !slices.Equal(task.Locations, want) || !k.want && task.Locations != nil {
				t.Fatalf("%+v: reducer %d at %v", k, i, task.Locations)
			}
		}
	}
}

// What the lineage says comes before the outputs, for each partition.
func TestPlacesOfTheLineageComeFirst(t *testing.T) {
	r := newRig(t, nil)
	submit(r, placed.With([]string{"h5", "executor_h6_7", ""}))
	if got := r.hosts(); got != "[[h5] [h6/7] []]" {
		t.Error(got)
	}
	r.tell(wrote(0, 0, 0, "h1/a", 0, 1, 1, 1), wrote(0, 0, 1, "h1/a", 0, 1, 1, 1), wrote(0, 0, 2, "h1/a", 0, 1, 1, 1))
	if got := r.hosts(); got != "[[h5] [h6/7] [h1]]" {
		t.Error(got)
	}
}

// A later job of the same dataset, whose outputs are there already, prefers their hosts too.
func TestReducersOfALaterJobPreferHosts(t *testing.T) {
	r := newRig(t, nil)
	submit(r, wide.With([2]int{1, 1}))
	r.tell(wrote(0, 0, 0, "h1/a", 0, 9), result(1, 0, 0))
	submit(r, wide.With([2]int{1, 1}))
	if got, set := r.hosts(), r.sets[len(r.sets)-1]; set.ID.Stage != 3 || got != "[[h1]]" {
		t.Error(set.ID, got)
	}
}

func TestAPlaceThatIsNoneFailsItsJob(t *testing.T) {
	r := newRig(t, nil)
	submit(r, placed.With([]string{"executor_h"}))
	r.want("P: job 0: node 2: where partition 0 prefers to run: illegal executor location: executor_h: want executor_HOST_ID",
		"L: job 0 ends: node 2: where partition 0 prefers to run: illegal executor location: executor_h: want executor_HOST_ID")
}

func BenchmarkPreferred(b *testing.B) {
	for _, n := range []int{10, 100, 999} {
		b.Run(fmt.Sprintf("maps=%d/reducers=%d", n, n), func(b *testing.B) {
			sh := newShuffle(0, n, n)
			for i := range int32(n) {
				sh.set(i, place{executor: fmt.Sprint(i % 50), host: fmt.Sprint("h", i%50)})
				sh.setSizes(i, slices.Repeat([]int64{1}, n))
			}
			for b.Loop() {
				s := sh.shares()
				for i := range int32(n) {
					if s.large(i) != nil && n > 100 {
						b.Fatal("fifty executors have a fiftieth each")
					}
				}
			}
			b.ReportMetric(float64(b.N)*float64(n)/b.Elapsed().Seconds(), "reducers/s")
		})
	}
}

var noPlace = rdd.Define("dag-test-no-place", func(int) rdd.Dataset[int64] {
	return rdd.Prefer(rdd.Range(0, 9, 3), func(int) []string { panic("nowhere") })
})

// A function of the user that fails to say where a partition wants to run fails its job.
func TestAPreferenceThatFailsFailsItsJob(t *testing.T) {
	r := newRig(t, nil)
	submit(r, noPlace.With(0))
	if len(r.bad) != 1 || len(r.sets) > 0 {
		t.Error(r.bad, r.sets)
	}
}

// keptTwice keeps a dataset and what is made of it.
var keptTwice = rdd.Define("dag-test-kept-twice", func(int) rdd.Dataset[ones] {
	return rdd.Cache(rdd.Map(rdd.Cache(sums()), func(p ones) ones { return p }))
})

// Of what is kept in part, a task prefers the nearest that has its partition; else the outputs that it fetches.
func TestATaskPrefersTheNearestThatIsKept(t *testing.T) {
	r := keptRig(t, rdd.MemFS{})
	submit(r, keptTwice.With(0))
	r.tell(wrote(0, 0, 0, "h1/a", 0, 9, 9), wrote(0, 0, 1, "h1/a", 0, 9, 9), wrote(0, 0, 2, "h1/a", 0, 9, 9))
	r.tell(keeps(5, 0, "c", true), keeps(3, 0, "d", true))
	submit(r, keptTwice.With(0))
	r.wantNewest("2.0 [0 1] at [[hc/c] [h1]]")
	cancels(r, AllJobsCancelled{}, 0, 1)
	r.tell(keeps(5, 0, "c", false))
	submit(r, keptTwice.With(0))
	r.wantNewest("4.0 [0 1] at [[hd/d] [h1]]")
}

// A task of a join prefers the places of its first parent that has any.
func TestATaskOfAJoinPrefersTheFirstParentThatDoes(t *testing.T) {
	r := newRig(t, nil)
	submit(r, joined.With(0))
	r.tell(wrote(0, 0, 0, "h1/a", 0, 0, 9), wrote(1, 0, 0, "h2/b", 0, 9, 9), wrote(1, 0, 1, "h2/b", 0, 9, 9))
	r.wantNewest("2.0 [0 1] at [[h2] [h1]]")
}
