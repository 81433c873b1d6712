package dag

import (
	"fmt"
	"slices"

	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/rpcenv"
)

// phase is where a stage stands. Its outputs, which may be lost again, say whether it is complete.
type phase int

const (
	phaseIdle    phase = iota // not submitted, or complete
	phaseWaiting              // for its parents
	phaseRunning              // its newest attempt is with CoarseGrainedScheduler
	phaseFailed               // waits to be submitted again
)

// String is the phase in traces.
func (p phase) String() string { return [...]string{"IDLE", "WAITING", "RUNNING", "FAILED"}[p] }

// job is one action that is not answered yet. It mirrors org.apache.spark.scheduler.ActiveJob.
type job struct {
	id     int32
	what   rdd.Invocation
	action rdd.Action
	node   int // whose partitions are the result
	answer rpcenv.Call[JobResult]
	// of is its dataset and stages are those that it needs, parents before children, the result's last; both from its start on.
	of      *dataset
	stages  []*stage
	results []rdd.Result // by partition
	// Of a job with a barrier stage that has not started: its splits, how many tasks must run at once, and how often there was no room.
	split               split
	slots, slotFailures int
	// accumulated by its tasks, and by those of the stages that run for it first.
	accumulated []rdd.Update
}

// group is the job's group; "" without one.
func (j *job) group() string { return j.what.Properties[rdd.PropertyJobGroup] }

func (j *job) result() *stage { return j.stages[len(j.stages)-1] }

// wanted are the results that the action has asked for, in its order.
func (j *job) wanted() []rdd.Result {
	if j.what.Partitions == nil {
		return j.results
	}
	out := make([]rdd.Result, len(j.what.Partitions))
	for i, p := range j.what.Partitions {
		out[i] = j.results[p]
	}
	return out
}

// stage is the tasks between two shuffles. It mirrors ShuffleMapStage and ResultStage.
type stage struct {
	id      int32
	of      *dataset
	node    int      // of the lineage
	shuffle *shuffle // that it writes; nil: it gives the result of its only job
	jobs    []*job   // that need it and are not over, by id
	parents []*stage
	splits  [][]byte // one for each partition
	// prefers is where each partition wants to run by the lineage; nil: anywhere.
	prefers [][]tasks.Location

	// distrusts: a task missed an output that it should not have needed, since what it makes was to be kept somewhere.
	distrusts bool
	// indeterminate: computed again, a partition may have other records.
	indeterminate bool
	// barrier: its tasks run all at once.
	barrier bool

	phase phase
	// attempts that were made or left out; the newest is attempts-1.
	attempts int32
	// submitted: at least one attempt was made.
	submitted bool
	// done of a result stage: whether each partition's result has come or is not wanted. finish changes it, and left, which counts the
	// others.
	done []bool
	left int
	// wanted is how many results the stage is to bring.
	wanted int
	// pending partitions of a map stage's newest attempt: not heard of yet.
	pending map[int32]bool
	// fetchFailed are the attempts that failed to fetch since the stage last succeeded.
	fetchFailed map[int32]bool
}

// newStage makes a stage of a node. One that writes no shuffle wants all results.
func newStage(id int32, of *dataset, node int, writes *shuffle, splits [][]byte) *stage {
	g := &stage{
		id: id, of: of, node: node, shuffle: writes, splits: splits, pending: map[int32]bool{}, fetchFailed: map[int32]bool{},
	}
	if writes == nil {
		g.done, g.left, g.wanted = make([]bool, len(splits)), len(splits), len(splits)
	}
	return g
}

// commits reports whether the stage's tasks write output that they commit.
func (g *stage) commits() bool {
	return g.shuffle == nil && (g.job().action == rdd.ActionSave || g.job().action == rdd.ActionCheckpoint)
}

// only makes a stage want the results of some partitions alone.
func (g *stage) only(partitions []int32) {
	wanted := make(map[int32]bool, len(partitions))
	for _, p := range partitions {
		wanted[p] = true
	}
	for i := range g.done {
		g.done[i] = !wanted[int32(i)]
	}
	g.left, g.wanted = len(wanted), len(wanted)
}

// job is the first of the jobs that need the stage. One that no job needs is not in Scheduler.stages.
func (g *stage) job() *job { return g.jobs[0] }

// jobID is the number of that job.
func (g *stage) jobID() int32 { return g.job().id }

// isMissing reports whether a partition is to be computed.
func (g *stage) isMissing(partition int) bool {
	if g.shuffle != nil {
		return g.shuffle.outputs[partition].executor == ""
	}
	return !g.done[partition]
}

// missing are the partitions to be computed, ascending.
func (g *stage) missing() []int32 {
	var out []int32
	for i := range g.splits {
		if g.isMissing(i) {
			out = append(out, int32(i))
		}
	}
	return out
}

func (g *stage) complete() bool {
	if g.shuffle != nil {
		return g.shuffle.left == 0
	}
	return g.left == 0
}

// finish enters that the result of a partition has come; false when it had come before, or is not wanted.
func (g *stage) finish(partition int32) bool {
	if g.done[partition] {
		return false
	}
	g.done[partition] = true
	g.left--
	return true
}

// missingParents are the parents whose outputs are not all there, by id.
func (g *stage) missingParents() []*stage {
	var out []*stage
	for _, p := range g.neededParents() {
		if !p.complete() {
			out = append(out, p)
		}
	}
	return out
}

// needs reports whether the stage is made of the outputs of another one, or is that.
func (g *stage) needs(other *stage, seen map[*stage]bool) bool {
	if g == other {
		return true
	}
	seen[g] = true
	return slices.ContainsFunc(g.parents, func(p *stage) bool { return !seen[p] && p.needs(other, seen) })
}

// has reports whether the stage has a partition of that number: completions are not trusted.
func (g *stage) has(partition int32) bool { return partition >= 0 && int(partition) < len(g.splits) }

// String is Spark's, as in "ShuffleMapStage 1".
func (g *stage) String() string {
	if g.shuffle != nil {
		return fmt.Sprintf("ShuffleMapStage %d", g.id)
	}
	return fmt.Sprintf("ResultStage %d", g.id)
}
