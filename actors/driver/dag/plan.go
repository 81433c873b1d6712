package dag

import "github.com/coherer/coherer/actors/rdd"

// plan cuts a lineage into stages: one for each shuffle, in their order, which is parents first, and one for the result.
// Stages are numbered from firstStage, shuffles from firstShuffle (DAGScheduler.createResultStage).
func plan(l *rdd.Lineage, firstStage, firstShuffle int32) []*stage {
	var stages []*stage
	for _, s := range l.Shuffles() {
		stages = append(stages, &stage{
			id: firstStage + int32(s.Index), node: s.MapNode, isMap: true, shuffle: firstShuffle + int32(s.Index),
		})
	}
	stages = append(stages, &stage{id: firstStage + int32(len(stages)), node: l.Last()})
	for _, s := range stages {
		for _, shuffle := range l.ShuffleParents(s.node) {
			s.parents = append(s.parents, stages[shuffle])
		}
	}
	return stages
}
