package rdd

import (
	"fmt"
	"iter"
	"runtime/debug"
	"slices"
)

// Prefer is d itself, whose partitions want to run near their data: where says for each partition, from 0, in which places, best
// first; none: d's own preference. A place is Spark's text of a location: a host, as its executors registered, executor_HOST_ID for an
// executor that has the data in its memory, or hdfs_cache_HOST for a host that caches them. A scheduler waits a while
// (spark.locality.wait) for a core there and then takes another; Local takes no notice. It is what an RDD of Spark says by
// getPreferredLocations, and as there operations without a shuffle pass it on: the last Prefer before the end of a stage counts.
//
// Only the driver calls where, before the job starts, for each task that is made of the partition. So the lineage's digest has the name
// of the function and not the places. The hosts should come from the argument of the job.
func Prefer[T any](d Dataset[T], where func(partition int) []string) Dataset[T] {
	n := d.derive("Prefer", where)
	n.prefer = where
	n.keepPartitioner()
	return newDataset(n, func(r *run, partition int) iter.Seq[T] { return d.iterate(r, partition) })
}

// Preferred are the places in which the partitions of a node want to run, by partition, as Prefer has them; nil when no Prefer is above
// the node in its stage. splits are those of the node. A partition without places has no preference of its own. Of several parents the
// first that has a preference counts. The error is a *UserError when a function of Prefer panics.
func (l *Lineage) Preferred(node int, splits [][]byte) ([][]string, error) {
	sizes, err := l.sizesOf(node, splits)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(l.Narrow(node), func(i int) bool { return l.nodes[i].prefer != nil }) {
		return nil, nil
	}
	out := make([][]string, len(splits))
	for p := range out {
		l.walk(part{node, p}, sizes, func(a part) bool {
			if n := l.nodes[a.node]; len(out[p]) == 0 && n.prefer != nil && err == nil {
				out[p], err = l.askPreferred(n, a.partition)
			}
			return len(out[p]) == 0 && err == nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// askPreferred calls the user's function for one partition.
func (l *Lineage) askPreferred(n *node, partition int) (places []string, err error) {
	defer func() { // it is user code: its panic is the job's failure, not the process's
		if v := recover(); v != nil {
			err = &UserError{Value: v, Stack: debug.Stack(), Node: l.number[n], Op: n.op, Func: n.fn}
		}
	}()
	return n.prefer(partition), nil
}

// sizesOf are the sizes of a node's stage by its splits.
func (l *Lineage) sizesOf(node int, splits [][]byte) ([]int, error) {
	if node < 0 || node > l.Last() {
		return nil, fmt.Errorf("%w: job %s has no node %d", ErrBadTask, l.Job, node)
	}
	var s split
	if len(splits) > 0 {
		s, _ = decodeSplit(splits[0])
	}
	return l.sizes(node, s.counts)
}

// Read is what one reducer reads of one shuffle.
type Read struct{ Shuffle, Reduce int }

// Reads say what each task of a node reads of the shuffles, in the order of the lineage's edges. splits are those of the node.
func (l *Lineage) Reads(node int, splits [][]byte) (func(partition int) []Read, error) {
	sizes, err := l.sizesOf(node, splits)
	return func(partition int) (out []Read) {
		l.walk(part{node, partition}, sizes, func(a part) bool {
			if shuffle, ok := l.shuffleOf[l.nodes[a.node]]; ok {
				out = append(out, Read{shuffle, a.partition})
			}
			return true
		})
		return out
	}, err
}
