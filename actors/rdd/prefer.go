package rdd

import (
	"fmt"
	"iter"
	"runtime/debug"
)

// Prefer is d itself, whose partitions want to run near their data: where says for each partition, from 0, in which places, best
// first; none: d's own preference. A place is Spark's text of a location: a host, as its executors registered, executor_HOST_ID for an
// executor that has the data in its memory, or hdfs_cache_HOST for a host that caches them. A scheduler waits a while
// (spark.locality.wait) for a core there and then takes another; Local takes no notice. It is what an RDD of Spark says by
// getPreferredLocations, and as there operations without a shuffle pass it on: the last Prefer before the end of a stage counts.
//
// Only the driver calls where, once for each partition before the job starts. So the places are not part of the lineage's digest, but
// the name of the function is. The hosts should come from the argument of the job.
func Prefer[T any](d Dataset[T], where func(partition int) []string) Dataset[T] {
	n := d.derive("Prefer", where)
	n.prefer = where
	return newDataset(n, func(r *run) iter.Seq[T] { return d.iterate(r) })
}

// Preferred are the places in which the partitions of a node want to run, by partition, as Prefer has them; nil when no Prefer is above
// the node in its stage. A partition without places has no preference of its own. The error is a *UserError when a function of Prefer
// panics.
func (l *Lineage) Preferred(node, partitions int) ([][]string, error) {
	if node < 0 || node > l.Last() {
		return nil, fmt.Errorf("%w: job %s has no node %d", ErrBadTask, l.Job, node)
	}
	var out [][]string
	for n := l.nodes[node]; n != nil; n = n.narrowParent() {
		if n.prefer == nil {
			continue
		}
		if out == nil {
			out = make([][]string, partitions)
		}
		if err := l.askPreferred(n, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// askPreferred fills in the places of the partitions that have none yet.
func (l *Lineage) askPreferred(n *node, out [][]string) (err error) {
	defer func() { // it is user code: its panic is the job's failure, not the process's
		if v := recover(); v != nil {
			err = &UserError{Value: v, Stack: debug.Stack(), Node: l.number[n], Op: n.op, Func: n.fn}
		}
	}()
	for i := range out {
		if len(out[i]) == 0 {
			out[i] = n.prefer(i)
		}
	}
	return nil
}
