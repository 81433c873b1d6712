package commit

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// rig is a Coordinator with an executor that asks it, and a DAGScheduler that tells it.
type rig struct {
	t        *testing.T
	executor *rpctest.Probe
	dag      *rpctest.Probe
	ref      rpcenv.Ref
	w        *rpctest.World
}

func newRig(t *testing.T) *rig {
	t.Helper()
	w := rpctest.New(t, 1)
	w.NoPanic()
	env := w.Env("Driver", nil)
	r := &rig{t: t, w: w, ref: w.Register(env, Name, New()), dag: w.ProbeIn(env, "DAGScheduler")}
	r.executor = w.ProbeIn(w.ClientEnv("E0", nil), "Executor")
	return r
}

// tell sends what DAGScheduler says.
func (r *rig) tell(all ...rpcenv.Message) {
	r.dag.Do(func(c *rpcenv.Context) {
		for _, m := range all {
			c.Send(r.ref, m)
		}
	})
	r.w.Settle()
}

// ask checks the answer to an attempt of stage 4.
func (r *rig) ask(stageAttempt, partition, attempt int32, want bool) {
	r.t.Helper()
	r.askStage(4, stageAttempt, partition, attempt, want)
}

func (r *rig) askStage(stage, stageAttempt, partition, attempt int32, want bool) {
	r.t.Helper()
	got, err := rpctest.Ask[*rpc.Bool](r.executor, r.ref, &app.AskPermissionToCommitOutput{
		Stage: stage, StageAttempt: stageAttempt, Partition: partition, AttemptNumber: attempt,
	})
	if err != nil || got.GetValue() != want {
		r.t.Errorf("attempt %d of partition %d of stage %d.%d: %v, %v; want %t", attempt, partition, stage, stageAttempt, got.GetValue(), err, want)
	}
}

func failed(stageAttempt, partition, attempt int32) TaskCompleted {
	return TaskCompleted{Stage: 4, StageAttempt: stageAttempt, Partition: partition, Attempt: attempt}
}

// The first attempt of a task that asks may commit, and no other one, which is what real Spark was seen to answer: true for one attempt
// of each partition.
func TestTheFirstToAskMayCommit(t *testing.T) {
	r := newRig(t)
	r.tell(StageStart{Stage: 4, Partitions: 2})
	r.ask(0, 0, 1, true)
	r.ask(0, 0, 0, false)
	r.ask(0, 0, 1, false) // itself: it has been allowed before
	r.ask(0, 1, 0, true)  // another task
	r.ask(1, 0, 1, false) // of another attempt of the stage
}

// An attempt that failed frees its task for the next one, and may commit no more.
func TestAnAttemptThatFailedFreesItsTask(t *testing.T) {
	r := newRig(t)
	r.tell(StageStart{Stage: 4, Partitions: 2})
	r.ask(0, 0, 0, true)
	r.tell(failed(0, 0, 7), failed(1, 0, 0), failed(0, 1, 0)) // others: they free nothing
	r.ask(0, 0, 1, false)
	r.tell(failed(0, 0, 0))
	r.ask(0, 0, 0, false)
	r.ask(0, 0, 7, false)
	r.ask(1, 0, 0, false)
	r.ask(0, 0, 1, true)
	r.ask(0, 1, 0, false)
	r.ask(0, 1, 1, true)
}

// A stage that is unknown, not yet or no longer, lets nobody commit; nor does a partition that it lacks.
func TestOnlyAnnouncedStagesCommit(t *testing.T) {
	r := newRig(t)
	r.ask(0, 0, 0, false)
	r.tell(failed(0, 0, 0), StageEnd{Stage: 4}, StageStart{Stage: 4, Partitions: 2})
	r.ask(0, 0, 0, true)
	r.askStage(5, 0, 0, 0, false)
	for _, partition := range []int32{-1, 2, 1 << 30} {
		r.ask(0, partition, 0, false)
		r.tell(failed(0, partition, 0))
	}
	r.tell(StageEnd{Stage: 4})
	r.ask(0, 1, 0, false)
	r.tell(StageStart{Stage: 4, Partitions: 2}) // nothing is left of before
	r.ask(0, 0, 5, true)
}

// A further attempt of a stage keeps what the earlier ones committed.
func TestAnotherAttemptOfAStageKeepsPermissions(t *testing.T) {
	r := newRig(t)
	r.tell(StageStart{Stage: 4, Partitions: 2})
	r.ask(0, 0, 0, true)
	r.tell(StageStart{Stage: 4, Partitions: 2})
	r.ask(1, 0, 0, false)
	r.ask(1, 1, 0, true)
	r.tell(failed(0, 0, 0))
	r.ask(1, 0, 1, true)
	r.tell(StageStart{Stage: 4, Partitions: 3}) // a bug elsewhere: it must not end the endpoint
	r.ask(1, 2, 0, false)
}

// Whatever is asked and reported, in whatever order: of the attempts of a task that have not failed at most one has been allowed, and
// none that had failed before.
func TestAtMostOneAttemptCommits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newStage(2)
		allowed, failed := map[int32][]attempt{}, map[int32]map[attempt]bool{0: {}, 1: {}}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			partition := rapid.Int32Range(0, 1).Draw(t, "partition")
			a := attempt{rapid.Int32Range(0, 1).Draw(t, "stage attempt"), rapid.Int32Range(0, 3).Draw(t, "attempt")}
			if rapid.Bool().Draw(t, "fails") {
				s.fail(partition, a)
				failed[partition][a] = true
				allowed[partition] = slices.DeleteFunc(allowed[partition], func(x attempt) bool { return x == a })
				continue
			}
			may, _ := s.ask(partition, a)
			if want := !failed[partition][a] && len(allowed[partition]) == 0; may != want {
				t.Fatal(fmt.Sprintf("%v of partition %d: %t with %v allowed and %v failed", a, partition, may, allowed[partition], failed[partition]))
			}
			if may {
				allowed[partition] = append(allowed[partition], a)
			}
		}
	})
}
