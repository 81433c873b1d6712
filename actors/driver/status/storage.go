//coherer:pure

package status

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/coherer/coherer/actors/driver/listener"
	"github.com/coherer/coherer/actors/storage/blocks"
)

// rdd is a dataset whose blocks are kept. It mirrors LiveRDD.
type rdd struct {
	info   listener.RDDInfo
	blocks map[int]*block // by partition
}

// block is a partition that is kept, at one or several executors.
type block struct {
	name  string
	level listener.StorageLevel
	at    map[string]size
}

// size is what a block takes at one executor.
type size struct{ memory, disk int64 }

func (s *Store) rdd(info listener.RDDInfo) *rdd {
	r := s.rdds[info.ID]
	if r == nil {
		r = &rdd{blocks: map[int]*block{}}
		s.rdds[info.ID] = r
	}
	r.info = info
	return r
}

func (r *rdd) executorGone(id string) {
	for partition, b := range r.blocks {
		delete(b.at, id)
		if len(b.at) == 0 {
			delete(r.blocks, partition)
		}
	}
}

// blockUpdated counts what a block takes. Blocks of other kinds than those of datasets and broadcasts are not shown.
func (s *Store) blockUpdated(e *listener.BlockUpdated) {
	x := s.executors[e.Info.Manager.ExecutorID]
	id, partition, ok := blocks.ParseID(e.Info.BlockID)
	if !ok {
		if x != nil && strings.HasPrefix(e.Info.BlockID, "broadcast_") {
			x.takes(sizeOf(e), size{}, e.Info.Level)
		}
		return
	}
	r := s.rdds[id]
	if r == nil { // it was given up, and its blocks go
		return
	}
	kept := e.Info.Level.Memory || e.Info.Level.Disk
	b := r.blocks[partition]
	if b == nil {
		if !kept {
			return
		}
		b = &block{name: e.Info.BlockID, at: map[string]size{}}
		r.blocks[partition] = b
	}
	at := e.Info.Manager.ExecutorID
	was, had := b.at[at]
	now := sizeOf(e)
	if kept {
		b.at[at], b.level = now, e.Info.Level
	} else {
		delete(b.at, at)
		now = size{}
	}
	if len(b.at) == 0 {
		delete(r.blocks, partition)
	}
	if x == nil {
		return
	}
	switch {
	case kept && !had:
		x.blocks++
	case !kept && had:
		x.blocks = max(x.blocks-1, 0) // it may have come before its executor
	}
	x.takes(now, was, r.info.Level)
}

// sizeOf is what a block takes now; less than nothing where a broadcast is dropped, whose earlier size nobody knows.
func sizeOf(e *listener.BlockUpdated) size {
	out := size{memory: e.Info.Memory, disk: e.Info.Disk}
	if !e.Info.Level.Memory && !e.Info.Level.Disk {
		out = size{-out.memory, -out.disk}
	}
	return out
}

func (x *executor) takes(now, was size, level listener.StorageLevel) {
	x.used = max(x.used+now.memory-was.memory, 0)
	x.disk = max(x.disk+now.disk-was.disk, 0)
	if level.OffHeap {
		x.usedOffHeap = max(x.usedOffHeap+now.memory-was.memory, 0)
	} else {
		x.usedOnHeap = max(x.usedOnHeap+now.memory-was.memory, 0)
	}
}

func (s *Store) unpersist(id int32) {
	r := s.rdds[id]
	if r == nil {
		return
	}
	delete(s.rdds, id)
	for _, partition := range slices.Sorted(maps.Keys(r.blocks)) {
		b := r.blocks[partition]
		for _, at := range slices.Sorted(maps.Keys(b.at)) {
			if x := s.executors[at]; x != nil {
				x.blocks = max(x.blocks-1, 0) // it may have come before its executor
				x.takes(size{}, b.at[at], r.info.Level)
			}
		}
	}
}

// levelText is Spark's text of a level, as "Disk Memory Deserialized 1x Replicated" (StorageLevel.description).
func levelText(l listener.StorageLevel) string {
	out := ""
	if l.Disk {
		out += "Disk "
	}
	switch {
	case l.Memory && l.OffHeap:
		out += "Memory (off heap) "
	case l.Memory:
		out += "Memory "
	}
	if l.Deserialized {
		out += "Deserialized "
	} else {
		out += "Serialized "
	}
	return fmt.Sprintf("%s%dx Replicated", out, l.Replication)
}

// RDDs asks for the datasets of which partitions are kept.
type RDDs struct{}

func (RDDs) answer(s *Store, _ int64) any {
	out := []RDDStorage{}
	for _, id := range slices.Sorted(maps.Keys(s.rdds)) {
		if r := s.rdds[id]; len(r.blocks) > 0 {
			out = append(out, s.storageOf(r))
		}
	}
	return out
}

// RDD asks for one of them.
type RDD struct{ ID int32 }

func (q RDD) answer(s *Store, _ int64) any {
	r := s.rdds[q.ID]
	if r == nil {
		return notFound("no rdd found w/ id %d", q.ID)
	}
	return s.storageOf(r)
}

func (s *Store) storageOf(r *rdd) RDDStorage {
	out := RDDStorage{
		ID: r.info.ID, Name: r.info.Name, Partitions: r.info.Partitions, Cached: len(r.blocks), Level: levelText(r.info.Level),
		Blocks: []RDDPartition{}, Distribution: []RDDDistribution{},
	}
	perExecutor := map[string]size{}
	for _, partition := range slices.Sorted(maps.Keys(r.blocks)) {
		b := r.blocks[partition]
		p := RDDPartition{Name: b.name, Level: levelText(b.level), Executors: slices.Sorted(maps.Keys(b.at))}
		for _, at := range p.Executors {
			n := b.at[at]
			p.Memory += n.memory
			p.Disk += n.disk
			sum := perExecutor[at]
			perExecutor[at] = size{sum.memory + n.memory, sum.disk + n.disk}
		}
		out.Memory += p.Memory
		out.Disk += p.Disk
		out.Blocks = append(out.Blocks, p)
	}
	for _, id := range slices.Sorted(maps.Keys(perExecutor)) {
		x, n := s.executors[id], perExecutor[id]
		if x == nil {
			continue
		}
		d := RDDDistribution{
			Address: x.hostPort, Memory: n.memory, Remaining: max(x.onHeap+x.offHeap-x.used, 0), Disk: n.disk,
			OnHeapRemaining: max(x.onHeap-x.usedOnHeap, 0), OffHeapRemaining: max(x.offHeap-x.usedOffHeap, 0),
		}
		if r.info.Level.OffHeap {
			d.OffHeap = n.memory
		} else {
			d.OnHeap = n.memory
		}
		out.Distribution = append(out.Distribution, d)
	}
	return out
}
