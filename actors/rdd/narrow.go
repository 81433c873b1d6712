package rdd

import "fmt"

// narrow says of which partitions of its parents those of a node are made, when they are not those of the same number of its only
// parent. It is Spark's NarrowDependency, for all parents of a node at once. counts are the numbers of the parents' partitions.
type narrow interface {
	// count is the number of the node's partitions.
	count(counts []int) (int, error)
	// pieces are what a partition is made of, in the order in which they are read.
	pieces(counts []int, partition int) []piece
}

// piece is one partition of one parent of a node.
type piece struct{ parent, partition int }

// inTurn puts the partitions of several parents behind each other (RangeDependency).
type inTurn struct{}

func (inTurn) count(counts []int) (int, error) {
	sum := 0
	for _, n := range counts {
		sum += n
	}
	return sum, nil
}

func (inTurn) pieces(counts []int, partition int) []piece {
	for parent, n := range counts {
		if partition < n {
			return []piece{{parent, partition}}
		}
		partition -= n
	}
	return nil
}

// sideBySide makes each partition of those of the same number of all parents (OneToOneDependency of each).
type sideBySide struct{}

func (sideBySide) count(counts []int) (int, error) {
	for _, n := range counts {
		if n != counts[0] {
			return 0, fmt.Errorf("%w: can't zip Datasets with unequal numbers of partitions: %d", ErrBadJob, counts)
		}
	}
	return counts[0], nil
}

func (sideBySide) pieces(counts []int, partition int) []piece {
	out := make([]piece, len(counts))
	for i := range counts {
		out[i] = piece{i, partition}
	}
	return out
}

// fewer makes at most so many partitions of those of its parent, of neighbours each (DefaultPartitionCoalescer without preferred
// locations).
type fewer int

func (f fewer) count(counts []int) (int, error) { return min(int(f), counts[0]), nil }

func (f fewer) pieces(counts []int, partition int) []piece {
	from, to := portion(uint64(counts[0]), partition, min(int(f), counts[0]))
	var out []piece
	for i := from; i < to; i++ {
		out = append(out, piece{0, int(i)})
	}
	return out
}

// each makes a partition of every pair of partitions of two parents, those of the first in order (CartesianRDD).
type each struct{}

func (each) count(counts []int) (int, error) {
	if counts[0] > 0 && counts[1] > maxPartitions/counts[0] {
		return 0, fmt.Errorf("%w: %d times %d partitions are more than %d", ErrBadJob, counts[0], counts[1], maxPartitions)
	}
	return counts[0] * counts[1], nil
}

func (each) pieces(counts []int, partition int) []piece {
	return []piece{{0, partition / counts[1]}, {1, partition % counts[1]}}
}
