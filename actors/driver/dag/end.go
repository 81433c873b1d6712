package dag

import (
	"slices"

	"github.com/coherer/coherer/actors/driver/commit"
	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/mapoutput"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/rpcenv"
)

// abortStage fails the jobs that need the stage.
func (s *Scheduler) abortStage(c *rpcenv.Context, g *stage, why string, cause tasks.Reason) {
	if g.phase == phaseRunning {
		s.stageCompleted(c, g, why)
		s.move(c, g, phaseIdle, why)
	}
	for _, j := range slices.Clone(g.jobs) {
		s.endJob(c, j, &JobError{JobID: j.id, Reason: why, Kind: cause.Kind})
	}
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

// endJob answers a job and kills what still runs of the stages that it alone needs. It is called once for a job. Their outputs stay for
// later jobs, but for those of the shuffles that have not been needed for longest, when there are too many.
func (s *Scheduler) endJob(c *rpcenv.Context, j *job, err error) {
	s.jobs = slices.DeleteFunc(s.jobs, func(other *job) bool { return other == j })
	why := "Stage finished"
	if err != nil {
		why = event.Cancelled + err.Error()
	}
	for _, g := range j.stages {
		s.leaveStage(c, g, j, why)
	}
	if j.of != nil {
		for _, shuffle := range s.datasets.jobEnded(j.of, s.keptShuffles) {
			c.Send(s.cfg.Tracker, mapoutput.UnregisterShuffle{Shuffle: shuffle})
			s.listen(c, event.ShuffleForgotten{Shuffle: shuffle})
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
	j.answer.Reply(JobResult{Results: j.wanted(), Accumulated: j.accumulated, Checkpoints: s.toCheckpoint(c, j)})
}

// leaveStage takes a job from a stage that it needed. The last one ends the stage.
func (s *Scheduler) leaveStage(c *rpcenv.Context, g *stage, j *job, why string) {
	if g.submitted && g.commits() {
		c.Send(s.cfg.Commits, commit.StageEnd{Stage: g.id})
	}
	if len(g.jobs) == 1 && g.phase == phaseRunning {
		s.stageCompleted(c, g, why)
	}
	g.jobs = slices.DeleteFunc(g.jobs, func(other *job) bool { return other == j })
	if len(g.jobs) > 0 {
		return
	}
	delete(s.stages, g.id)
	if g.shuffle != nil {
		g.shuffle.stage = nil
	}
	// Also of a stage that succeeded: attempts of its older sets may still run.
	if g.submitted {
		c.Send(s.cfg.Scheduler, tasks.CancelTasks{Stage: g.id, Interrupt: j.what.Properties[rdd.PropertyInterrupt] == "true", Reason: why})
	}
}
