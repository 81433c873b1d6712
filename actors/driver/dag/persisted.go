package dag

import (
	"maps"
	"slices"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/messages/app"
	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// UnpersistRDDs ends the keeping of persisted datasets. It is answered when the executors have given up their blocks.
type UnpersistRDDs struct {
	rpcenv.Local
	// Keys are those of rdd.Persisted. An unknown one is ignored.
	Keys []string
}

// RDDsUnpersisted answers UnpersistRDDs with the number of blocks that were given up.
type RDDsUnpersisted struct {
	rpcenv.Local
	Blocks int
}

// ReplyType makes the answer's type known to the compiler.
func (UnpersistRDDs) ReplyType() RDDsUnpersisted { return RDDsUnpersisted{} }

// kept is a persisted dataset of one version of its files, and where its partitions lie. BlockManagerMaster owns that book and reports
// its changes (event.PartitionKept). It stands for DAGScheduler.cacheLocs.
type kept struct {
	id           int32 // as an RDD
	key, version string
	level        rdd.StorageLevel
	places       [][]place // by partition, in the order of the reports
	missing      int       // partitions that lie nowhere
	// of is the dataset with which the keeping began, and node what of it is kept: the datasets of later jobs take the numbers of its RDDs.
	of   *dataset
	node int
	// checkpoint is set of a dataset that is kept in files instead of blocks, or whose lineage is cut when its blocks are kept.
	checkpoint *checkpoint
	// gone: its keeping has ended. Jobs that run go on without it.
	gone bool
}

// fits reports whether what is kept is of use for a node of a job.
func (k *kept) fits(p rdd.Persisted) bool {
	return k.version == p.Version && len(k.places) == p.Partitions
}

func (k *kept) whole() bool { return !k.gone && k.missing == 0 }

// stored reports whether the partitions lie in files.
func (k *kept) stored() bool {
	return k != nil && !k.gone && k.checkpoint != nil && k.checkpoint.folder != ""
}

// inBlocks reports whether executors keep the partitions.
func (k *kept) inBlocks() bool { return k.checkpoint == nil || k.checkpoint.local }

// cut reports whether the lineage ends at the dataset: nothing that it is made of is computed any more.
func (k *kept) cut() bool {
	return k.stored() || k != nil && !k.gone && k.checkpoint != nil && k.checkpoint.cut
}

// set enters, or takes out, an executor that keeps a partition.
func (k *kept) set(partition int, at place, there bool) {
	old := k.places[partition]
	now := slices.DeleteFunc(slices.Clone(old), func(p place) bool { return p.executor == at.executor })
	if there {
		now = append(now, at)
	}
	k.places[partition] = now
	if len(old) == 0 && len(now) > 0 {
		k.missing--
	} else if len(old) > 0 && len(now) == 0 {
		k.missing++
	}
}

// lose takes an executor out of all partitions.
func (k *kept) lose(executor string) {
	for partition := range k.places {
		k.set(partition, place{executor: executor}, false)
	}
}

// allKept are the persisted datasets of the application.
type allKept struct {
	byKey map[string]*kept
	byID  map[int32]*kept
	// used are the ids of all that were ever kept.
	used map[int32]bool
}

func newAllKept() allKept {
	return allKept{byKey: map[string]*kept{}, byID: map[int32]*kept{}, used: map[int32]bool{}}
}

// sorted are all, by id.
func (x *allKept) sorted() []*kept {
	var out []*kept
	for _, id := range slices.Sorted(maps.Keys(x.byID)) {
		out = append(out, x.byID[id])
	}
	return out
}

// keptOf are the persisted datasets of d by node. One whose files have changed begins anew: what was kept of it is of no use.
func (s *Scheduler) keptOf(c *rpcenv.Context, d *dataset, nodes []rdd.Persisted) map[int]*kept {
	out := map[int]*kept{}
	for _, p := range nodes {
		k := s.kept.byKey[p.Key]
		if k != nil && !k.fits(p) {
			s.unpersist(c, k, func(int) {})
			k = nil
		}
		if k == nil {
			k = s.keep(d, p)
		}
		d.rdds[p.Node], out[p.Node] = k.id, k
	}
	return out
}

// keep begins to keep a node of d. Its number is that of the node as an RDD, unless something was kept by that number before: an
// earlier task may still bring a block.
func (s *Scheduler) keep(d *dataset, p rdd.Persisted) *kept {
	id := d.rdds[p.Node]
	if s.kept.used[id] {
		id = s.newRDD() // which keptOf enters
	}
	k := &kept{
		id: id, key: p.Key, version: p.Version, level: p.Level, places: make([][]place, p.Partitions), missing: p.Partitions,
		of: d, node: p.Node,
	}
	if p.Checkpoint || p.Local {
		k.checkpoint = &checkpoint{local: p.Local}
	}
	s.kept.byKey[k.key], s.kept.byID[k.id], s.kept.used[k.id] = k, k, true
	return k
}

// unpersist forgets a dataset. If it is kept in blocks, the executors give these up, and then is called with their number.
func (s *Scheduler) unpersist(c *rpcenv.Context, k *kept, then func(blocks int)) {
	k.gone = true
	delete(s.kept.byKey, k.key)
	delete(s.kept.byID, k.id)
	if k.inBlocks() {
		s.removeRDD(c, k.id, then)
	}
}

func (s *Scheduler) removeRDD(c *rpcenv.Context, id int32, then func(blocks int)) {
	c.Log().Infof("Removing RDD %d from persistence list", id)
	rpcenv.Ask(c, s.cfg.Blocks, storage.RemoveRDD{ID: id}, func(r storage.RDDRemoved, err error) {
		if err != nil {
			c.Log().Warnf("Failed to remove RDD %d: %v", id, err)
		}
		then(r.Blocks)
	})
}

func (s *Scheduler) unpersistRDDs(c *rpcenv.Context, m UnpersistRDDs) {
	call := rpcenv.Defer(c, m)
	left, removed := 1, 0
	done := func(blocks int) {
		removed += blocks
		if left--; left == 0 {
			call.Reply(RDDsUnpersisted{Blocks: removed})
		}
	}
	for _, key := range m.Keys {
		if k := s.kept.byKey[key]; k != nil && k.inBlocks() {
			left++
			s.unpersist(c, k, done)
		}
	}
	done(0)
}

// partitionKept enters where a partition lies. A task that was still running when its dataset was unpersisted may keep it again.
func (s *Scheduler) partitionKept(c *rpcenv.Context, m event.PartitionKept) {
	k := s.kept.byID[m.RDD]
	switch {
	case k == nil && m.Kept:
		s.removeRDD(c, m.RDD, func(int) {})
	case k != nil && k.inBlocks() && m.Partition >= 0 && int(m.Partition) < len(k.places): // reports are not trusted
		k.set(int(m.Partition), place{executor: m.ExecutorID, host: m.Host}, m.Kept)
	}
}

// loseKept forgets what an executor kept. BlockManagerMaster reports the same, later.
func (s *Scheduler) loseKept(executor string) {
	for _, k := range s.kept.sorted() {
		k.lose(executor)
	}
}

// wholeNode reports whether all partitions of a node of the stage's lineage are kept. A stage that missed what it should not have needed
// trusts none.
func (g *stage) wholeNode(node int) bool {
	k := g.of.kept[node]
	return k.cut() || k.whole() && !g.distrusts
}

// neededParents are the parents whose outputs the stage reads: not those behind a dataset that is wholly kept. It mirrors
// DAGScheduler.getMissingParentStages.
func (g *stage) neededParents() []*stage {
	if len(g.of.kept) == 0 || len(g.parents) == 0 {
		return g.parents
	}
	l := g.of.what.Lineage
	needed := l.NeededShuffles(g.node, g.wholeNode)
	var out []*stage
	for i, index := range l.ShuffleParents(g.node) {
		if slices.Contains(needed, index) {
			out = append(out, g.parents[i])
		}
	}
	return out
}

// nearKept says for a partition which executors keep what its task would read, as they are now; nil when the stage reads nothing kept.
func (g *stage) nearKept() func(partition int32) []tasks.Location {
	if len(g.of.kept) == 0 {
		return nil
	}
	near, err := g.of.what.Lineage.KeptNear(g.node, g.splits, func(node, partition int) bool {
		k := g.of.kept[node]
		return !k.gone && partition < len(k.places) && len(k.places[partition]) > 0
	})
	if err != nil { // not reached: the splits were made of this lineage
		return nil
	}
	return func(partition int32) []tasks.Location {
		node, of, found := near(int(partition))
		if !found {
			return nil
		}
		var out []tasks.Location
		for _, at := range g.of.kept[node].places[of] {
			out = append(out, tasks.Location{Host: at.host, Executor: at.executor})
		}
		return out
	}
}

// persistedNodes are those that the stage's tasks may read or keep.
func (g *stage) persistedNodes() []*app.PersistedNode {
	if len(g.of.kept) == 0 {
		return nil
	}
	var out []*app.PersistedNode
	for _, node := range g.of.what.Lineage.Narrow(g.node) {
		k := g.of.kept[node]
		switch {
		case k == nil || k.gone:
		case k.stored():
			out = append(out, &app.PersistedNode{Node: int32(node), RddId: k.id, Checkpoint: k.checkpoint.folder})
		case k.inBlocks():
			out = append(out, &app.PersistedNode{Node: int32(node), RddId: k.id, LocalCheckpoint: k.cut(), Level: &storagepb.StorageLevel{
				UseMemory: k.level.Memory, UseDisk: k.level.Disk, Deserialized: k.level.Deserialized, Replication: int32(k.level.Replication),
			}})
		}
	}
	return out
}
