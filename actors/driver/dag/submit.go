package dag

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/coherer/coherer/actors/driver/commit"
	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/mapoutput"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// jobSubmitted starts a job when its splits are computed.
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
	node := lineage.Last()
	if m.Action == rdd.ActionCheckpoint || m.Action == rdd.ActionLocalCheckpoint {
		node = m.Node
	}
	j := &job{id: m.JobID, what: m.Invocation, action: m.Action, node: node, answer: rpcenv.Defer(c, m)}
	at, _ := slices.BinarySearchFunc(s.jobs, j, func(a, b *job) int { return cmp.Compare(a.id, b.id) })
	s.jobs = slices.Insert(s.jobs, at, j)
	// Files are read in a body, as a file system may block, and functions of the user called. It runs beside the endpoint.
	fs := s.cfg.FS
	rpcenv.Run(c, "", func(*rpcenv.Blocking) (split, error) {
		of, err := layout(fs, lineage, node)
		if err == nil {
			of.prefers, err = preferredAll(lineage, nodes(lineage, node), of.Splits)
		}
		return of, err
	}, func(of split, err error) {
		if !slices.Contains(s.jobs, j) { // it has ended meanwhile: it was cancelled, or the application is dead
			return
		}
		if err == nil {
			err = j.what.CheckPartitions(len(of.Splits[len(of.Splits)-1]))
		}
		if err != nil {
			s.endJob(c, j, err)
			return
		}
		s.checkBarriers(c, j, of)
	})
}

// split is what was found of a job's files, and where the partitions of each stage want to be read.
type split struct {
	rdd.Layout
	prefers [][][]tasks.Location
}

// layout looks at the files of all stages of a lineage, so that each job of a dataset finds the same version of them, whatever its node.
func layout(fs rdd.FS, l *rdd.Lineage, node int) (of split, err error) {
	all := nodes(l, l.Last())
	if node == l.Last() {
		of.Layout, err = l.Layout(fs, all)
		return of, err
	}
	if of.Layout, err = l.Layout(fs, append(all, node)); err == nil {
		of.Splits = slices.Delete(of.Splits, len(all)-1, len(all))
	}
	return of, err
}

// startJob numbers what is new: stages and shuffles, in the order in which jobs start. It takes up what another job of the same
// dataset has begun, and the shuffles that one which is over has left.
func (s *Scheduler) startJob(c *rpcenv.Context, j *job, of split) {
	lineage := j.what.Lineage
	j.of = s.datasetOf(c, j.what, of)
	j.of.jobs++
	j.of.kept = s.keptOf(c, j.of, of.Persisted)
	j.stages = plan(j.of, lineage, j.node, of.Splits, s.number)
	g := j.result()
	if j.what.Partitions != nil {
		g.only(j.what.Partitions)
	}
	j.results = make([]rdd.Result, len(g.splits))
	start := event.JobStart{JobID: j.id, Name: j.what.Name, Properties: j.what.Properties, Shuffles: j.of.ids()}
	for i, g := range j.stages {
		g.prefers = of.prefers[i]
		s.stages[g.id] = g
		at, _ := slices.BinarySearchFunc(g.jobs, j, func(a, b *job) int { return cmp.Compare(a.id, b.id) })
		g.jobs = slices.Insert(g.jobs, at, j)
		start.Stages = append(start.Stages, g.id)
	}
	if !s.cfg.Bus.IsZero() {
		start.Infos = infos(j)
	}
	c.Log().Infof("Got job %d (%s) with %d output partitions", j.id, j.what.Name, g.left)
	s.listen(c, start)
	s.submitStage(c, g)
}

func (s *Scheduler) number() int32 {
	s.nextStage++
	return s.nextStage - 1
}

// datasetOf is the dataset of a job; one that is new gets its shuffles.
func (s *Scheduler) datasetOf(c *rpcenv.Context, what rdd.Invocation, of split) *dataset {
	digest := what.Lineage.Digest()
	key := keyOf(what, digest, of.Version)
	if d := s.datasets.byKey[key]; d != nil {
		return d
	}
	d := &dataset{key: key, what: what, digest: digest}
	s.numberRDDs(d, of.Persisted)
	for i, l := range what.Lineage.Shuffles() {
		sh := newShuffle(s.nextShuffle, len(of.Splits[i]), l.Reducers)
		s.nextShuffle++
		d.shuffles = append(d.shuffles, sh)
		// Before any task of the job: a reducer's question for an unknown shuffle fails.
		c.Send(s.cfg.Tracker, mapoutput.RegisterShuffle{Shuffle: sh.id, Maps: len(sh.outputs)})
	}
	s.datasets.add(d)
	return d
}

// submitStage runs a stage, or first the parents whose outputs are missing.
func (s *Scheduler) submitStage(c *rpcenv.Context, g *stage) {
	// Another event submits a stage that waits, runs or has failed. One whose jobs are over is never submitted.
	if g.phase != phaseIdle || s.stages[g.id] != g {
		return
	}
	if int(g.attempts) >= s.maxAttempts && !g.complete() {
		s.abortStage(c, g, fmt.Sprintf("%s has been resubmitted for the maximum allowable number of times: %d, which is the max value of "+
			"config `%s` and `%s`.", g, s.maxAttempts, stageMaxAttempts.Key(), stageMaxConsecutiveAttempts.Key()), tasks.Reason{})
		return
	}
	parents := g.missingParents()
	for _, p := range g.parents {
		// The attempt that is left out keeps its number: if outputs are lost later, the next one is an attempt to make them again.
		if p.complete() && p.attempts == 0 {
			p.attempts = 1
		}
	}
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
	// What is there does not fit to what would be made now.
	if (g.indeterminate || g.barrier) && g.shuffle != nil && !g.complete() {
		s.unregisterAll(c, g.shuffle)
	}
	missing := g.missing()
	// Attempts before this one may have brought the rest since it was asked for, or nothing is wanted.
	if len(missing) == 0 {
		s.stageDone(c, g)
		return
	}
	set := tasks.Set{
		Barrier: g.barrier,
		ID:      tasks.SetID{Stage: g.id, Attempt: g.attempts}, Job: g.jobID(), Pool: g.job().what.Properties[rdd.PropertyPool], Work: s.work(g),
	}
	g.attempts++
	g.submitted = true
	// The new attempt waits for its own tasks alone.
	clear(g.pending)
	preferred := s.preferred(g)
	for _, p := range missing {
		set.Tasks = append(set.Tasks, tasks.Task{Partition: p, Split: g.splits[p], Locations: preferred(p)})
		g.pending[p] = true
	}
	s.move(c, g, phaseRunning, "submitted")
	c.Log().Infof("Submitting %d missing tasks from %s", len(missing), g)
	submitted := event.StageSubmitted{JobID: g.jobID(), StageID: g.id, Attempt: set.ID.Attempt, Tasks: len(missing)}
	if g.shuffle != nil {
		submitted.Shuffle = &g.shuffle.id
	}
	// Before SubmitTasks: ExecutorAllocationManager must know the stage when CoarseGrainedScheduler reports its first
	// TaskStart.
	s.listen(c, submitted)
	// Before SubmitTasks, too: a task of a stage that OutputCommitCoordinator does not know may not commit.
	if g.commits() {
		c.Send(s.cfg.Commits, commit.StageStart{Stage: g.id, Partitions: len(g.splits)})
	}
	s.announceBarrier(c, g, set.ID.Attempt, len(set.Tasks))
	c.Send(s.cfg.Scheduler, tasks.SubmitTasks{Set: set})
}

func (s *Scheduler) work(g *stage) tasks.Work {
	w := tasks.Work{
		Job: g.of.what.Name, Args: g.of.what.Args, Digest: g.of.digest, Node: int32(g.node), Map: g.shuffle != nil,
		Shuffles: g.of.ids(), Action: string(g.job().action), Epoch: s.epoch,
		Persisted: g.persistedNodes(),
	}
	switch {
	case w.Map:
		w.Shuffle = g.shuffle.id
	case g.commits():
		out := g.job().what.Output
		w.Output = &app.TaskOutput{Path: out.Path, Job: out.Job}
	}
	return w
}
