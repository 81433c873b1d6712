package dag

import "github.com/coherer/coherer/actors/rdd"

// plan cuts a lineage into stages: one for each shuffle, in their order, which is parents first, and one for the result
// (DAGScheduler.createResultStage). A shuffle that another job's stage writes keeps that stage; the others get new ones, also when
// their outputs are there already: such a stage is skipped. node is the one of the result, splits are those of each stage, next gives
// numbers to stages.
func plan(d *dataset, l *rdd.Lineage, node int, splits [][][]byte, next func() int32) []*stage {
	var stages []*stage
	parents := func(g *stage) *stage {
		g.indeterminate, g.barrier = l.IndeterminateUnless(g.node, d.cut), l.Barrier(g.node)
		for _, index := range l.ShuffleParents(g.node) {
			g.parents = append(g.parents, stages[index])
		}
		return g
	}
	for i, s := range l.Shuffles() {
		sh := d.shuffles[i]
		if sh.stage == nil {
			sh.stage = parents(newStage(next(), d, s.MapNode, sh, splits[i]))
		}
		stages = append(stages, sh.stage)
	}
	return append(stages, parents(newStage(next(), d, node, nil, splits[len(stages)])))
}

// nodes are those whose partitions the tasks of each stage compute, in the order of plan.
func nodes(l *rdd.Lineage, result int) []int {
	var out []int
	for _, s := range l.Shuffles() {
		out = append(out, s.MapNode)
	}
	return append(out, result)
}
