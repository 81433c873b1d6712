package dag

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/mapoutput"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/rpcenv"
)

// jobSubmitted numbers the job, its stages and shuffles at once, so that the numbers depend on the order of the jobs
// alone, and starts it when the splits are computed.
func (s *Scheduler) jobSubmitted(c *rpcenv.Context, m JobSubmitted) {
	lineage := m.Invocation.Lineage
	switch {
	case lineage == nil:
		rpcenv.Fail(c, m, fmt.Errorf("%w: job %q was submitted without its lineage", rdd.ErrBadJob, m.Invocation.Name))
		return
	case s.dead != "":
		// The program reports the reason, so the log need not.
		s.unreported = ""
		rpcenv.Fail(c, m, &JobError{JobID: m.JobID, Reason: s.dead})
		return
	}
	if err := s.groupCancelled(c, m.JobID, m.Invocation.Properties[rdd.PropertyJobGroup]); err != nil {
		rpcenv.Fail(c, m, err)
		return
	}
	j := &job{
		id: m.JobID, what: m.Invocation, action: m.Action, digest: lineage.Digest(), answer: rpcenv.Defer(c, m),
		stages: plan(lineage, s.nextStage, s.nextShuffle),
	}
	s.nextStage += int32(len(j.stages))
	s.nextShuffle += int32(len(j.stages) - 1)
	for _, g := range j.stages {
		g.job = j
	}
	at, _ := slices.BinarySearchFunc(s.jobs, j, func(a, b *job) int { return cmp.Compare(a.id, b.id) })
	s.jobs = slices.Insert(s.jobs, at, j)
	// Files are read in a body, as a file system may block. It runs beside the endpoint, so it gets copies.
	nodes, fs := make([]int, len(j.stages)), s.cfg.FS
	for i, g := range j.stages {
		nodes[i] = g.node
	}
	rpcenv.Run(c, "", func(*rpcenv.Blocking) ([][][]byte, error) {
		var all [][][]byte
		for _, node := range nodes {
			splits, err := lineage.Splits(fs, node)
			if err != nil {
				return nil, err
			}
			all = append(all, splits)
		}
		return all, nil
	}, func(splits [][][]byte, err error) {
		if !slices.Contains(s.jobs, j) { // it has ended meanwhile: it was cancelled, or the application is dead
			return
		}
		if err != nil {
			s.endJob(c, j, err)
			return
		}
		s.startJob(c, j, splits)
	})
}

func (s *Scheduler) startJob(c *rpcenv.Context, j *job, splits [][][]byte) {
	start := event.JobStart{JobID: j.id, Name: j.what.Name, Properties: j.what.Properties}
	for i, g := range j.stages {
		g.split(splits[i])
		s.stages[g.id] = g
		start.Stages = append(start.Stages, g.id)
		// Before any task of the job: a reducer's question for an unknown shuffle fails.
		if g.isMap {
			c.Send(s.cfg.Tracker, mapoutput.RegisterShuffle{Shuffle: g.shuffle, Maps: len(g.splits)})
		}
	}
	j.results = make([]rdd.Result, len(j.result().splits))
	c.Log().Infof("Got job %d (%s) with %d output partitions", j.id, j.what.Name, len(j.results))
	s.listen(c, start)
	s.submitStage(c, j.result())
}

// submitStage runs a stage, or first the parents whose outputs are missing.
func (s *Scheduler) submitStage(c *rpcenv.Context, g *stage) {
	// Another event submits a stage that waits, runs or has failed. One whose job is over is never submitted.
	if g.phase != phaseIdle || s.stages[g.id] != g {
		return
	}
	parents := g.missingParents()
	if len(parents) == 0 {
		s.submitMissingTasks(c, g)
		return
	}
	s.move(c, g, phaseWaiting, "parents are missing")
	for _, p := range parents {
		s.submitStage(c, p)
	}
}

// submitMissingTasks makes a new attempt of the partitions that are missing.
func (s *Scheduler) submitMissingTasks(c *rpcenv.Context, g *stage) {
	missing := g.missing()
	// Attempts before this one may have brought the rest since it was asked for.
	if len(missing) == 0 {
		s.stageDone(c, g)
		return
	}
	if int(g.attempts) >= s.maxAttempts {
		s.abortStage(c, g, fmt.Sprintf("%s has failed the maximum allowable number of times: %d", g, s.maxAttempts), tasks.Reason{})
		return
	}
	set := tasks.Set{ID: tasks.SetID{Stage: g.id, Attempt: g.attempts}, Job: g.job.id, Pool: g.job.what.Properties[rdd.PropertyPool], Work: s.work(g)}
	g.attempts++
	// The new attempt waits for its own tasks alone.
	clear(g.pending)
	for _, p := range missing {
		set.Tasks = append(set.Tasks, tasks.Task{Partition: p, Split: g.splits[p]})
		g.pending[p] = true
	}
	s.move(c, g, phaseRunning, "submitted")
	c.Log().Infof("Submitting %d missing tasks from %s", len(missing), g)
	submitted := event.StageSubmitted{JobID: g.job.id, StageID: g.id, Attempt: set.ID.Attempt, Tasks: len(missing)}
	if g.isMap {
		submitted.Shuffle = &g.shuffle
	}
	// Before SubmitTasks: ExecutorAllocationManager must know the stage when CoarseGrainedScheduler reports its first
	// TaskStart.
	s.listen(c, submitted)
	c.Send(s.cfg.Scheduler, tasks.SubmitTasks{Set: set})
}

func (s *Scheduler) work(g *stage) tasks.Work {
	return tasks.Work{
		Job: g.job.what.Name, Args: g.job.what.Args, Digest: g.job.digest, Node: int32(g.node), Map: g.isMap, Shuffle: g.shuffle,
		Shuffles: g.job.shuffles(), Action: string(g.job.action), Epoch: s.epoch,
	}
}
