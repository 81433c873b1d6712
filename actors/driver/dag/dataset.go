package dag

import (
	"fmt"
	"slices"

	"github.com/coherer/coherer/actors/rdd"
)

// dataset is a bound job with the shuffles of its lineage. Jobs of one name, argument, lineage and state of the files that it reads are
// of one dataset: they compute the same, so they share its shuffles. It stands for an RDD of Spark, whose shuffles are shared by all
// jobs of that RDD.
type dataset struct {
	key      string
	what     rdd.Invocation
	digest   string
	rdds     []int32    // the numbers of its nodes as RDDs, see numberRDDs
	shuffles []*shuffle // in the order of the lineage
	jobs     int        // that are not over
	// kept are the persisted nodes of the lineage, as the latest job found them.
	kept map[int]*kept
}

// cut reports whether the lineage ends at a node: it has the same records each time.
func (d *dataset) cut(node int) bool { return d.kept[node].cut() }

// keyOf is equal for jobs of one dataset. version is that of the files, see rdd.Lineage.SplitAll.
func keyOf(what rdd.Invocation, digest, version string) string {
	// The lengths keep apart what has no quotes; quoted, a large argument would be written byte by byte for each job.
	return fmt.Sprintf("%d %d %s%s%s%s", len(what.Name), len(what.Args), what.Name, what.Args, digest, version)
}

// ids are those of the shuffles, in the order of the lineage.
func (d *dataset) ids() []int32 {
	var out []int32
	for _, sh := range d.shuffles {
		out = append(out, sh.id)
	}
	return out
}

// shuffle is where the outputs of its map tasks lie, as far as the DAGScheduler knows; MapOutputTracker has their statuses. It outlives
// the stages that write it.
type shuffle struct {
	id int32
	// outputs by partition; without an executor: missing. set changes them.
	outputs []place
	// sizes of each output by reducer, in bytes, for the tasks that prefer to read nearby; nil when they do not. They are parts of the
	// statuses that MapOutputTracker has, and hold as long as the output does.
	sizes [][]int64
	// left counts the partitions that are missing: a walk over all of them at each completion made large stages quadratic.
	left int
	// byMapID has the partitions of the outputs by their map ids. It is made when the first of them moves: most shuffles need none.
	byMapID map[int64]int32
	// stage writes it for the jobs that are not over; nil when none of them needs it.
	stage *stage
}

// place is an executor with its host.
type place struct {
	executor, host string
	// mapID is the id of the attempt that wrote what lies there, of a map output.
	mapID int64
}

func newShuffle(id int32, maps, reducers int) *shuffle {
	sh := &shuffle{id: id, outputs: make([]place, maps), left: maps}
	if maps < mostMapsForLocality && reducers < mostReducersForLocality {
		sh.sizes = make([][]int64, maps)
	}
	return sh
}

// has reports whether the shuffle has a map task of that number: reports are not trusted.
func (sh *shuffle) has(index int32) bool { return index >= 0 && int(index) < len(sh.outputs) }

// set enters where the output of a partition lies; the zero place: nowhere any more.
func (sh *shuffle) set(partition int32, at place) {
	switch was := sh.outputs[partition]; {
	case was.executor == "" && at.executor != "":
		sh.left--
	case was.executor != "" && at.executor == "":
		sh.left++
	}
	if sh.byMapID != nil {
		delete(sh.byMapID, sh.outputs[partition].mapID)
		if at.executor != "" {
			sh.byMapID[at.mapID] = partition
		}
	}
	sh.outputs[partition] = at
}

// partitionOf is the partition whose output an attempt has written, if it is still that attempt's.
func (sh *shuffle) partitionOf(mapID int64) (partition int32, ok bool) {
	if sh.byMapID == nil {
		sh.byMapID = map[int64]int32{}
		for i, at := range sh.outputs {
			if at.executor != "" {
				sh.byMapID[at.mapID] = int32(i)
			}
		}
	}
	partition, ok = sh.byMapID[mapID]
	return partition, ok
}

// lose gives up the outputs in places that are gone; true when there were any.
func (sh *shuffle) lose(gone func(place) bool) bool {
	lost := false
	for i, at := range sh.outputs {
		if at.executor != "" && gone(at) {
			sh.set(int32(i), place{})
			lost = true
		}
	}
	return lost
}

// datasets are the known ones. Those without a job that is not over are kept for later jobs until there are too many.
type datasets struct {
	byKey    map[string]*dataset
	shuffles map[int32]*shuffle
	all      []*dataset // those whose last job ended earliest come first
}

func newDatasets() datasets {
	return datasets{byKey: map[string]*dataset{}, shuffles: map[int32]*shuffle{}}
}

func (x *datasets) add(d *dataset) {
	x.byKey[d.key] = d
	x.all = append(x.all, d)
	for _, sh := range d.shuffles {
		x.shuffles[sh.id] = sh
	}
}

// jobEnded notes the end of a job of d. It forgets the shuffles that no job needs, as long as there are more than most of them, the
// latest used last, and returns their ids.
func (x *datasets) jobEnded(d *dataset, most int) (forgotten []int32) {
	if d.jobs--; d.jobs > 0 {
		return nil
	}
	x.all = append(slices.DeleteFunc(x.all, func(other *dataset) bool { return other == d }), d)
	kept := 0
	for _, other := range x.all {
		if other.jobs == 0 {
			kept += len(other.shuffles)
		}
	}
	x.all = slices.DeleteFunc(x.all, func(other *dataset) bool {
		if other.jobs > 0 || kept <= most && len(other.shuffles) > 0 {
			return false
		}
		kept -= len(other.shuffles)
		delete(x.byKey, other.key)
		for _, sh := range other.shuffles {
			delete(x.shuffles, sh.id)
			forgotten = append(forgotten, sh.id)
		}
		return true
	})
	return forgotten
}

// lose gives up all outputs in places that are gone; true when there were any.
func (x *datasets) lose(gone func(place) bool) bool {
	lost := false
	for _, d := range x.all {
		for _, sh := range d.shuffles {
			lost = sh.lose(gone) || lost
		}
	}
	return lost
}
