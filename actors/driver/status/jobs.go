//coherer:pure

package status

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/coherer/coherer/actors/driver/listener"
)

// The states of a job.
const (
	jobRunning   = "RUNNING"
	jobSucceeded = "SUCCEEDED"
	jobFailed    = "FAILED"
)

// job is one job. It mirrors LiveJob.
type job struct {
	counts
	id                                    int32
	name, description, group, status      string
	tags                                  []string
	submitted, completed                  int64
	stageIDs                              []int32
	tasks, skippedTasks                   int
	activeStages, failedStages            int
	completedStages, skippedStages, those map[int32]bool // those: of stageIDs
}

// counts are the attempts of tasks of a job or of a stage.
type counts struct {
	active, completed, failed, killed int
	indices                           map[taskIndex]bool // that are complete
	killedBy                          map[string]int     // by reason
}

// taskIndex is one task of a stage.
type taskIndex struct{ stage, index int32 }

func newCounts() counts { return counts{indices: map[taskIndex]bool{}, killedBy: map[string]int{}} }

// outcome is what the end of an attempt adds to counts.
type outcome struct {
	completed, failed, killed int
	why                       string // it was killed
	ran                       bool   // it counted as active
}

func outcomeOf(e *listener.TaskEnd, ran bool) outcome {
	switch e.Reason.Reason {
	case listener.Success:
		return outcome{completed: 1, ran: ran}
	case listener.TaskKilled:
		return outcome{killed: 1, why: text(e.Reason.KillReason), ran: ran}
	case listener.TaskCommitDenied:
		return outcome{killed: 1, why: errorText(&e.Reason), ran: ran}
	}
	return outcome{failed: 1, ran: ran}
}

// ended enters the end of an attempt.
func (c *counts) ended(o outcome, at taskIndex) {
	if o.ran {
		c.active--
	}
	c.completed += o.completed
	c.failed += o.failed
	c.killed += o.killed
	if o.completed > 0 {
		c.indices[at] = true
	}
	if o.killed > 0 {
		c.killedBy[o.why]++
	}
}

func (s *Store) jobStart(e *listener.JobStart) {
	j := &job{
		counts: newCounts(), id: e.JobID, status: jobRunning, submitted: e.Submitted, stageIDs: e.StageIDs,
		description: e.Properties.Get("spark.job.description"), group: e.Properties.Get("spark.jobGroup.id"), tags: []string{},
		completedStages: map[int32]bool{}, skippedStages: map[int32]bool{}, those: map[int32]bool{},
	}
	for tag := range strings.SplitSeq(e.Properties.Get("spark.job.tags"), ",") {
		if tag != "" {
			j.tags = append(j.tags, tag)
		}
	}
	last := int32(-1)
	for _, info := range e.Stages {
		j.those[info.ID] = true
		if info.Completed == nil { // more than will run, when outputs are there already
			j.tasks += info.Tasks
		}
		if info.ID > last {
			last, j.name = info.ID, info.Name
		}
		g := s.stage(info)
		g.jobs = append(g.jobs, j)
	}
	s.jobs[j.id] = j
	s.forgetJobs()
}

// jobEnd skips the stages of a job that were never submitted.
func (s *Store) jobEnd(e *listener.JobEnd) {
	j := s.jobs[e.JobID]
	if j == nil || j.status != jobRunning {
		return
	}
	for _, g := range s.sortedStages() {
		if g.status != stagePending || !slices.Contains(g.jobs, j) {
			continue
		}
		if g.jobs = slices.DeleteFunc(g.jobs, func(other *job) bool { return other == j }); len(g.jobs) == 0 {
			g.status = stageSkipped
		}
		j.skippedStages[g.info.ID] = true
		j.skippedTasks += g.info.Tasks
	}
	j.status, j.completed = jobFailed, e.Completed
	if e.Result.Result == listener.JobSucceeded {
		j.status = jobSucceeded
	}
	s.forgetStages()
}

// forgetJobs drops the jobs that ended first, when there are too many.
func (s *Store) forgetJobs() {
	n := surplus(len(s.jobs), s.limits.jobs)
	if n == 0 {
		return
	}
	var over []*job
	for _, id := range slices.Sorted(maps.Keys(s.jobs)) {
		if j := s.jobs[id]; j.status != jobRunning {
			over = append(over, j)
		}
	}
	slices.SortStableFunc(over, func(a, b *job) int { return cmp.Compare(a.completed, b.completed) })
	for _, j := range over[:min(n, len(over))] {
		delete(s.jobs, j.id)
	}
}
