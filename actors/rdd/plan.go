package rdd

import (
	"fmt"
	"slices"
)

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

// Splits are the encoded splits of a node, one for each of its partitions: where the source that feeds it begins and
// ends. They are made once, at the driver, and travel with the tasks. A split is nil where the number of the partition
// says all: behind a shuffle and for sources in memory. Errors are those of opening a text file.
func (l *Lineage) Splits(fs FS, node int) ([][]byte, error) {
	splits, _, err := l.SplitAll(fs, []int{node})
	if err != nil {
		return nil, err
	}
	return splits[0], nil
}

// SplitAll are the splits of several nodes, and the version of the files that they are of: jobs of one name, argument and version
// compute the same. It has the path, the size and what Versioned says of each file.
func (l *Lineage) SplitAll(fs FS, nodes []int) (all [][][]byte, version string, err error) {
	for _, node := range nodes {
		if node < 0 || node > l.Last() {
			return nil, "", fmt.Errorf("%w: job %s has no node %d", ErrBadTask, l.Job, node)
		}
		feed := l.feed(node)
		splits := make([][]byte, feed.partitions)
		if feed.split != nil {
			var of string
			if splits, of, err = feed.split(fs); err != nil {
				return nil, "", err
			}
			version += of
		}
		all = append(all, splits)
	}
	return all, version, nil
}

// Partitions is the number of partitions of a node, 0 when it depends on a text file: then Splits has one each.
func (l *Lineage) Partitions(node int) int { return l.feed(node).partitions }

// feed is the source or the shuffle's end that gives a node its partitions.
func (l *Lineage) feed(number int) *node {
	n := l.nodes[number]
	for p := n.narrowParent(); p != nil; p = n.narrowParent() {
		n = p
	}
	return n
}
