package rdd

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Persisted is a node of a lineage whose partitions are kept.
type Persisted struct {
	Node  int
	Level StorageLevel
	// Checkpoint: the partitions are kept in files, see the function Checkpoint; Level is zero.
	Checkpoint bool
	// Local: the lineage ends here when all partitions are kept, see LocalCheckpoint.
	Local bool
	// Key is equal for nodes that are the same persisted Dataset, in whatever jobs. Version is that of the files above it: kept
	// partitions of another one are of no use. Partitions is the number of its partitions.
	Key, Version string
	Partitions   int
	// Own: Persist stands in the function of this job, not in that of one which it takes up.
	Own bool
}

// Persisted are the nodes that Persist, Checkpoint and LocalCheckpoint made, ascending, without Version and Partitions.
func (l *Lineage) Persisted() []Persisted {
	var out []Persisted
	for i, n := range l.nodes {
		if n.persist == nil {
			continue
		}
		o := n.persist.origin.Load() // never nil: the job's definition entered it
		out = append(out, Persisted{
			Node: i, Level: n.persist.level, Checkpoint: n.persist.write != nil && !n.persist.local, Local: n.persist.local,
			Own: o.job == l.Job && bytes.Equal(o.args, l.args),
			Key: fmt.Sprintf("%d %d %d %s%s%s", len(o.job), len(o.args), o.number, o.job, o.args, o.digest),
		})
	}
	return out
}

// digest is that of the lines of the nodes up to one.
func (l *Lineage) digest(node int) string {
	h := sha256.New()
	for _, n := range l.Nodes[:node+1] {
		h.Write([]byte(n.String() + "\n"))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// versionAbove is that of the files above a node, in whatever stage. versions are those of the files by node.
func (l *Lineage) versionAbove(node int, versions map[int]string) string {
	seen := make([]bool, node+1)
	seen[node] = true
	var of []string
	for i := node; i >= 0; i-- { // children first: parents have lower numbers
		if !seen[i] {
			continue
		}
		for _, p := range l.Nodes[i].Parents {
			seen[p] = true
		}
		if v := versions[i]; v != "" {
			of = append(of, v)
		}
	}
	slices.Reverse(of)
	return strings.Join(of, "")
}

// NeededShuffles are the indexes of the shuffles that tasks of a node read when the partitions of some nodes above it need not be computed,
// ascending: those of ShuffleParents that are reached without a node that is wholly kept (DAGScheduler.getMissingParentStages).
func (l *Lineage) NeededShuffles(node int, whole func(node int) bool) []int {
	seen := map[int]bool{}
	var indexes []int
	var visit func(int)
	visit = func(i int) {
		if seen[i] {
			return
		}
		seen[i] = true
		switch shuffle, ok := l.shuffleOf[l.nodes[i]]; {
		case l.nodes[i].persist != nil && whole(i):
		case ok:
			indexes = append(indexes, shuffle)
		default:
			for _, p := range l.Nodes[i].Parents {
				visit(p)
			}
		}
	}
	visit(node)
	slices.Sort(indexes)
	return indexes
}

// KeptNear finds, for a task of a node, a kept partition that it would read: kept reports whether one of a persisted node is kept. Of
// several the one nearest to the task counts, and a Prefer that is nearer counts more than any. splits are those of the node.
func (l *Lineage) KeptNear(node int, splits [][]byte, kept func(node, partition int) bool) (func(int) (node, partition int, found bool), error) {
	sizes, err := l.sizesOf(node, splits)
	return func(partition int) (keptNode, keptPartition int, found bool) {
		stop := false
		l.walk(part{node, partition}, sizes, func(a part) bool {
			n := l.nodes[a.node]
			if !stop && n.persist != nil && kept(a.node, a.partition) {
				keptNode, keptPartition, found = a.node, a.partition, true
			}
			stop = stop || found || n.prefer != nil
			return !stop
		})
		return keptNode, keptPartition, found
	}, err
}

// Unpersister is a Runner that keeps partitions of persisted Datasets.
type Unpersister interface {
	// Unpersist forgets the partitions of the persisted Datasets of these keys (Persisted.Key), of any version of their files.
	Unpersist(ctx context.Context, keys []string) error
}

// Unpersist ends the keeping of the Datasets that a bound job persists; those of jobs that it takes up by From stay. It mirrors
// RDD.unpersist. A Runner that keeps nothing has nothing to do.
func Unpersist[T any](ctx context.Context, r Runner, b Bound[T]) error {
	job, err := b.Invocation()
	if err != nil {
		return err
	}
	u, ok := r.(Unpersister)
	if !ok {
		return nil
	}
	var keys []string
	for _, p := range job.Lineage.Persisted() {
		if p.Own && !p.Checkpoint {
			keys = append(keys, p.Key)
		}
	}
	if len(keys) == 0 {
		return fmt.Errorf("%w: job %s persists nothing: call Unpersist with the job in which Persist stands", ErrBadJob, job.Name)
	}
	return u.Unpersist(ctx, keys)
}
