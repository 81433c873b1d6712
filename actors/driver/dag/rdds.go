package dag

import "github.com/coherer/coherer/actors/rdd"

// newRDD is the next number of an RDD. It mirrors SparkContext.newRddId.
func (s *Scheduler) newRDD() int32 {
	s.nextRDD++
	return s.nextRDD - 1
}

// numberRDDs numbers the nodes of a new dataset. What is kept since an earlier job has its number of then, and so has what it is made
// of; a program of Spark would hold the same RDD.
func (s *Scheduler) numberRDDs(d *dataset, persisted []rdd.Persisted) {
	numbers := map[int]int32{}
	for _, p := range persisted {
		if k := s.kept.byKey[p.Key]; k != nil && k.fits(p) {
			numberAlike(numbers, d.what.Lineage, p.Node, k.of, k.node)
		}
	}
	for i := range d.what.Lineage.Nodes {
		id, known := numbers[i]
		if !known {
			id = s.newRDD()
		}
		d.rdds = append(d.rdds, id)
	}
}

// numberAlike enters for a node, and for all above it, the numbers of a node of another dataset that is made in the same way.
func numberAlike(numbers map[int]int32, l *rdd.Lineage, node int, other *dataset, otherNode int) {
	if _, known := numbers[node]; known {
		return
	}
	numbers[node] = other.rdds[otherNode]
	mine, theirs := l.Nodes[node].Parents, other.what.Lineage.Nodes[otherNode].Parents
	for i := range min(len(mine), len(theirs)) {
		numberAlike(numbers, l, mine[i], other, theirs[i])
	}
}
