package rdd

import (
	"fmt"
	"iter"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
)

// Dataset is a collection of records of type T that is described, not computed: the counterpart of Spark's RDD. It is
// made by a source (TextFile, Parallelize, Range) or of another Dataset (Map, ReduceByKey, ...), is immutable, and costs
// nothing until a task runs. The zero Dataset makes the job that uses it fail.
type Dataset[T any] struct {
	node *node
	// iterate gives the records of one partition.
	iterate func(r *run, partition int) iter.Seq[T]
}

// node is what a lineage knows of a Dataset whatever its type.
type node struct {
	op      string
	record  string // the type of its records
	fn      string // the name of the user's function, if any
	params  string
	parents []*node
	// partitions of a source or of a shuffle's result; 0 means as many as narrow makes of those of the parents or, in a text file, as
	// its size asks for.
	partitions int
	// narrow says of which partitions of the parents those of the node are made; nil: of the one of the same number of the only parent.
	narrow narrow
	// split computes a source's encoded splits, and the version of what they are of; nil when the number of a partition says all.
	split func(fs FS) (splits [][]byte, version string, err error)
	// prefer says where a partition wants to run; nil: the parent says it.
	prefer func(partition int) []string
	// write is the map side, for a partition of the only parent, of the shuffle between it and this node; nil when the edges are narrow.
	write func(r *run, partition int, out *mapWriter)
	// partitioner is the name of the Partitioner that the keys are in the partitions of; "": of none that is known.
	partitioner string
	// persist: the partitions are kept; nil for other operations than Persist.
	persist *persist
	// indeterminate: computed again, it may give other records.
	indeterminate bool
	// barrier: the tasks of its stage run all at once, see Barrier.
	barrier bool
	// broadcasts are those in the arguments of the jobs whose result the node is.
	broadcasts atomic.Pointer[[]BroadcastVar]
	err        error // why a job with this node cannot be used
}

func newDataset[T any](n *node, iterate func(r *run, partition int) iter.Seq[T]) Dataset[T] {
	n.record = reflect.TypeFor[T]().String()
	return Dataset[T]{node: n, iterate: iterate}
}

// derive makes the node of an operation with the user's function fn on d.
func (d Dataset[T]) derive(op string, fn any) *node {
	n := &node{op: op}
	switch {
	case d.node == nil:
		n.err = fmt.Errorf("%w: %s of a zero Dataset", ErrBadJob, op)
	case fn != nil && reflect.ValueOf(fn).IsNil():
		n.err = fmt.Errorf("%w: %s with a nil function", ErrBadJob, op)
	default:
		n.parents = []*node{d.node}
		if fn != nil {
			n.fn = funcName(fn)
		}
	}
	return n
}

// deriveAll makes the node of an operation on several Datasets.
func deriveAll(op string, narrow narrow, parents ...*node) *node {
	n := &node{op: op, narrow: narrow, parents: parents}
	for _, p := range parents {
		if p == nil {
			return &node{op: op, err: fmt.Errorf("%w: %s of a zero Dataset", ErrBadJob, op)}
		}
	}
	return n
}

// setPartitions notes the number of partitions that a user asked for.
func (n *node) setPartitions(partitions int) {
	n.partitions = partitions
	n.param("partitions=%d", partitions)
	if n.err == nil && (partitions < 1 || partitions > maxPartitions) {
		n.err = fmt.Errorf("%w: %s with %d partitions; give 1 to %d", ErrBadJob, n.op, partitions, maxPartitions)
	}
}

func (n *node) param(format string, args ...any) {
	n.params = strings.TrimSpace(n.params + " " + fmt.Sprintf(format, args...))
}

// funcName is the name of a function with its package: the same in all processes of one binary.
func funcName(fn any) string {
	if f := runtime.FuncForPC(reflect.ValueOf(fn).Pointer()); f != nil {
		return f.Name()
	}
	return "unknown"
}
