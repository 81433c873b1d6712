package rdd

import (
	"fmt"
	"iter"
	"sync/atomic"
)

// Persist is d itself, whose partitions are kept where they were computed first: later jobs that use it read them there. It mirrors
// RDD.persist. The kept partitions are those of the job in which Persist stands, with its argument, as long as its files have not
// changed: a second action of the same bound job reads them, and so does another job that takes that one up by From. A partition that
// is kept nowhere any more is computed again. Unpersist ends the keeping.
//
// At a deserialized level all readers of a partition are given the same records: a function that changes what a slice or map in one holds
// changes it for others, as in Spark. Appending to such a slice is safe. The levels whose names end in Ser give each reader its own.
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
			kept, ok, err := cache.Get(number, partition)
			k := unroller[T]{r: r, codec: c, deserialized: level.Memory && level.Deserialized}
			switch {
			case err != nil:
				r.fail(err)
			case ok:
				k.keep(kept.Decode, readKept(r, c, kept, n, partition), yield)
			default:
				k.keep(cache.Put(number, partition), d.iterate(r, partition), yield)
			}
		}
	})
}

// Cache is Persist at the level MemoryOnly (RDD.cache).
func Cache[T any](d Dataset[T]) Dataset[T] { return Persist(d, MemoryOnly) }

// persist is what a node made by Persist knows of itself.
type persist struct {
	level StorageLevel
	// local: LocalCheckpoint made the node.
	local bool
	// write is what ActionCheckpoint and ActionLocalCheckpoint do with a partition: it writes that of a Checkpoint to the task's output, and
	// computes that of a LocalCheckpoint, which is kept thereby. nil for Persist.
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
