package dag

import (
	"fmt"
	"slices"

	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/actors/rdd"
)

// The bounds of MapOutputTracker for preferences of tasks behind a shuffle: with as many map tasks or reducers as this they have none,
// since each reducer looks at each output. A host is worth a wait when one executor there has at least so much of what a reducer
// fetches.
const (
	mostMapsForLocality     = 1000
	mostReducersForLocality = 1000
	largeShare              = 0.2
)

// preferredAll is where the partitions of each stage want to run by the lineage; nil for a stage that says nothing. splits are those of
// the stages, nodes what they compute, in the order of plan. It calls functions of the user.
func preferredAll(l *rdd.Lineage, nodes []int, splits [][][]byte) ([][][]tasks.Location, error) {
	out := make([][][]tasks.Location, len(splits))
	for i, node := range nodes {
		texts, err := l.Preferred(node, splits[i])
		if err != nil {
			return nil, err
		}
		if out[i], err = parseLocations(texts); err != nil {
			return nil, fmt.Errorf("node %d: %w", node, err)
		}
	}
	return out, nil
}

// parseLocations reads the locations of each partition.
func parseLocations(texts [][]string) ([][]tasks.Location, error) {
	var out [][]tasks.Location
	for partition, all := range texts {
		var locations []tasks.Location
		for _, text := range all {
			location, err := tasks.ParseLocation(text)
			if err != nil {
				return nil, fmt.Errorf("where partition %d prefers to run: %w", partition, err)
			}
			locations = append(locations, location)
		}
		out = append(out, locations)
	}
	return out, nil
}

// preferred says where the task of a partition wants to run: where the lineage says, else where much of what it fetches lies. It mirrors
// DAGScheduler.getPreferredLocs. What it returns is for one attempt of the stage: the outputs must not change meanwhile.
func (s *Scheduler) preferred(g *stage) func(partition int32) []tasks.Location {
	var shares []*shares // by index of the lineage's shuffles; nil for those that the stage does not read
	var reads func(partition int) []rdd.Read
	if s.reduceLocality && len(g.parents) > 0 {
		shares, reads = g.shares()
	}
	near := g.nearKept()
	return func(partition int32) []tasks.Location {
		if near != nil {
			if at := near(partition); len(at) > 0 {
				return at
			}
		}
		if g.prefers != nil && len(g.prefers[partition]) > 0 {
			return g.prefers[partition]
		}
		if reads == nil {
			return nil
		}
		// A task with several parents, as that of a join, goes where the first of them wants it.
		for _, read := range reads(int(partition)) {
			if near := shares[read.Shuffle].large(int32(read.Reduce)); len(near) > 0 {
				return near
			}
		}
		return nil
	}
}

// shares are those of the shuffles that the stage reads, and what each of its tasks reads of them.
func (g *stage) shares() ([]*shares, func(partition int) []rdd.Read) {
	l := g.of.what.Lineage
	reads, err := l.Reads(g.node, g.splits)
	if err != nil { // not reached: the splits were made of this lineage
		return nil, nil
	}
	out := make([]*shares, len(g.of.shuffles))
	for _, index := range l.NeededShuffles(g.node, g.wholeNode) { // others may have no outputs
		out[index] = g.of.shuffles[index].shares()
	}
	return out, reads
}

// setSizes notes the sizes of an output, if the tasks that read it want to be near it.
func (sh *shuffle) setSizes(partition int32, sizes []int64) {
	if sh.sizes != nil {
		sh.sizes[partition] = sizes
	}
}

// shares are how much of each reducer's data each executor has.
type shares struct {
	sizes [][]int64 // of each output by reducer, in bytes
	owner []int     // of each output: an index of hosts and sums
	hosts []string  // of the executors, in the order of their first outputs
	sums  []int64   // of the executors, for one reducer
}

// shares are those of the outputs, none of which is missing; nil when there are too many, or too many reducers.
func (sh *shuffle) shares() *shares {
	if sh.sizes == nil {
		return nil
	}
	out := &shares{sizes: sh.sizes, owner: make([]int, len(sh.sizes))}
	index := map[string]int{}
	for i, at := range sh.outputs {
		owner, known := index[at.executor]
		if !known {
			owner = len(out.hosts)
			index[at.executor] = owner
			out.hosts = append(out.hosts, at.host)
		}
		out.owner[i] = owner
	}
	out.sums = make([]int64, len(out.hosts))
	return out
}

// large are the hosts of the executors that have a large share of what a reducer fetches, each once: Spark adds up by executor, not by
// host. It mirrors MapOutputTrackerMaster.getPreferredLocationsForShuffle.
func (s *shares) large(reducer int32) []tasks.Location {
	if s == nil {
		return nil
	}
	clear(s.sums)
	total := int64(0)
	for i, sizes := range s.sizes {
		// Sizes come from executors and are not trusted.
		if int(reducer) < len(sizes) && sizes[reducer] > 0 {
			s.sums[s.owner[i]] += sizes[reducer]
			total += sizes[reducer]
		}
	}
	if total == 0 {
		return nil
	}
	var out []tasks.Location
	for i, sum := range s.sums {
		at := tasks.Location{Host: s.hosts[i]}
		if float64(sum)/float64(total) >= largeShare && !slices.Contains(out, at) {
			out = append(out, at)
		}
	}
	return out
}
