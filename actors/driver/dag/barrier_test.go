package dag

import (
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/driver/barrier"
	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/rpcenv"
)

func meets(n int) rdd.Dataset[rdd.Pair[int64, int64]] {
	pairs := rdd.Map(rdd.Range(0, int64(n), n), func(i int64) rdd.Pair[int64, int64] { return rdd.PairOf(i, i) })
	return rdd.Barrier(pairs, func(t rdd.BarrierTask, in iter.Seq[rdd.Pair[int64, int64]]) iter.Seq[rdd.Pair[int64, int64]] {
		t.Barrier()
		return in
	})
}

var (
	// meetsAndSums has a barrier stage of 2 tasks before a shuffle, sumsAndMeets one behind it.
	meetsAndSums = rdd.Define("dag-test-meets-and-sums", func(int) rdd.Dataset[rdd.Pair[int64, int64]] {
		return rdd.ReduceByKey(meets(2), func(a, b int64) int64 { return a + b }, 2)
	})
	sumsAndMeets = rdd.Define("dag-test-sums-and-meets", func(int) rdd.Dataset[rdd.Pair[int64, int64]] {
		sums := rdd.ReduceByKey(rdd.Map(rdd.Range(0, 2, 2), func(i int64) rdd.Pair[int64, int64] { return rdd.PairOf(i, i) }),
			func(a, b int64) int64 { return a + b }, 2)
		return rdd.Barrier(sums, func(t rdd.BarrierTask, in iter.Seq[rdd.Pair[int64, int64]]) iter.Seq[rdd.Pair[int64, int64]] {
			return in
		})
	})
)

// barrierRig is a rig with barrierSync (B), and so many slots.
func barrierRig(t *testing.T, values map[string]string, slots int, changes ...func(*Config)) *rig {
	t.Helper()
	r := newRigWith(t, values, rdd.MemFS{}, func(c *Config) {
		c.Barriers = func() rpcenv.Ref { return rpcenv.Ref{Address: c.Scheduler.Address, Name: barrier.Name} }
		for _, change := range changes {
			change(c)
		}
	})
	sync := r.ProbeIn(r.scheduler.Env, barrier.Name)
	sync.On(func(_ *rpcenv.Context, m rpcenv.Message) bool {
		r.heard = append(r.heard, fmt.Sprintf("B: %T%v", m, m))
		return true
	})
	r.slots = slots
	hear := r.hear("S")
	r.scheduler.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		if q, ok := m.(tasks.RequestSlots); ok {
			rpcenv.Reply(c, q, tasks.Slots{N: r.slots})
			return true
		}
		return hear(c, m)
	})
	return r
}

// only are the lines that were heard by one, since the last call.
func (r *rig) only(of string) string {
	r.Settle()
	var out []string
	for _, line := range r.heard {
		if strings.HasPrefix(line, of+":") {
			out = append(out, line)
		}
	}
	r.heard = nil
	return strings.Join(out, "\n")
}

// When a task of a barrier map stage fails, all are ended, all outputs dropped and all tried again; after
// spark.stage.maxConsecutiveAttempts of them the job fails. What the others still bring changes nothing.
func TestABarrierMapStageIsTriedAgainAsAWhole(t *testing.T) {
	r := barrierRig(t, map[string]string{"spark.stage.maxConsecutiveAttempts": "2"}, 2)
	submit(r, meetsAndSums.With(0))
	if got := r.only("S"); got != "S: submit 0.0 [0 1]" || !r.sets[0].Barrier {
		t.Error(got)
	}
	failed := end(0, 0, 0, "a", tasks.Reason{Kind: tasks.KindExceptionFailure, Text: "no luck"})
	r.tell(mapped(0, 0, 1, "b", 0), failed, failed, end(0, 0, 1, "b", tasks.Reason{Kind: tasks.KindTaskKilled}))
	if got := r.only("S"); got != "S: cancel 0: Task ShuffleMapTask(0, 0) from barrier stage ShuffleMapStage 0 failed." {
		t.Error(got)
	}
	r.Advance(resubmitDelay)
	if got := r.only("S"); got != "S: submit 0.1 [0 1]" {
		t.Error(got)
	}
	r.tell(failed) // of the older attempt
	r.tell(end(0, 1, 1, "a", tasks.Reason{Kind: tasks.KindExecutorLostFailure, Text: "gone"}))
	r.failed(0, JobError{
		Kind: tasks.KindExecutorLostFailure,
		Reason: "ShuffleMapStage 0 has failed the maximum allowable number of times: 2. Most recent failure reason: Stage failed because " +
			"barrier task ShuffleMapTask(0, 1) finished unsuccessfully.\ngone",
	})
}

// barrierSync hears of each attempt before its tasks are submitted, and of its end.
func TestAttemptsOfBarrierStagesAreAnnounced(t *testing.T) {
	r := barrierRig(t, nil, 2)
	submit(r, meetsAndSums.With(0))
	r.tell(end(0, 0, 0, "a", tasks.Reason{Kind: tasks.KindExceptionFailure}))
	r.Advance(resubmitDelay)
	r.tell(mapped(0, 1, 0, "a", 1), mapped(0, 1, 1, "a", 1))
	const want = "B: barrier.StageStart{{} 0 0 2}\nB: barrier.StageEnd{{} 0 0}\nB: barrier.StageStart{{} 0 1 2}\nB: barrier.StageEnd{{} 0 1}"
	if got := r.only("B"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// A failure to fetch from a barrier stage drops all of its outputs; one of a barrier stage that brings the result fails the job.
func TestFailuresToFetchAndBarrierStages(t *testing.T) {
	r := barrierRig(t, nil, 2)
	submit(r, meetsAndSums.With(0))
	r.tell(mapped(0, 0, 0, "a", 0), mapped(0, 0, 1, "b", 0), missed(1, 0, 0, 0, 0, "a", 1))
	r.forget()
	r.Advance(resubmitDelay)
	if got := r.only("S"); got != "S: submit 0.1 [0 1]" {
		t.Error(got)
	}
	r = barrierRig(t, nil, 2)
	submit(r, sumsAndMeets.With(0))
	r.tell(mapped(0, 0, 0, "a", 0), mapped(0, 0, 1, "b", 0), missed(1, 0, 0, 0, 0, "a", 1))
	r.failed(0, JobError{Kind: tasks.KindFetchFailed, Reason: "Could not recover from a failed barrier ResultStage. Most recent failure reason: gone"})
}

// A lost output of a barrier stage makes all its tasks run again: they cannot do without each other.
func TestALostOutputMakesAllTasksOfABarrierStageRunAgain(t *testing.T) {
	r := barrierRig(t, nil, 2)
	submit(r, meetsAndSums.With(0))
	r.tell(lost(event.ExecutorLost, "a"), mapped(0, 0, 0, "a", 0), mapped(0, 0, 1, "b", 0))
	r.Settle()
	if n := len(r.sets); n < 2 || len(r.sets[n-1].Tasks) != 2 {
		t.Errorf("%+v", r.sets)
	}
}

// A job waits for its slots in front of its start, and can be cancelled there.
func TestAJobThatWaitsForSlotsCanBeCancelled(t *testing.T) {
	r := barrierRig(t, nil, 1)
	submit(r, meetsAndSums.With(0))
	cancels(r, JobCancelled{JobID: 0, Reason: "now"}, 0)
	r.Advance(60 * 1e9)
	r.failed(0, JobError{JobID: 0, Reason: "now", Kind: KindCancelled})
	if len(r.sets) > 0 || len(r.bad) != 1 {
		t.Error(r.sets, r.bad)
	}
}
