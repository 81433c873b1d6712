package rdd

import (
	"errors"
	"fmt"
	"iter"
	"slices"
)

// ErrBarrier refuses a job with a barrier stage that cannot run; the text says why, in Spark's words.
var ErrBarrier = errors.New("rdd: barrier stage refused")

// Barrier is MapPartitions whose tasks run all at once: those of its stage start together or not at all, and f may let them wait for
// each other. When one of them fails, all of the stage are ended and tried again; a stage that brings the job's result fails the job
// instead, since the program may have seen some of it. A job needs as many cores as the stage has tasks. It mirrors
// RDD.barrier.mapPartitions.
//
// All tasks must come to the same barriers in the same order. A task that ends without one leaves the others waiting, until
// spark.barrier.sync.timeout.
func Barrier[T, U any](d Dataset[T], f func(task BarrierTask, in iter.Seq[T]) iter.Seq[U]) Dataset[U] {
	n := d.derive("Barrier", f)
	n.barrier = true
	return mapTasks(n, d, func(r *run, _ int, in iter.Seq[T]) iter.Seq[U] { return f(BarrierTask{r}, in) })
}

// BarrierTask is one of the tasks of a barrier stage, for the function of Barrier. Its methods end the task when it is killed or a barrier
// fails, so they have no error. It mirrors BarrierTaskContext.
type BarrierTask struct{ r *run }

// Partition is the task's number among those of the stage.
func (t BarrierTask) Partition() int { return t.r.task.Partition }

// Addresses are those of the executors that run the tasks, HOST:PORT by partition; one for each task.
func (t BarrierTask) Addresses() []string { return slices.Clone(t.barriers().Addresses()) }

// Barrier waits until all tasks of the stage have called it.
func (t BarrierTask) Barrier() { t.sync("", false) }

// AllGather waits until all tasks of the stage have called it, and returns the messages of all, by partition.
func (t BarrierTask) AllGather(message string) []string { return t.sync(message, true) }

func (t BarrierTask) sync(message string, gather bool) []string {
	all, err := t.barriers().Sync(message, gather)
	if err != nil {
		t.r.fail(err)
	}
	return all
}

func (t BarrierTask) barriers() Barriers {
	if t.r.task.Barriers == nil {
		t.r.fail(fmt.Errorf("%w: nothing to wait with for other tasks: set Task.Barriers", ErrBadTask))
	}
	return t.r.task.Barriers
}

// Barriers are where a task of a barrier stage waits for the others.
type Barriers interface {
	// Sync waits for all tasks of the stage; with gather it returns the messages of all, by partition. Its error ends the task.
	Sync(message string, gather bool) ([]string, error)
	// Addresses of the executors of all tasks, by partition.
	Addresses() []string
}

// Barrier reports whether a task of a node is one of a barrier stage.
func (l *Lineage) Barrier(node int) bool {
	return slices.ContainsFunc(l.Narrow(node), func(i int) bool { return l.nodes[i].barrier })
}

// CheckBarrier is an ErrBarrier when the stage of a node, of which so many tasks are to run, is a barrier stage whose tasks would not all
// run at once: another number of partitions above, or several barriers beside each other. splits are those of the node. It mirrors
// DAGScheduler.checkBarrierStageWithRDDChainPattern.
func (l *Lineage) CheckBarrier(node, tasks int, splits [][]byte) error {
	if !l.Barrier(node) {
		return nil
	}
	sizes, err := l.sizesOf(node, splits)
	if err != nil {
		return err
	}
	for _, i := range l.Narrow(node) {
		barriers := 0
		if !l.Nodes[i].Shuffle {
			for _, p := range l.Nodes[i].Parents {
				if l.Barrier(p) {
					barriers++
				}
			}
		}
		if sizes[i] != tasks || barriers > 1 {
			return fmt.Errorf("%w: [SPARK-24820][SPARK-24821]: Barrier execution mode does not allow the following pattern of RDD chain within "+
				"a barrier stage:\n1. Ancestor RDDs that have different number of partitions from the resulting RDD (e.g. union()/coalesce()/"+
				"first()/take()/PartitionPruningRDD). A workaround for first()/take() can be barrierRdd.collect().head (scala) or "+
				"barrierRdd.collect()[0] (python).\n2. An RDD that depends on multiple barrier RDDs (e.g. barrierRdd1.zip(barrierRdd2)).", ErrBarrier)
		}
	}
	return nil
}
