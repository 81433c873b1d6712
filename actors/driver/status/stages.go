//coherer:pure

package status

import (
	"cmp"
	"maps"
	"slices"

	"github.com/coherer/coherer/actors/driver/listener"
)

// The states of a stage.
const (
	stagePending  = "PENDING"
	stageActive   = "ACTIVE"
	stageComplete = "COMPLETE"
	stageFailed   = "FAILED"
	stageSkipped  = "SKIPPED"
)

// stageKey is an attempt of a stage.
type stageKey struct{ id, attempt int32 }

// stage is one attempt of a stage. It mirrors LiveStage.
type stage struct {
	counts
	info              listener.StageInfo
	status            string
	pool, description string
	jobs              []*job // that need it
	first             int64  // launch of a task; 0: none
	tasks             []*task
	metrics           listener.TaskMetrics // sums
	peaks             listener.ExecutorMetrics
	executors         map[string]*stageExecutor
}

// stageExecutor is what an executor did for an attempt of a stage. It mirrors LiveExecutorStageSummary.
type stageExecutor struct {
	taskTime                  int64
	completed, failed, killed int
	excluded                  bool
	metrics                   listener.TaskMetrics
	peaks                     listener.ExecutorMetrics
}

// stage is the attempt that an info is of; a new one is pending.
func (s *Store) stage(info listener.StageInfo) *stage {
	key := stageKey{info.ID, info.Attempt}
	g := s.stages[key]
	if g == nil {
		g = &stage{
			counts: newCounts(), status: stagePending, pool: "default", peaks: listener.Unmeasured, executors: map[string]*stageExecutor{},
		}
		s.stages[key] = g
	}
	g.info = info
	return g
}

func (g *stage) executor(id string) *stageExecutor {
	x := g.executors[id]
	if x == nil {
		x = &stageExecutor{peaks: listener.Unmeasured}
		g.executors[id] = x
	}
	return x
}

func (s *Store) sortedStages() []*stage {
	byKey := func(a, b stageKey) int { return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.attempt, b.attempt)) }
	var out []*stage
	for _, key := range slices.SortedFunc(maps.Keys(s.stages), byKey) {
		out = append(out, s.stages[key])
	}
	return out
}

func (s *Store) stageSubmitted(e *listener.StageSubmitted) {
	g := s.stage(e.Stage)
	g.status = stageActive
	if pool := e.Properties.Get("spark.scheduler.pool"); pool != "" {
		g.pool = pool
	}
	g.description = e.Properties.Get("spark.job.description")
	g.jobs = nil
	for _, id := range slices.Sorted(maps.Keys(s.jobs)) {
		if j := s.jobs[id]; j.status == jobRunning && j.those[e.Stage.ID] {
			g.jobs = append(g.jobs, j)
			delete(j.completedStages, e.Stage.ID)
			j.activeStages++
		}
	}
	for _, r := range e.Stage.RDDs {
		if r.Level.Disk || r.Level.Memory {
			s.rdd(r)
		}
	}
}

func (s *Store) stageCompleted(e *listener.StageCompleted) {
	was := s.stages[stageKey{e.Stage.ID, e.Stage.Attempt}]
	g := s.stage(e.Stage)
	switch {
	case e.Stage.Failure != nil:
		g.status = stageFailed
	case e.Stage.Submitted != nil:
		g.status = stageComplete
	default:
		g.status = stageSkipped
	}
	if was == nil { // its start is not in the log
		return
	}
	for _, j := range g.jobs {
		switch g.status {
		case stageComplete:
			j.completedStages[g.info.ID] = true
		case stageSkipped:
			j.skippedStages[g.info.ID] = true
			j.skippedTasks += g.info.Tasks
		default:
			j.failedStages++
		}
		j.activeStages--
	}
	s.forgetStages()
}

// forgetStages drops the stages that ended first, when there are too many.
func (s *Store) forgetStages() {
	n := surplus(len(s.stages), s.limits.stages)
	if n == 0 {
		return
	}
	var over []*stage
	for _, g := range s.sortedStages() {
		if g.status != stageActive && g.status != stagePending && g.active <= 0 {
			over = append(over, g)
		}
	}
	slices.SortStableFunc(over, func(a, b *stage) int { return cmp.Compare(number(a.info.Completed), number(b.info.Completed)) })
	for _, g := range over[:min(n, len(over))] {
		delete(s.stages, stageKey{g.info.ID, g.info.Attempt})
	}
}

func number(p *int64) int64 {
	if p == nil {
		return 0
	}
	return *p
}

func text(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}
