package dag

import (
	"fmt"
	"path"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/rpcenv"
)

// Checkpoint is a node of a job's lineage whose partitions are to be written to files, or to be kept by executors.
type Checkpoint struct {
	Node int
	// RDD is its number, Folder where it is to lie, below spark.checkpoint.dir.
	RDD    int32
	Folder string
	// Missing are the partitions that are not kept yet; only of a LocalCheckpoint, which has no folder.
	Missing []int32
}

// CheckpointEnded says how the job that writes or keeps a Checkpoint has ended. From then on jobs read the files; without a folder the next
// job that ends well has it written again. A LocalCheckpoint counts when all its partitions are kept.
type CheckpointEnded struct {
	rpcenv.Local
	RDD int32
	// Folder has the files, as all processes find it; "" when they could not be written, and of a LocalCheckpoint.
	Folder string
}

// FindCheckpoints asks for the folder in which all checkpoints of the application lie.
type FindCheckpoints struct{ rpcenv.Local }

// CheckpointsFound answers FindCheckpoints; without a checkpoint Folder is "".
type CheckpointsFound struct {
	rpcenv.Local
	Folder string
}

// ReplyType makes the answer's type known to the compiler.
func (FindCheckpoints) ReplyType() CheckpointsFound { return CheckpointsFound{} }

// checkpoint is how far the writing, or the keeping, of a dataset is. It mirrors RDDCheckpointData, whose cpState it stands for.
type checkpoint struct {
	writing bool
	folder  string // "" as long as it is not written
	local   bool   // the partitions are blocks
	cut     bool   // all partitions of a local one were kept once
}

// lacking are the partitions that no executor keeps.
func (k *kept) lacking() (out []int32) {
	for partition, at := range k.places {
		if len(at) == 0 {
			out = append(out, int32(partition))
		}
	}
	return out
}

// endLocal cuts the lineage of a LocalCheckpoint if all its partitions are kept, and reports whether it is cut.
func (k *kept) endLocal(c *rpcenv.Context) bool {
	if k.whole() && !k.checkpoint.cut {
		k.checkpoint.cut = true
		c.Log().Infof("Done checkpointing RDD %d, new parent is its blocks at the executors", k.id)
	}
	return k.checkpoint.cut
}

// toCheckpoint are the checkpoints that a job which has ended well has marked: of several one above the other the lowest, as the lineage
// ends there. It mirrors RDD.doCheckpoint. From now on they are being written, and no other job has them written.
func (s *Scheduler) toCheckpoint(c *rpcenv.Context, j *job) (out []Checkpoint) {
	if j.action == rdd.ActionCheckpoint || j.action == rdd.ActionLocalCheckpoint || len(j.of.kept) == 0 {
		return nil
	}
	seen := map[int]bool{}
	var visit func(int)
	visit = func(node int) {
		if seen[node] {
			return
		}
		seen[node] = true
		k := j.of.kept[node]
		if k == nil || k.checkpoint == nil {
			for _, p := range j.of.what.Lineage.Nodes[node].Parents {
				visit(p)
			}
			return
		}
		if k.gone || k.checkpoint.writing || k.cut() || k.checkpoint.local && k.endLocal(c) {
			return
		}
		k.checkpoint.writing = true
		if k.checkpoint.local {
			out = append(out, Checkpoint{Node: node, RDD: k.id, Missing: k.lacking()})
			return
		}
		out = append(out, Checkpoint{Node: node, RDD: k.id, Folder: path.Join(s.checkpointFolder(c), fmt.Sprintf("rdd-%d", k.id))})
	}
	visit(j.node)
	return out
}

// checkpointFolder is the application's own folder below spark.checkpoint.dir: a random UUID, as SparkContext.setCheckpointDir makes it.
func (s *Scheduler) checkpointFolder(c *rpcenv.Context) string {
	if s.checkpoints == "" {
		high, low := c.Rand().Uint64(), c.Rand().Uint64()
		high, low = high&^0xf000|0x4000, low&^(3<<62)|1<<63 // version 4
		s.checkpoints = fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", high>>32, high>>16&0xffff, high&0xffff, low>>48, low&(1<<48-1))
	}
	return s.checkpoints
}

func (s *Scheduler) checkpointEnded(c *rpcenv.Context, m CheckpointEnded) {
	if m.Folder != "" {
		s.checkpointsAt = path.Dir(m.Folder)
	}
	k := s.kept.byID[m.RDD]
	if k == nil || k.checkpoint == nil || !k.checkpoint.writing {
		return
	}
	k.checkpoint.writing, k.checkpoint.folder = false, m.Folder
	if k.checkpoint.local {
		k.endLocal(c)
		return
	}
	if m.Folder != "" {
		c.Log().Infof("Done checkpointing RDD %d to %s", m.RDD, m.Folder)
	}
}
