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
	from := m.Reason.Fetch.From.GetExecutorId()
	if _, leaves := s.decommissioned[from]; leaves && s.ignoreDecommissioned {
		c.Log().Infof("Ignoring fetch failure of %s attempt %d when counting %s, as executor %s is decommissioned and %s=true", g, m.Set.Attempt,
			stageMaxConsecutiveAttempts.Key(), from, stageIgnoreDecommissionFetchFailure.Key())
	} else {
		g.fetchFailed[m.Set.Attempt] = true
	}
	if g.phase == phaseRunning {
		s.stageCompleted(c, g, m.Reason.Text)
	}
	first := g.phase != phaseFailed
	s.move(c, g, phaseFailed, "fetch failed") // before abortStage, which reports the end of a stage that runs
	s.giveUp(c, g, m)
	if len(g.fetchFailed) >= s.maxFetch {
		s.abortStage(c, g, fmt.Sprintf("%s has failed the maximum allowable number of times: %d. Most recent failure reason:\n%s",
			g, s.maxFetch, m.Reason.Text), m.Reason)
		return
	}
	if s.abortBarrier(c, g, m.Reason.Text, m.Reason) {
		return
	}
	if g.barrier {
		s.unregisterAll(c, g.shuffle)
	}
	// All tasks of a barrier stage run again, so none of its outputs is of use.
	if sh := s.datasets.shuffles[m.Reason.Fetch.Shuffle]; sh != nil && sh.stage != nil && sh.stage.barrier {
		s.unregisterAll(c, sh)
	}
	// A writer that runs needs nothing: it finds the lost output missing when its attempt ends.
	if sh := s.datasets.shuffles[m.Reason.Fetch.Shuffle]; sh != nil && sh.stage != nil && sh.stage.phase == phaseIdle {
		s.move(c, sh.stage, phaseFailed, "outputs were lost")
	}
	if sh := s.datasets.shuffles[m.Reason.Fetch.Shuffle]; first && sh != nil && sh.stage != nil && sh.stage.indeterminate {
		s.rollBack(c, sh.stage)
	}
	if !s.resubmit.Active() {
		s.resubmit = c.After(resubmitDelay, ResubmitFailedStages{})
	}
}

// giveUp forgets the output that could not be fetched and, since its executor seems to be gone, all others there; but not
// outputs that the executor wrote since an earlier report of the same loss.
func (s *Scheduler) giveUp(c *rpcenv.Context, g *stage, m tasks.CompletionEvent) {
	f := m.Reason.Fetch
	// The reducer did not even learn a place, so no executor is to blame.
	if f.From == nil {
		g.distrusts = true
		return
	}
	executor := f.From.GetExecutorId()
	if sh := s.datasets.shuffles[f.Shuffle]; sh != nil && sh.has(f.MapIndex) && sh.outputs[f.MapIndex].executor == executor {
		s.epoch++
		sh.set(f.MapIndex, place{})
		c.Send(s.cfg.Tracker, mapoutput.UnregisterMapOutput{
			Shuffle: f.Shuffle, MapIndex: f.MapIndex, Executor: executor, Epoch: s.epoch,
		})
	}
	wholeHost := s.decommissioned[executor]
	switch known := m.Epoch < s.lostAt[executor]; {
	// Other executors of a host that is decommissioned may have gone and come to lostAt, though those that are left lose their outputs
	// too: so the epoch says nothing there.
	case s.byHost && (wholeHost || s.cfg.ExternalShuffle && !known):
		s.lostAt[executor] = s.epoch + 1
		s.loseHost(c, f.From.GetHost())
	case !known:
		s.loseOutputs(c, executor)
	}
}

// loseOutputs gives up all map outputs of an executor, also those that are kept for later jobs.
func (s *Scheduler) loseOutputs(c *rpcenv.Context, executor string) {
	s.epoch++
	s.lostAt[executor] = s.epoch
	if s.datasets.lose(func(at place) bool { return at.executor == executor }) {
		c.Log().Infof("Shuffle files lost for executor: %s (epoch %d)", executor, s.epoch)
	}
	c.Send(s.cfg.Tracker, mapoutput.RemoveOutputsOnExecutor{Executor: executor, Epoch: s.epoch})
}

// loseHost gives up all map outputs on a host.
func (s *Scheduler) loseHost(c *rpcenv.Context, host string) {
	s.epoch++
	if s.datasets.lose(func(at place) bool { return at.host == host }) {
		c.Log().Infof("Shuffle files lost for host: %s (epoch %d)", host, s.epoch)
	}
	c.Send(s.cfg.Tracker, mapoutput.RemoveOutputsOnHost{Host: host, Epoch: s.epoch})
}

// workerRemoved gives up what the shuffle service of a Worker had. Without one its executors had their outputs themselves, and their
// losses are reported one by one: another Worker of the same host may live.
func (s *Scheduler) workerRemoved(c *rpcenv.Context, m event.WorkerRemoved) {
	if s.cfg.ExternalShuffle {
		c.Log().Infof("Shuffle files lost for worker %s on host %s", m.ID, m.Host)
		s.loseHost(c, m.Host)
	}
}

// executorChange gives up the outputs of an executor as soon as its connection ended, unless a shuffle service has them.
func (s *Scheduler) executorChange(c *rpcenv.Context, m event.ExecutorChange) {
	switch m.Kind {
	case event.ExecutorAdded:
		delete(s.lostAt, m.ExecutorID)
	case event.ExecutorDecommissioned:
		s.decommissioned[m.ExecutorID] = m.WholeHost
	case event.ExecutorLossPending, event.ExecutorLost:
		if m.Kind == event.ExecutorLost {
			delete(s.decommissioned, m.ExecutorID)
		}
		s.loseKept(m.ExecutorID)
		if !s.cfg.ExternalShuffle {
			s.loseOutputs(c, m.ExecutorID)
		}
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
