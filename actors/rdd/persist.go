package rdd

import (
	"bytes"
	"fmt"
	"iter"
	"sync/atomic"
)

// Persist is d itself, whose partitions are kept where they were computed first: later jobs that use it read them there. It mirrors
// RDD.persist. The kept partitions are those of the job in which Persist stands, with its argument, as long as its files have not
// changed: a second action of the same bound job reads them, and so does another job that takes that one up by From. A partition that
// is kept nowhere any more is computed again. Unpersist ends the keeping.
func Persist[T any](d Dataset[T], level StorageLevel) Dataset[T] {
	n := d.derive("Persist", nil)
	n.param("level=%s", level)
	n.persist = &persist{level: level}
	if d.node != nil {
		n.partitioner = d.node.partitioner // so that a join of what is kept needs no shuffle
	}
	c, err := codecOf[T]()
	switch {
	case n.err != nil:
	case !level.Valid():
		n.err = fmt.Errorf("%w: Persist at level %s keeps nothing: give one such as rdd.MemoryOnly", ErrBadJob, level)
	default:
		n.err = err
	}
	return newDataset(n, func(r *run, partition int) iter.Seq[T] {
		return func(yield func(T) bool) {
			cache := r.task.Cache
			if cache == nil {
				d.iterate(r, partition)(yield)
				return
			}
			number := r.number(n)
			pieces, kept, err := cache.Get(number, partition)
			switch {
			case err != nil:
				r.fail(err)
			case kept:
				readKept(r, c, pieces, n, partition, yield)
			default:
				keep(r, c, cache.Put(number, partition), d.iterate(r, partition), yield)
			}
		}
	})
}

// Cache is Persist at the level MemoryOnly (RDD.cache).
func Cache[T any](d Dataset[T]) Dataset[T] { return Persist(d, MemoryOnly) }

// BlockCache keeps partitions of persisted nodes for a task: Spark's side of RDD.getOrCompute.
type BlockCache interface {
	// Get is a kept partition, as pieces of encoded records that a PartitionWriter was given; false when it can be read nowhere. An
	// error ends the task, which returns it unchanged.
	Get(node, partition int) (pieces [][]byte, kept bool, err error)
	// Put begins to keep a partition; nil: it is not kept.
	Put(node, partition int) PartitionWriter
}

// PartitionWriter keeps one partition. Either Commit or Abort is called at the end, also after Write has returned false.
type PartitionWriter interface {
	// Write takes a piece of whole records over. After false the partition is not kept, and no more pieces come.
	Write(piece []byte) bool
	// Commit enters the partition, if all pieces were taken. An error ends the task, which returns it unchanged.
	Commit() error
	// Abort forgets the pieces.
	Abort()
}

// readKept gives the records of a kept partition.
func readKept[T any](r *run, c codec[T], pieces [][]byte, n *node, partition int, yield func(T) bool) {
	for _, piece := range pieces {
		for len(piece) > 0 {
			var v T
			var err error
			if v, piece, err = c.decode(piece); err != nil {
				r.fail(fmt.Errorf("kept partition %d of node %d, %s: %w", partition, r.number(n), n.op, err))
			}
			r.read()
			if !yield(v) {
				return
			}
		}
	}
}

// pieceSize is from which size on a piece is handed to a PartitionWriter, in bytes.
const pieceSize = 64 << 10

// keep gives the records of in, and to w in their encoding. It reads in to its end also when the reader wants no more: what is kept is
// whole.
func keep[T any](r *run, c codec[T], w PartitionWriter, in iter.Seq[T], yield func(T) bool) {
	if w == nil {
		in(yield)
		return
	}
	ended := false
	defer func() { // a function of the user panicked, or the task was killed
		if !ended {
			w.Abort()
		}
	}()
	wanted, taken := true, true
	var piece []byte
	in(func(v T) bool {
		if taken {
			if piece = c.append(piece, v); len(piece) >= pieceSize {
				taken, piece = w.Write(piece), make([]byte, 0, pieceSize+pieceSize/4)
			}
		}
		// Encoded before it is handed on: the reader may change what a slice in it points to.
		wanted = wanted && yield(v)
		return wanted || taken
	})
	r.at = outside
	if taken && len(piece) > 0 {
		taken = w.Write(bytes.Clone(piece)) // which has no room left over
	}
	ended = true
	if !taken {
		w.Abort()
		return
	}
	if err := w.Commit(); err != nil {
		r.fail(err)
	}
}

// persist is what a node made by Persist knows of itself.
type persist struct {
	level StorageLevel
	// write writes a partition to the task's output, of a node that Checkpoint made; nil for Persist.
	write func(r *run, partition int) Result
	// origin is the job in whose function Persist stands. The first lineage or From that meets the node enters it: those that take the
	// job up come later. A node that several goroutines share, in a package variable, is why it is atomic.
	origin atomic.Pointer[origin]
}

// origin names a persisted node whatever job uses it.
type origin struct {
	job    string
	args   []byte
	number int    // of the node, in the lineage of the origin
	digest string // of that lineage, up to the node
}

// markOrigin enters a job as the origin of the persisted nodes of its Dataset that have none.
func markOrigin(result *node, job string, args []byte) {
	if result == nil || !hasPersist(result, map[*node]bool{}) {
		return
	}
	l := &Lineage{Job: job, number: map[*node]int{}, shuffleOf: map[*node]int{}}
	if l.add(result) != nil { // the user of the Dataset gets the error
		return
	}
	for i, n := range l.nodes {
		if n.persist != nil {
			n.persist.origin.CompareAndSwap(nil, &origin{job, args, i, l.digest(i)})
		}
	}
}

func hasPersist(n *node, seen map[*node]bool) bool {
	if n.persist != nil {
		return true
	}
	seen[n] = true
	for _, p := range n.parents {
		if !seen[p] && hasPersist(p, seen) {
			return true
		}
	}
	return false
}
