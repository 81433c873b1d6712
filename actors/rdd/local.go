package rdd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"
)

// Local is a Runner without a cluster, for tests and for learning: it runs one task after the other in the calling
// goroutine and keeps the shuffles in memory. As an executor does, it makes the lineage anew and compares the digests.
// The pauses of Sleep take no time. Persisted Datasets and Broadcasts are kept in memory, without a bound, as long as the
// Runner.
func Local(fs FS) Runner { return local{fs, newLocalCache(), &localBroadcasts{}} }

type local struct {
	fs FS
	*localCache
	*localBroadcasts
}

// localJob is one run of a job; outputs has the blocks by shuffle, map task and reducer.
type localJob struct {
	ctx     context.Context
	fs      FS
	lineage *Lineage
	cache   *jobCache
	outputs [][][][]byte
	// accumulated by the tasks.
	accumulated []Update
}

func (r local) RunJob(ctx context.Context, job Invocation, action Action) ([]Result, error) {
	run := func(job Invocation) ([]Result, error) { return r.runJob(ctx, job, action) }
	if action == ActionSave {
		return RunSave(r.fs, job, "local_0000", run)
	}
	return run(job)
}

func (r local) runJob(ctx context.Context, job Invocation, action Action) ([]Result, error) {
	lineage, err := Lookup(job.Name, job.Args)
	if err != nil {
		return nil, err
	}
	if err := lineage.Check(job.Lineage.Digest()); err != nil {
		return nil, &LineageError{Job: job.Name, Driver: job.Lineage.Lines(), Executor: lineage.Lines()}
	}
	if err := r.give(lineage.Broadcasts()); err != nil {
		return nil, fmt.Errorf("job %s: %w", job.Name, err)
	}
	j := &localJob{ctx: ctx, fs: r.fs, lineage: lineage}
	shuffles := lineage.Shuffles()
	nodes := []int{lineage.Last()}
	for _, s := range shuffles {
		nodes = append(nodes, s.MapNode)
	}
	layout, err := lineage.Layout(r.fs, nodes)
	if err != nil {
		return nil, err
	}
	j.cache = r.of(layout.Persisted)
	needed := j.needed(shuffles)
	for _, s := range shuffles { // each after those that it needs
		if !needed[s.Index] {
			j.outputs = append(j.outputs, nil)
			continue
		}
		maps, err := stage(j, s.MapNode, nil, func(t Task) ([][]byte, error) {
			blocks := make(Blocks, s.Reducers)
			return blocks, lineage.RunMap(t, s.Index, blocks.Output())
		})
		if err != nil {
			return nil, err
		}
		j.outputs = append(j.outputs, maps)
	}
	results, err := stage(j, lineage.Last(), job.Partitions, func(t Task) (Result, error) { return j.result(t, job, action) })
	if err == nil {
		job.Totals.Add(j.accumulated)
	}
	return results, err
}

// Partitions is the number of partitions of a job.
func (r local) Partitions(_ context.Context, job Invocation) (int, error) {
	splits, err := job.Lineage.Splits(r.fs, job.Lineage.Last())
	return len(splits), err
}

// result runs a task of the last stage. What it saves is committed at once: no other attempt of it runs.
func (j *localJob) result(t Task, job Invocation, action Action) (Result, error) {
	if action != ActionSave {
		return j.lineage.RunResult(t, action)
	}
	attempt, err := job.Output.Attempt(j.fs, t.Partition, 0)
	if err != nil {
		return Result{}, err
	}
	t.Output = attempt
	res, err := j.lineage.RunResult(t, action)
	if err == nil {
		err = attempt.Commit()
	}
	return res, err
}

// needed are the shuffles whose records the job reads: not those behind a Dataset that is wholly kept.
func (j *localJob) needed(shuffles []Shuffle) []bool {
	needed := make([]bool, len(shuffles))
	look := func(node int) {
		for _, i := range j.lineage.NeededShuffles(node, j.cache.whole) {
			needed[i] = true
		}
	}
	look(j.lineage.Last())
	for _, s := range slices.Backward(shuffles) { // those that read before those that are read
		if needed[s.Index] {
			look(s.MapNode)
		}
	}
	return needed
}

// stage runs a task for each partition of a node that is wanted; nil: all.
func stage[R any](j *localJob, node int, wanted []int32, run func(Task) (R, error)) ([]R, error) {
	splits, err := j.lineage.Splits(j.fs, node)
	if err != nil {
		return nil, err
	}
	if err := (Invocation{Name: j.lineage.Job, Partitions: wanted}).CheckPartitions(len(splits)); err != nil {
		return nil, err
	}
	if wanted == nil {
		for partition := range splits {
			wanted = append(wanted, int32(partition))
		}
	}
	tasks := make([]Task, len(wanted))
	accumulated := make([][]Update, len(wanted)) // apart: the tasks of a barrier stage run at once
	for i, partition := range wanted {
		tasks[i] = Task{
			Node: node, Partition: int(partition), Split: splits[partition], FS: j.fs, Fetch: j.fetch, Done: j.ctx.Err, Cache: j.cache,
			Sleep:       func(time.Duration) error { return j.ctx.Err() },
			Accumulated: func(updates []Update) { accumulated[i] = updates },
		}
	}
	defer func() { j.accumulated = append(j.accumulated, slices.Concat(accumulated...)...) }()
	results := make([]R, len(tasks))
	one := func(i int, t Task) (err error) {
		results[i], err = run(t)
		return err
	}
	if j.lineage.Barrier(node) {
		if err := j.lineage.CheckBarrier(node, len(tasks), splits); err != nil {
			return nil, err
		}
		return results, runBarrier(tasks, one)
	}
	for i, t := range tasks {
		if err := one(i, t); err != nil {
			return nil, err
		}
	}
	return results, nil
}

func (j *localJob) fetch(shuffle, reduce int) iter.Seq2[io.Reader, error] {
	return func(yield func(io.Reader, error) bool) {
		for _, blocks := range j.outputs[shuffle] {
			if !yield(bytes.NewReader(blocks[reduce]), nil) {
				return
			}
		}
	}
}
