package dag

import (
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

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
			if r.whenAsked != nil {
				r.whenAsked(c, q)
			} else {
				rpcenv.Reply(c, q, tasks.Slots{N: r.slots})
			}
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

// between has a barrier stage of 2 tasks between two shuffles.
var between = rdd.Define("dag-test-between", func(int) rdd.Dataset[ones] {
	met := rdd.Barrier(sums(), func(_ rdd.BarrierTask, in iter.Seq[ones]) iter.Seq[ones] { return in })
	return rdd.ReduceByKey(rdd.Map(met, func(p ones) ones { return p }), func(a, b int64) int64 { return a + b }, 2)
})

// What a barrier stage has brought is dropped at once when a task of it fails, or fails to fetch: executors must not read it meanwhile. So
// it is when a reducer fails to fetch from it.
func TestOutputsOfABarrierStageAreDroppedAtOnce(t *testing.T) {
	for name, k := range map[string]struct {
		comes []rpcenv.Message
		want  string
	}{
		"a task fails": {
			[]rpcenv.Message{end(1, 0, 0, "a", tasks.Reason{Kind: tasks.KindExceptionFailure})}, "T: drop all of 1, epoch 2",
		},
		"a task fails to fetch": {
			[]rpcenv.Message{missed(1, 0, 0, 0, 0, "a", 1)}, "T: drop 0/0 at a, epoch 2\nT: drop all at a, epoch 3\nT: drop all of 1, epoch 4",
		},
		"a reducer fails to fetch": {
			[]rpcenv.Message{mapped(1, 0, 0, "b", 1), missed(2, 0, 0, 1, 0, "b", 2)},
			"T: output 1/0 at b\nT: epoch 2\nT: drop 1/0 at b, epoch 3\nT: drop all at b, epoch 4\nT: drop all of 1, epoch 5",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := barrierRig(t, nil, 2)
			submit(r, between.With(0))
			r.tell(mapped(0, 0, 0, "a", 0), mapped(0, 0, 1, "a", 0), mapped(0, 0, 2, "a", 0), mapped(1, 0, 1, "c", 1))
			r.forget()
			r.tell(k.comes...)
			if got := r.only("T"); got != k.want {
				t.Errorf("got\n%s\nwant\n%s", got, k.want)
			}
		})
	}
}

// A failed task of a barrier stage that brings the result fails its job: the program may have seen other results.
func TestAFailedTaskOfABarrierResultStageFailsItsJob(t *testing.T) {
	r := barrierRig(t, nil, 2)
	r.submitAll(under(t, rdd.WithProperty(t.Context(), rdd.PropertyInterrupt, "true"), sumsAndMeets.With(0)))
	r.Settle()
	r.tell(mapped(0, 0, 0, "a", 0), mapped(0, 0, 1, "b", 0))
	if got := r.only("B"); got != "B: barrier.StageStart{{} 1 0 2}" {
		t.Error(got)
	}
	r.tell(end(1, 0, 1, "a", tasks.Reason{Kind: tasks.KindExceptionFailure, Text: "no luck"}))
	heard := r.heard
	if got := r.only("B"); got != "B: barrier.StageEnd{{} 1 0}" {
		t.Error(got)
	}
	r.heard = heard
	if got, want := r.only("S"), "S: cancel 1: Task ResultTask(1, 1) from barrier stage ResultStage 1 failed., interrupted"; !strings.HasPrefix(got, want) {
		t.Error(got)
	}
	r.failed(0, JobError{
		Kind: tasks.KindExceptionFailure,
		Reason: "Could not recover from a failed barrier ResultStage. Most recent failure reason: Stage failed because barrier task " +
			"ResultTask(1, 1) finished unsuccessfully.\nno luck",
	})
	r.Advance(time.Second)
	if got := r.only("S"); got != "" {
		t.Error(got)
	}
}

// Barrier stages that fail together are submitted again together: the first failure begins the delay, and a later one does not.
func TestBarrierStagesThatFailTogetherAreOneRound(t *testing.T) {
	r := barrierRig(t, nil, 2)
	submit(r, meetsAndSums.With(0))
	submit(r, meetsAndSums.With(1))
	fails := func(stage, attempt int32) {
		r.tell(end(stage, attempt, 0, "a", tasks.Reason{Kind: tasks.KindExceptionFailure}))
		r.heard = nil
	}
	fails(0, 0)
	r.Advance(resubmitDelay / 2)
	fails(2, 0)
	r.Advance(resubmitDelay / 2)
	if got := r.only("S"); got != "S: submit 0.1 [0 1]\nS: submit 2.1 [0 1]" {
		t.Error(got)
	}
	r.Advance(resubmitDelay / 4)
	fails(0, 1)
	r.Advance(resubmitDelay / 2)
	if got := r.only("S"); got != "" {
		t.Errorf("before its delay: %s", got)
	}
}
