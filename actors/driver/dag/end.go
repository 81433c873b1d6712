package dag

import (
	"slices"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/mapoutput"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/rpcenv"
)

// abortStage fails the job that the stage belongs to.
func (s *Scheduler) abortStage(c *rpcenv.Context, g *stage, why string, cause tasks.Reason) {
	if g.phase == phaseRunning {
		s.stageCompleted(c, g, why)
		s.move(c, g, phaseIdle, why)
	}
	s.endJob(c, g.job, &JobError{JobID: g.job.id, Reason: why, Kind: cause.Kind})
}

// applicationDead fails everything. Jobs that come later fail in jobSubmitted. One place reports the reason: the program whose
// job fails, or the log. An application may end just before its program submits the first job, so the log waits for that.
func (s *Scheduler) applicationDead(c *rpcenv.Context, m ApplicationDead) {
	s.dead = m.Reason
	if len(s.jobs) == 0 {
		s.unreported = m.Line
		c.After(reportDelay, ReportDeath{})
	} else {
		c.Log().Info(m.Line)
	}
	// endJob takes the job out of s.jobs.
	for _, j := range slices.Clone(s.jobs) {
		s.endJob(c, j, &JobError{JobID: j.id, Reason: m.Reason})
	}
}

// reportDeath logs why the application is over, unless a job has failed with it.
func (s *Scheduler) reportDeath(c *rpcenv.Context) {
	if s.unreported != "" {
		c.Log().Error(s.unreported)
		s.unreported = ""
	}
}

// endJob answers a job, kills what still runs of it and forgets its shuffles. It is called once for a job.
func (s *Scheduler) endJob(c *rpcenv.Context, j *job, err error) {
	s.jobs = slices.DeleteFunc(s.jobs, func(other *job) bool { return other == j })
	why := "Stage finished"
	if err != nil {
		why = event.Cancelled + err.Error()
	}
	for _, g := range j.stages {
		if s.stages[g.id] == nil {
			continue // the job was never started
		}
		delete(s.stages, g.id)
		if g.phase == phaseRunning {
			s.stageCompleted(c, g, why)
		}
		// Also of a stage that succeeded: attempts of its older sets may still run.
		if g.attempts > 0 {
			c.Send(s.cfg.Scheduler, tasks.CancelTasks{Stage: g.id, Reason: why})
		}
		if g.isMap {
			c.Send(s.cfg.Tracker, mapoutput.UnregisterShuffle{Shuffle: g.shuffle})
		}
	}
	// Before the answer, after which the program may end the driver.
	s.listen(c, event.JobEnd{JobID: j.id, Err: err})
	if err != nil {
		c.Log().Infof("Job %d failed: %v", j.id, err)
		j.answer.Fail(err)
		return
	}
	c.Log().Infof("Job %d finished", j.id)
	j.answer.Reply(JobResult{Results: j.results})
}
