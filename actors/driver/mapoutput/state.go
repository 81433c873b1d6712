package mapoutput

import (
	"maps"
	"slices"

	"github.com/coherer/coherer/messages/storage"
)

// book is where the map outputs lie.
type book struct {
	epoch    int64
	shuffles map[int32][]*storage.MapStatus // by map index; nil: missing
	changes  map[int32]int                  // how often the statuses of a shuffle have changed
}

func (b *book) register(shuffle int32, maps int) {
	if _, known := b.shuffles[shuffle]; !known {
		b.shuffles[shuffle] = make([]*storage.MapStatus, maps)
	}
}

// put enters an output; false for an unknown map task.
func (b *book) put(shuffle, index int32, s *storage.MapStatus) bool {
	statuses := b.shuffles[shuffle]
	if index < 0 || int(index) >= len(statuses) {
		return false
	}
	statuses[index] = s
	b.changes[shuffle]++
	return true
}

// move enters a new place of an output.
func (b *book) move(shuffle, index int32, mapID int64, to *storage.BlockManagerId) {
	statuses := b.shuffles[shuffle]
	if index < 0 || int(index) >= len(statuses) {
		return
	}
	// A new status: the old one may be on its way to an executor.
	if was := statuses[index]; was != nil && was.GetMapId() == mapID {
		statuses[index] = &storage.MapStatus{Location: to, MapId: mapID, Sizes: was.GetSizes()}
		b.changes[shuffle]++
	}
}

func (b *book) drop(shuffle, index int32, executor string) {
	statuses := b.shuffles[shuffle]
	if index < 0 || int(index) >= len(statuses) {
		return
	}
	if statuses[index].GetLocation().GetExecutorId() == executor {
		statuses[index] = nil
		b.changes[shuffle]++
	}
}

func (b *book) clear(shuffle int32) {
	clear(b.shuffles[shuffle])
	b.changes[shuffle]++
}

func (b *book) forget(shuffle int32) {
	delete(b.shuffles, shuffle)
	delete(b.changes, shuffle)
}

// dropAll drops the outputs in places that are gone.
func (b *book) dropAll(gone func(*storage.BlockManagerId) bool) {
	for _, shuffle := range slices.Sorted(maps.Keys(b.shuffles)) {
		statuses := b.shuffles[shuffle]
		for index, s := range statuses {
			if s != nil && gone(s.GetLocation()) {
				statuses[index] = nil
				b.changes[shuffle]++
			}
		}
	}
}

// raise sets the epoch, which never falls.
func (b *book) raise(epoch int64) { b.epoch = max(b.epoch, epoch) }

// statuses is the book's page as it travels; false for an unknown shuffle.
func (b *book) statuses(shuffle int32) (*storage.MapOutputStatuses, bool) {
	known, ok := b.shuffles[shuffle]
	if !ok {
		return nil, false
	}
	// A copy: the answer must not change with the book, and its list holds no nil, for a requester in the same Env either.
	out := slices.Clone(known)
	for i, s := range out {
		if s == nil {
			out[i] = &storage.MapStatus{}
		}
	}
	return &storage.MapOutputStatuses{Statuses: out, Epoch: b.epoch}, true
}
