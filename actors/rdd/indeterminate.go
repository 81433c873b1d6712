package rdd

import (
	"iter"
	"slices"
)

// Indeterminate is d itself, with the warning that its records or their order may differ when it is computed again, since a function
// above reads what changes. Without it a dataset is taken to give the same each time. When map outputs that depend on it are lost, all of
// their stage are made again, and so is what was made of them; a job that has brought results of them already fails. It mirrors
// DeterministicLevel.INDETERMINATE.
func Indeterminate[T any](d Dataset[T]) Dataset[T] {
	n := d.derive("Indeterminate", nil)
	n.indeterminate = true
	n.keepPartitioner()
	return newDataset(n, func(r *run, partition int) iter.Seq[T] { return d.iterate(r, partition) })
}

// Indeterminate reports whether a node, or one that it is made of, beyond shuffles too, was marked so.
func (l *Lineage) Indeterminate(node int) bool {
	return l.IndeterminateUnless(node, func(int) bool { return false })
}

// IndeterminateUnless is Indeterminate when the lineage is cut at some of the nodes, which have the same records each time: a checkpoint
// ends the uncertainty.
func (l *Lineage) IndeterminateUnless(node int, cut func(node int) bool) bool {
	seen := map[int]bool{}
	var visit func(int) bool
	visit = func(i int) bool {
		if seen[i] || cut(i) {
			return false
		}
		seen[i] = true
		return l.nodes[i].indeterminate || slices.ContainsFunc(l.Nodes[i].Parents, visit)
	}
	return visit(node)
}
