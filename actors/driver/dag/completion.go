package dag

import (
	"slices"
	"strings"

	"github.com/coherer/coherer/actors/driver/barrier"
	"github.com/coherer/coherer/actors/driver/commit"
	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/mapoutput"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// completionEvent takes the end of an attempt. When its stage's job is over, only the listeners hear of it.
func (s *Scheduler) completionEvent(c *rpcenv.Context, m tasks.CompletionEvent) {
	g := s.stages[m.Set.Stage]
	s.taskEnd(c, g, m)
	if g == nil || !g.has(m.Partition) {
		return
	}
	// The task is tried again, so another attempt of it may have to commit.
	if g.commits() && m.Reason.Kind != tasks.KindSuccess && m.Reason.Kind != tasks.KindTaskCommitDenied {
		c.Send(s.cfg.Commits, commit.TaskCompleted{Stage: g.id, StageAttempt: m.Set.Attempt, Partition: m.Partition, Attempt: m.Attempt})
	}
	if g.barrier && m.Reason.Kind != tasks.KindSuccess && m.Reason.Kind != tasks.KindFetchFailed {
		s.barrierTaskFailed(c, g, m)
		return
	}
	switch m.Reason.Kind {
	case tasks.KindSuccess:
		// An older attempt brought what the newest one need not compute any more.
		if m.Set.Attempt < g.attempts-1 && !g.indeterminate {
			c.Send(s.cfg.Scheduler, tasks.PartitionCompleted{Stage: g.id, Partition: m.Partition})
		}
		if g.shuffle != nil {
			g.accumulate(m.Result)
			s.mapTaskSucceeded(c, g, m)
		} else {
			s.resultTaskSucceeded(c, g, m)
		}
	case tasks.KindFetchFailed:
		s.fetchFailed(c, g, m)
	case tasks.KindResubmitted:
		// The stage waits for the tasks of its newest attempt alone.
		if m.Set.Attempt == g.attempts-1 {
			g.pending[m.Partition] = true
		}
	default: // other failures change nothing: the task set tries again by itself, or sends TaskSetFailed
	}
}

func (s *Scheduler) taskEnd(c *rpcenv.Context, g *stage, m tasks.CompletionEvent) {
	e := event.TaskEnd{
		JobID: -1, StageID: m.Set.Stage, StageAttempt: m.Set.Attempt, TaskID: m.TaskID, Index: m.Index, Partition: m.Partition,
		Attempt: m.Attempt, ExecutorID: m.Executor, Host: m.Host, Failure: m.Reason.Text,
		Speculative: m.Speculative,
		Killed:      m.Reason.Kind == tasks.KindTaskKilled, Resubmitted: m.Reason.Kind == tasks.KindResubmitted,
		TaskEnded: event.TaskEnded{
			Launched: m.Launched, GettingResult: m.GettingResult, Finished: m.Finished, Locality: m.Level.String(), Map: m.Map,
			Reason: m.Reason, Result: m.Result,
		},
	}
	if g != nil {
		e.JobID = g.jobID()
	}
	s.listen(c, e)
}

// mapTaskSucceeded enters the output, unless its executor's outputs were given up since the task was made: then it may
// be gone with them.
func (s *Scheduler) mapTaskSucceeded(c *rpcenv.Context, g *stage, m tasks.CompletionEvent) {
	if g.indeterminate && m.Set.Attempt < g.attempts-1 {
		c.Log().Infof("Ignoring %s completion from an older attempt of indeterminate stage", g)
		return
	}
	// Also when the output is not entered below: the end of the attempt finds it missing and makes another attempt.
	delete(g.pending, m.Partition)
	if m.Epoch < s.lostAt[m.Executor] {
		c.Log().Infof("Ignoring possibly bogus %s completion from executor %s", g, m.Executor)
	} else {
		status := m.Result.GetMapStatus()
		g.shuffle.set(m.Partition, place{m.Executor, status.GetLocation().GetHost(), status.GetMapId()})
		g.shuffle.setSizes(m.Partition, status.GetSizes())
		c.Send(s.cfg.Tracker, mapoutput.RegisterMapOutput{Shuffle: g.shuffle.id, MapIndex: m.Partition, Status: status})
	}
	// In phaseFailed the stage waits for ResubmitFailedStages instead.
	if g.phase == phaseRunning && len(g.pending) == 0 {
		s.mapStageEnded(c, g)
	}
}

// mapStageEnded follows the last task of a map stage's attempt. The stage is complete, or outputs that were lost meanwhile are
// made again.
func (s *Scheduler) mapStageEnded(c *rpcenv.Context, g *stage) {
	// This may be a second attempt: executors must forget the places of outputs that were lost.
	s.epoch++
	c.Send(s.cfg.Tracker, mapoutput.IncrementEpoch{Epoch: s.epoch})
	if g.complete() {
		s.stageDone(c, g)
		return
	}
	s.stageCompleted(c, g, "some of its tasks' outputs were lost")
	s.move(c, g, phaseIdle, "outputs were lost")
	s.submitStage(c, g)
}

// stageDone follows the success of a stage: its children go on, in all jobs that need it, or the job is over.
func (s *Scheduler) stageDone(c *rpcenv.Context, g *stage) {
	// An idle stage comes here when outputs of an older attempt have completed it: its end was reported before.
	if g.phase == phaseRunning {
		s.stageCompleted(c, g, "")
	}
	// spark.stage.maxConsecutiveAttempts counts failures without a success between.
	clear(g.fetchFailed)
	s.move(c, g, phaseIdle, "complete")
	if g.shuffle == nil {
		s.endJob(c, g.job(), nil)
		return
	}
	// A child that is submitted may end its job, which changes g.jobs.
	for _, j := range slices.Clone(g.jobs) {
		for _, child := range j.stages {
			if child.phase != phaseWaiting || s.stages[child.id] != child {
				continue
			}
			missing := child.missingParents()
			if len(missing) == 0 {
				s.move(c, child, phaseIdle, "parents are complete")
				s.submitStage(c, child)
				continue
			}
			// One that was complete may have lost outputs while the child waited for another. No task of the child runs that would miss
			// them, so nothing else submits it. Of those that wait or run, submitStage changes nothing.
			if slices.Contains(child.parents, g) {
				for _, p := range missing {
					s.submitStage(c, p)
				}
			}
		}
	}
}

func (s *Scheduler) stageCompleted(c *rpcenv.Context, g *stage, failure string) {
	if g.barrier {
		c.Send(s.cfg.Barriers(), barrier.StageEnd{Stage: g.id, Attempt: g.attempts - 1})
	}
	if failure == "" {
		c.Log().Infof("%s finished", g)
	} else {
		c.Log().Infof("%s failed: %s", g, failure)
	}
	s.listen(c, event.StageCompleted{JobID: g.jobID(), StageID: g.id, Attempt: g.attempts - 1, Failure: failure})
}

// resultTaskSucceeded takes the result of a partition once, from the first attempt that brings it.
func (s *Scheduler) resultTaskSucceeded(c *rpcenv.Context, g *stage, m tasks.CompletionEvent) {
	if !g.finish(m.Partition) {
		return
	}
	g.accumulate(m.Result) // once for a partition, however many attempts end well
	g.job().results[m.Partition] = rdd.Result{Count: m.Result.GetCount(), Records: m.Result.GetRecords()}
	if g.complete() {
		s.stageDone(c, g)
	}
}

// accumulate notes what a task has added to accumulators, for the first of the jobs that need its stage: Spark counts it once, too.
func (g *stage) accumulate(result *app.TaskResult) {
	j := g.job()
	for _, a := range result.GetAccumulated() {
		j.accumulated = append(j.accumulated, rdd.Update{Name: a.GetName(), Value: a.GetValue()})
	}
}

func (s *Scheduler) taskSetFailed(c *rpcenv.Context, m tasks.TaskSetFailed) {
	g := s.stages[m.Set.Stage]
	if g == nil {
		return
	}
	why := m.Reason
	if m.Cause.Kind == tasks.KindLineageDiffers && m.Cause.Lineage != "" {
		what := g.of.what
		why = (&rdd.LineageError{Job: what.Name, Driver: what.Lineage.Lines(), Executor: strings.Split(m.Cause.Lineage, "\n")}).Error()
	}
	s.abortStage(c, g, why, m.Cause)
}
