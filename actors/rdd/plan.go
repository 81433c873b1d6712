package rdd

import "slices"

// Shuffle is an exchange of records between the tasks of two stages, as Spark's ShuffleDependency.
type Shuffle struct {
	// Index is its place in Lineage.Shuffles.
	Index int
	// MapNode is the node whose tasks write it, Node the one whose tasks read it.
	MapNode, Node int
	// Reducers is the number of partitions of Node, and of blocks of a map output.
	Reducers int
}

// Shuffles are the shuffles in order of the nodes that read them: each after those that it needs.
func (l *Lineage) Shuffles() []Shuffle { return slices.Clone(l.shuffles) }

// Last is the number of the node that is the job's result.
func (l *Lineage) Last() int { return len(l.nodes) - 1 }

// Narrow are the nodes that a task of this node computes: those reached without a shuffle, ascending, node itself last.
func (l *Lineage) Narrow(node int) []int {
	seen := map[int]bool{}
	var numbers []int
	var visit func(int)
	visit = func(i int) {
		if seen[i] {
			return
		}
		seen[i] = true
		numbers = append(numbers, i)
		if !l.Nodes[i].Shuffle { // beyond a shuffle other tasks compute
			for _, p := range l.Nodes[i].Parents {
				visit(p)
			}
		}
	}
	visit(node)
	slices.Sort(numbers)
	return numbers
}

// ShuffleParents are the indexes of the shuffles that a task of this node reads, ascending (DAGScheduler's
// getShuffleDependencies).
func (l *Lineage) ShuffleParents(node int) []int {
	var indexes []int
	for _, i := range l.Narrow(node) {
		if shuffle, ok := l.shuffleOf[l.nodes[i]]; ok {
			indexes = append(indexes, shuffle)
		}
	}
	return indexes
}
