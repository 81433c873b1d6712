package dag

import (
	"fmt"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/mapoutput"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/rpcenv"
)

// fetchFailed handles the failure of a reducer to fetch a map output. It ignores the failures of older attempts: a newer one
// has been submitted since, and meets the loss itself if it still matters.
func (s *Scheduler) fetchFailed(c *rpcenv.Context, g *stage, m tasks.CompletionEvent) {
	if m.Set.Attempt != g.attempts-1 || m.Reason.Fetch == nil {
		return
	}
	g.fetchFailed[m.Set.Attempt] = true
	if g.phase == phaseRunning {
		s.stageCompleted(c, g, m.Reason.Text)
	}
	s.move(c, g, phaseFailed, "fetch failed") // before abortStage, which reports the end of a stage that runs
	s.giveUp(c, g.job, m)
	if len(g.fetchFailed) >= s.maxFetch {
		s.abortStage(c, g, fmt.Sprintf("%s has failed the maximum allowable number of times: %d. Most recent failure reason:\n%s",
			g, s.maxFetch, m.Reason.Text), m.Reason)
		return
	}
	// A writer that runs needs nothing: it finds the lost output missing when its attempt ends.
	if writer := g.job.writer(m.Reason.Fetch.Shuffle); writer != nil && writer.phase == phaseIdle {
		s.move(c, writer, phaseFailed, "outputs were lost")
	}
	if !s.resubmit.Active() {
		s.resubmit = c.After(resubmitDelay, ResubmitFailedStages{})
	}
}

// writer is the stage that writes a shuffle; nil when the job has none such.
func (j *job) writer(shuffle int32) *stage {
	for _, g := range j.stages {
		if g.isMap && g.shuffle == shuffle {
			return g
		}
	}
	return nil
}

// giveUp forgets the output that could not be fetched and, since its executor seems to be gone, all others there; but not
// outputs that the executor wrote since an earlier report of the same loss.
func (s *Scheduler) giveUp(c *rpcenv.Context, j *job, m tasks.CompletionEvent) {
	f := m.Reason.Fetch
	// The reducer did not even learn a place, so no executor is to blame.
	if f.From == nil {
		return
	}
	executor := f.From.GetExecutorId()
	if g := j.writer(f.Shuffle); g != nil && g.has(f.MapIndex) && g.outputs[f.MapIndex] == executor {
		s.epoch++
		g.setOutput(f.MapIndex, "")
		c.Send(s.cfg.Tracker, mapoutput.UnregisterMapOutput{
			Shuffle: f.Shuffle, MapIndex: f.MapIndex, Executor: executor, Epoch: s.epoch,
		})
	}
	if m.Epoch >= s.lostAt[executor] {
		s.loseOutputs(c, executor)
	}
}

// loseOutputs gives up all map outputs of an executor.
func (s *Scheduler) loseOutputs(c *rpcenv.Context, executor string) {
	s.epoch++
	s.lostAt[executor] = s.epoch
	lost := false
	for _, j := range s.jobs {
		for _, g := range j.stages {
			lost = g.lose(executor) || lost
		}
	}
	if lost {
		c.Log().Infof("Shuffle files lost for executor: %s (epoch %d)", executor, s.epoch)
	}
	c.Send(s.cfg.Tracker, mapoutput.RemoveOutputsOnExecutor{Executor: executor, Epoch: s.epoch})
}

// executorChange gives up the outputs of an executor as soon as its connection ended. Spark does so by host.
func (s *Scheduler) executorChange(c *rpcenv.Context, m event.ExecutorChange) {
	switch m.Kind {
	case event.ExecutorAdded:
		delete(s.lostAt, m.ExecutorID)
	case event.ExecutorLossPending, event.ExecutorLost:
		s.loseOutputs(c, m.ExecutorID)
	}
}

// resubmitFailedStages submits the stages that wait since a fetch failure, by job and then stage.
func (s *Scheduler) resubmitFailedStages(c *rpcenv.Context) {
	// Two steps, as submitStage may end a job, which changes s.jobs.
	var failed []*stage
	// All jobs: the executor had outputs of each that it worked for.
	for _, j := range s.jobs {
		for _, g := range j.stages {
			if g.phase == phaseFailed {
				s.move(c, g, phaseIdle, "submitted again")
				failed = append(failed, g)
			}
		}
	}
	for _, g := range failed {
		s.submitStage(c, g)
	}
}
