package dag

import (
	"fmt"

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
	digest string
	answer rpcenv.Call[JobResult]
	// stages, parents before children; the last is the result's.
	stages  []*stage
	results []rdd.Result
}

// group is the job's group; "" without one.
func (j *job) group() string { return j.what.Properties[rdd.PropertyJobGroup] }

func (j *job) result() *stage { return j.stages[len(j.stages)-1] }

// shuffles are the ids of the job's shuffles, in the order of its lineage.
func (j *job) shuffles() []int32 {
	var out []int32
	for _, s := range j.stages {
		if s.isMap {
			out = append(out, s.shuffle)
		}
	}
	return out
}

// stage is the tasks between two shuffles. It mirrors ShuffleMapStage and ResultStage.
type stage struct {
	id      int32
	job     *job
	node    int // of the lineage
	isMap   bool
	shuffle int32 // that it writes, if isMap
	parents []*stage
	splits  [][]byte // one for each partition

	phase phase
	// attempts that were made; the newest is attempts-1.
	attempts int32
	// outputs of a map stage: which executor has that of each partition, "" for none. setOutput changes them.
	outputs []string
	// done of a result stage: whether each partition's result has come. finish changes it.
	done []bool
	// left counts the partitions that are missing: a walk over all of them at each completion made large stages quadratic.
	left int
	// pending partitions of a map stage's newest attempt: not heard of yet.
	pending map[int32]bool
	// fetchFailed are the attempts that failed to fetch since the stage last succeeded.
	fetchFailed map[int32]bool
}

// split gives the stage its partitions.
func (s *stage) split(splits [][]byte) {
	s.splits, s.left = splits, len(splits)
	s.pending, s.fetchFailed = map[int32]bool{}, map[int32]bool{}
	if s.isMap {
		s.outputs = make([]string, len(splits))
	} else {
		s.done = make([]bool, len(splits))
	}
}

// missing are the partitions to be computed, ascending.
func (s *stage) missing() []int32 {
	var out []int32
	for i := range s.splits {
		if s.isMap && s.outputs[i] == "" || !s.isMap && !s.done[i] {
			out = append(out, int32(i))
		}
	}
	return out
}

func (s *stage) complete() bool { return s.left == 0 }

// setOutput enters which executor has the output of a partition; "": none has it any more.
func (s *stage) setOutput(partition int32, executor string) {
	switch was := s.outputs[partition]; {
	case was == "" && executor != "":
		s.left--
	case was != "" && executor == "":
		s.left++
	}
	s.outputs[partition] = executor
}

// finish enters that the result of a partition has come; false when it had come before.
func (s *stage) finish(partition int32) bool {
	if s.done[partition] {
		return false
	}
	s.done[partition] = true
	s.left--
	return true
}

// missingParents are the parents whose outputs are not all there, by id.
func (s *stage) missingParents() []*stage {
	var out []*stage
	for _, p := range s.parents {
		if !p.complete() {
			out = append(out, p)
		}
	}
	return out
}

// lose gives up the outputs that an executor has; true when there were any.
func (s *stage) lose(executor string) bool {
	lost := false
	for i, at := range s.outputs {
		if at == executor {
			s.setOutput(int32(i), "")
			lost = true
		}
	}
	return lost
}

// has reports whether the stage has a partition of that number: completions are not trusted.
func (s *stage) has(partition int32) bool { return partition >= 0 && int(partition) < len(s.splits) }

// String is Spark's, as in "ShuffleMapStage 1".
func (s *stage) String() string {
	if s.isMap {
		return fmt.Sprintf("ShuffleMapStage %d", s.id)
	}
	return fmt.Sprintf("ResultStage %d", s.id)
}
