package dag

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/actors/rdd"
)

const inARow = "P: job %d: [{0 [48]} {1 [49]}]"

// counts brings the results of a counted job's stage.
func (r *rig) counts(stage, attempt int32) {
	r.tell(result(stage, attempt, 0), result(stage, attempt, 1))
}

// Jobs of one dataset that run at once need the same map stages, which run once, for the first of them. Each has its own last stage.
func TestJobsAtOnceShareTheirStages(t *testing.T) {
	r := newRig(t, nil)
	submit(r, counted.With(0))
	r.forget()
	submit(r, counted.With(0))
	r.want("L: job 1 dag-test-counted of stages [0 2]")
	submit(r, counted.With(1)) // another argument, so another dataset
	r.want("T: shuffle 1 of 3", "L: job 2 dag-test-counted of stages [3 4]", "L: job 2 stage 3.0: 3 tasks for shuffle 1", "S: submit 3.0 [0 1 2]")
	r.tell(mapped(0, 0, 0, "a", 0), mapped(0, 0, 1, "b", 0), mapped(0, 0, 2, "a", 0))
	r.want("T: output 0/0 at a", "T: output 0/1 at b", "T: output 0/2 at a", "T: epoch 1", "L: job 0 stage 0.0 ends: ",
		"L: job 0 stage 1.0: 2 tasks for results", "S: submit 1.0 [0 1]", "L: job 1 stage 2.0: 2 tasks for results", "S: submit 2.0 [0 1]")
	if w := r.sets[3].Work; !slices.Equal(w.Shuffles, []int32{0}) || r.sets[3].Job != 1 || r.sets[0].Job != 0 {
		t.Errorf("%+v", r.sets[3])
	}
	r.counts(1, 0)
	r.want("L: job 0 stage 1.0 ends: ", "L: job 0 ends: <nil>", fmt.Sprintf(inARow, 0), "S: cancel 1: Stage finished")
	r.counts(2, 0)
	r.want("L: job 1 stage 2.0 ends: ", "L: job 1 ends: <nil>", fmt.Sprintf(inARow, 1), "S: cancel 0: Stage finished", "S: cancel 2: Stage finished")
}

// A later job of the same dataset finds the outputs there. Its map stages have numbers and are never submitted.
func TestALaterJobSkipsStagesWhoseOutputsAreThere(t *testing.T) {
	r := newRig(t, nil)
	submit(r, chain.With(0))
	r.tell(mapped(0, 0, 0, "a", 0), mapped(0, 0, 1, "a", 0), mapped(0, 0, 2, "a", 0), mapped(1, 0, 0, "b", 1), mapped(1, 0, 1, "c", 1))
	r.tell(result(2, 0, 0), result(2, 0, 1), result(2, 0, 2), result(2, 0, 3))
	r.forget()
	submit(r, chain.With(0))
	r.want("L: job 1 dag-test-chain of stages [3 4 5]", "L: job 1 stage 5.0: 4 tasks for results", "S: submit 5.0 [0 1 2 3]")
	if w := r.sets[3].Work; !slices.Equal(w.Shuffles, []int32{0, 1}) {
		t.Errorf("it reads the shuffles %v", w.Shuffles)
	}
	// An output that turns out to be lost is made again, by an attempt that counts as the second one, as in Spark.
	r.tell(missed(5, 0, 0, 1, 0, "b", 2))
	r.want("L: job 1 stage 5.0 ends: gone", "T: drop 1/0 at b, epoch 3", "T: drop all at b, epoch 4")
	r.Advance(resubmitDelay)
	r.want("S: submit 4.1 [0]", "L: job 1 stage 4.1: 1 tasks for shuffle 1")
	// One of a stage further up is looked for only when its outputs are needed: it was not skipped but never looked at.
	r.tell(missed(4, 1, 0, 0, 0, "a", 4))
	r.forget()
	r.Advance(resubmitDelay)
	r.want("S: submit 3.1 [0 1 2]", "L: job 1 stage 3.1: 3 tasks for shuffle 0")
}

// Outputs that are lost while no job needs them are made again, and only these.
func TestALaterJobMakesWhatIsMissing(t *testing.T) {
	r := reducing(t, nil)
	r.counts(1, 0)
	r.tell(lost(event.ExecutorLost, "b"))
	r.forget()
	submit(r, counted.With(0))
	r.want("L: job 1 dag-test-counted of stages [2 3]", "L: job 1 stage 2.0: 1 tasks for shuffle 0", "S: submit 2.0 [1]")
	// A job that is cancelled leaves what it has made.
	cancels(r, JobCancelled{JobID: 1, Reason: "x"}, 1)
	submit(r, counted.With(0))
	r.tell(mapped(4, 0, 1, "c", 2))
	r.forget()
	cancels(r, JobCancelled{JobID: 2, Reason: "x"}, 2)
	r.forget()
	submit(r, counted.With(0))
	r.want("L: job 3 dag-test-counted of stages [6 7]", "L: job 3 stage 7.0: 2 tasks for results", "S: submit 7.0 [0 1]")
}

// A cancelled job takes nothing from another one: the stage that both need runs on, for the other, which goes on when it is complete.
func TestACancelledJobLeavesSharedStages(t *testing.T) {
	r := newRig(t, nil)
	submit(r, counted.With(0))
	submit(r, counted.With(0))
	r.forget()
	cancels(r, JobCancelled{JobID: 0, Reason: "x"}, 0)
	r.want("L: job 0 ends: Job 0 cancelled x", "P: job 0: Job 0 cancelled x")
	r.tell(mapped(0, 0, 0, "a", 0), mapped(0, 0, 1, "b", 0), mapped(0, 0, 2, "a", 0))
	r.want("T: output 0/0 at a", "T: output 0/1 at b", "T: output 0/2 at a", "T: epoch 1", "L: job 1 stage 0.0 ends: ",
		"L: job 1 stage 2.0: 2 tasks for results", "S: submit 2.0 [0 1]")
	cancels(r, JobCancelled{JobID: 1, Reason: "x"}, 1)
	r.want("L: job 1 stage 2.0 ends: Stage cancelled: Job 1 cancelled x", "L: job 1 ends: Job 1 cancelled x", "P: job 1: Job 1 cancelled x",
		"S: cancel 0: Stage cancelled: Job 1 cancelled x", "S: cancel 2: Stage cancelled: Job 1 cancelled x")
}

// A stage that cannot succeed fails all jobs that need it, and so does its cancellation.
func TestASharedStageFailsAllItsJobs(t *testing.T) {
	r := newRig(t, nil)
	submit(r, counted.With(0))
	submit(r, counted.With(0))
	submit(r, counted.With(1))
	r.forget()
	r.tell(tasks.TaskSetFailed{Set: tasks.SetID{Stage: 0}, Reason: "why"})
	const failed = "Job aborted due to stage failure: why"
	r.want("L: job 0 stage 0.0 ends: why", "L: job 0 ends: "+failed, "P: job 0: "+failed, "L: job 1 ends: "+failed, "P: job 1: "+failed,
		"S: cancel 0: Stage cancelled: "+failed)
	submit(r, counted.With(1))
	cancels(r, StageCancelled{StageID: 3}, 2, 3)
}

// A program that changes a file gets a new answer of the same job.
func TestAFileThatChangedIsReadAgain(t *testing.T) {
	fs := rdd.MemFS{"text": []byte("a\nb\nc\n")}
	r := newRigWith(t, nil, versioned{fs, new(int)}, func(*Config) {})
	submit(r, lines.With("text"))
	r.tell(mapped(0, 0, 0, "a", 0), mapped(0, 0, 1, "a", 0))
	r.counts(1, 0)
	r.forget()
	submit(r, lines.With("text"))
	r.want("L: job 1 dag-test-lines of stages [2 3]", "L: job 1 stage 3.0: 2 tasks for results", "S: submit 3.0 [0 1]")
	*r.fs.(versioned).version++
	submit(r, lines.With("text"))
	r.want("T: shuffle 1 of 2", "L: job 2 dag-test-lines of stages [4 5]", "L: job 2 stage 4.0: 2 tasks for shuffle 1", "S: submit 4.0 [0 1]")
	fs["text"] = []byte("a\nb\nc\nd\n")
	submit(r, lines.With("text"))
	r.want("T: shuffle 2 of 2", "L: job 3 dag-test-lines of stages [6 7]", "L: job 3 stage 6.0: 2 tasks for shuffle 2", "S: submit 6.0 [0 1]")
}

// versioned is a file system whose files have a version.
type versioned struct {
	rdd.FS
	version *int
}

func (v versioned) Open(path string) (rdd.File, error) {
	f, err := v.FS.Open(path)
	return versionedFile{f, *v.version}, err
}

type versionedFile struct {
	rdd.File
	version int
}

func (f versionedFile) Version() string { return fmt.Sprint(f.version) }

// Of the shuffles that no job needs so many are kept as coherer.shuffle.kept says, those that were needed last. One that a job needs is
// never forgotten, and the executors' tracker hears of each that is.
func TestShufflesThatNoJobNeedsAreForgottenInTheEnd(t *testing.T) {
	r := newRig(t, map[string]string{"coherer.shuffle.kept": "2"})
	ends := func(argument int, forgotten ...int32) {
		t.Helper()
		r.forgotten = nil
		submit(r, counted.With(argument))
		cancels(r, AllJobsCancelled{}, int32(r.asked-1))
		r.Settle()
		if !slices.Equal(r.forgotten, forgotten) {
			t.Errorf("forgot %v, want %v", r.forgotten, forgotten)
		}
	}
	ends(0)
	ends(1)
	ends(0)
	ends(2, 1)
	submit(r, narrow.With(0)) // without a shuffle
	cancels(r, AllJobsCancelled{}, 4)
	r.forget()
	submit(r, counted.With(0))
	r.want("L: job 5 dag-test-counted of stages [9 10]", "L: job 5 stage 9.0: 3 tasks for shuffle 0", "S: submit 9.0 [0 1 2]")
	for argument := 3; argument < 6; argument++ {
		submit(r, counted.With(argument))
	}
	r.forgotten = nil
	r.heard = nil
	cancels(r, StageCancelled{StageID: 11}, 6)
	cancels(r, StageCancelled{StageID: 13}, 7)
	if !slices.Equal(r.forgotten, []int32{2}) || !slices.Contains(r.heard, "T: forget 2") {
		t.Errorf("forgot %v, heard %v", r.forgotten, r.heard)
	}
}

// The pool of a shared stage is that of the first of its jobs; who ends the stage says whether threads are interrupted.
func TestASetHasThePoolOfItsJob(t *testing.T) {
	r := newRig(t, nil)
	of := func(pool string) rdd.Invocation {
		return under(t, rdd.WithProperty(rdd.WithPool(t.Context(), pool), rdd.PropertyInterrupt, "true"), counted.With(0))
	}
	for _, inv := range []rdd.Invocation{of("a"), of("b"), under(t, t.Context(), narrow.With(0))} {
		r.submitAll(inv)
		r.Settle()
	}
	r.tell(mapped(0, 0, 0, "a", 0), mapped(0, 0, 1, "b", 0), mapped(0, 0, 2, "a", 0))
	var pools []string
	for _, set := range r.sets {
		pools = append(pools, set.ID.String()+" "+set.Pool)
	}
	if want := []string{"0.0 a", "3.0 ", "1.0 a", "2.0 b"}; !slices.Equal(pools, want) {
		t.Errorf("sets and pools %q, want %q", pools, want)
	}
	r.heard = nil
	cancels(r, AllJobsCancelled{}, 0, 1, 2)
	r.heard = slices.DeleteFunc(r.heard, func(m string) bool { return m[0] != 'S' })
	const why = ": Stage cancelled: Job %d cancelled as part of cancellation of all jobs"
	r.want(fmt.Sprintf("S: cancel 1"+why+", interrupted", 0), fmt.Sprintf("S: cancel 0"+why+", interrupted", 1), fmt.Sprintf("S: cancel 2"+why+", interrupted", 1),
		fmt.Sprintf("S: cancel 3"+why, 2))
}

// An action may want some partitions: only these are computed, and their results come in the order in which it named them.
func TestAnActionMayWantSomePartitions(t *testing.T) {
	r := newRig(t, nil)
	inv := under(t, t.Context(), chain.With(0))
	inv.Partitions = []int32{3, 1}
	r.submitAll(inv)
	r.Settle()
	r.tell(mapped(0, 0, 0, "a", 0), mapped(0, 0, 1, "a", 0), mapped(0, 0, 2, "a", 0), mapped(1, 0, 0, "b", 1), mapped(1, 0, 1, "c", 1))
	r.forget()
	if got := r.sets[2]; len(got.Tasks) != 2 || got.Tasks[0].Partition != 1 || got.Tasks[1].Partition != 3 {
		t.Errorf("%+v", got)
	}
	r.tell(result(2, 0, 0), result(2, 0, 1))
	r.want()
	r.tell(result(2, 0, 3))
	r.want("L: job 0 stage 2.0 ends: ", "L: job 0 ends: <nil>", "P: job 0: [{3 [51]} {1 [49]}]",
		"S: cancel 0: Stage finished", "S: cancel 1: Stage finished", "S: cancel 2: Stage finished")
	inv.Partitions = []int32{0}
	r.submitAll(inv) // as an action does that wants more: the shuffles are there
	r.want("L: job 1 dag-test-chain of stages [3 4 5]", "L: job 1 stage 5.0: 1 tasks for results", "S: submit 5.0 [0]")
	inv.Partitions = []int32{}
	r.submitAll(inv)
	r.want("L: job 2 dag-test-chain of stages [3 4 6]", "L: job 2 ends: <nil>", "P: job 2: []")
	for _, partitions := range [][]int32{{4}, {-1}, {1, 1}} {
		inv.Partitions = partitions
		n := len(r.bad)
		r.submitAll(inv)
		r.Settle()
		if len(r.bad) != n+1 || !errors.Is(r.bad[n], rdd.ErrBadJob) {
			t.Errorf("partitions %v: %v", partitions, r.bad[n:])
		}
	}
}

// A dataset without a shuffle is forgotten with its last job, others as their shuffles are.
func TestWhatIsForgottenOfDatasets(t *testing.T) {
	x := newDatasets()
	narrow, wide := &dataset{key: "n", jobs: 2}, &dataset{key: "w", jobs: 1, shuffles: []*shuffle{newShuffle(4, 1, 1)}}
	x.add(narrow)
	x.add(wide)
	if x.jobEnded(narrow, 9); x.byKey["n"] == nil {
		t.Error("it is forgotten, though a job needs it")
	}
	if x.jobEnded(narrow, 9); x.byKey["n"] != nil || !slices.Equal(x.all, []*dataset{wide}) {
		t.Error("a dataset without a shuffle is kept")
	}
	if got := x.jobEnded(wide, 0); !slices.Equal(got, []int32{4}) || len(x.byKey) > 0 || len(x.shuffles) > 0 || len(x.all) > 0 {
		t.Errorf("forgot %v, left %v", got, x)
	}
}
