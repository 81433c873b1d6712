package rdd

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Lineage is how one job's result is made from its sources, with the arguments of the job put in. Driver and executors
// make it each for itself, by the same function. It is immutable and may be used by several tasks at once.
type Lineage struct {
	// Job is the name of the job.
	Job string
	// Nodes are the Datasets, each after its parents; the number of a node is its index. Node 0 is a source, the last
	// one is the result.
	Nodes []Node

	args      []byte // of the job, encoded
	nodes     []*node
	number    map[*node]int
	shuffles  []Shuffle
	shuffleOf map[*node]int
	// result makes what an action does with a partition of the last node.
	result func(action Action) (func(r *run) Result, error)
}

// Node describes one Dataset of a Lineage.
type Node struct {
	Number int
	// Op is the operation that makes it, such as "TextFile" or "ReduceByKey".
	Op string
	// Type is the Go type of its records.
	Type string
	// Func is the name of the user's function, "" when the operation has none.
	Func string
	// Params are the operation's other arguments, readable.
	Params string
	// Parents are the numbers of the Datasets that it is made of; Shuffle says that their records are exchanged between
	// tasks on the way here.
	Parents []int
	Shuffle bool
}

// String is one line of Lineage.Lines. An arrow <- is a narrow edge, <= a shuffle.
func (n Node) String() string {
	parts := []string{strconv.Itoa(n.Number), n.Op, n.Type}
	for _, p := range n.Parents {
		arrow := "<-"
		if n.Shuffle {
			arrow = "<="
		}
		parts = append(parts, arrow, strconv.Itoa(p))
	}
	if n.Func != "" {
		parts = append(parts, "by", n.Func)
	}
	if n.Params != "" {
		parts = append(parts, "with", n.Params)
	}
	return strings.Join(parts, " ")
}

// newLineage numbers what is above d. It fails with the first error among the nodes.
func newLineage[T any](job string, d Dataset[T], c codec[T]) (*Lineage, error) {
	if d.node == nil {
		return nil, fmt.Errorf("%w: job %s returns a zero Dataset", ErrBadJob, job)
	}
	l := &Lineage{Job: job, number: map[*node]int{}, shuffleOf: map[*node]int{}}
	if err := l.add(d.node); err != nil {
		return nil, fmt.Errorf("job %s: %w", job, err)
	}
	l.result = func(action Action) (func(r *run) Result, error) {
		step, err := stepOf(action, c)
		return func(r *run) Result { return step(r, d.iterate(r, r.task.Partition)) }, err
	}
	return l, nil
}

// add numbers n and what is above it, depth first, once each.
func (l *Lineage) add(n *node) error {
	if _, ok := l.number[n]; ok {
		return nil
	}
	if n.err != nil {
		return n.err
	}
	described := Node{Op: n.op, Type: n.record, Func: n.fn, Params: n.params, Shuffle: n.write != nil}
	// Parents first, so that each node's number is above theirs and shuffles are in the order in which they can run.
	for _, p := range n.parents {
		if err := l.add(p); err != nil {
			return err
		}
		described.Parents = append(described.Parents, l.number[p])
	}
	described.Number = len(l.nodes)
	if n.write != nil {
		l.shuffleOf[n] = len(l.shuffles)
		l.shuffles = append(l.shuffles, Shuffle{
			Index: len(l.shuffles), Node: described.Number, MapNode: described.Parents[0], Reducers: n.partitions,
		})
	}
	l.number[n] = described.Number
	l.nodes = append(l.nodes, n)
	l.Nodes = append(l.Nodes, described)
	return nil
}

// Lines describe the lineage for people, the job first, then a line for each node. Equal lines are the same lineage: they
// name every operation, type, user function and parameter, but cannot see what a function captured.
func (l *Lineage) Lines() []string {
	lines := []string{"job " + l.Job}
	for _, n := range l.Nodes {
		lines = append(lines, n.String())
	}
	return lines
}

// Digest is the SHA-256 of the lines, in hexadecimal.
func (l *Lineage) Digest() string {
	sum := sha256.Sum256([]byte(strings.Join(l.Lines(), "\n")))
	return hex.EncodeToString(sum[:])
}

// Check compares the digest of the driver's lineage with that of l, which an executor made. The error is a
// *LineageError with the lines of l alone.
func (l *Lineage) Check(digest string) error {
	if l.Digest() != digest {
		return &LineageError{Job: l.Job, Executor: l.Lines()}
	}
	return nil
}

// Differences are the lines that a and b do not share, those of a marked "-", those of b "+".
func Differences(a, b []string) []string {
	var out []string
	for i := range max(len(a), len(b)) {
		if i < len(a) && i < len(b) && a[i] == b[i] {
			continue
		}
		if i < len(a) {
			out = append(out, "- "+a[i])
		}
		if i < len(b) {
			out = append(out, "+ "+b[i])
		}
	}
	return slices.Clip(out)
}
