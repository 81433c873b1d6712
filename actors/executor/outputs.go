package executor

import (
	"cmp"
	"maps"
	"slices"

	"github.com/coherer/coherer/actors/storage"
	storagepb "github.com/coherer/coherer/messages/storage"
)

// outputKey names a map output: its shuffle, and the attempt that wrote it.
type outputKey struct {
	shuffle int32
	mapID   int64
}

func (k outputKey) String() string { return storage.MapOutputID(k.shuffle, k.mapID) }

// ownOutputs are the map outputs that lie here, with the sizes of their blocks by reducer. It mirrors
// IndexShuffleBlockResolver.getStoredShuffles and getShuffleBytesStored.
type ownOutputs struct {
	sizes map[outputKey][]int64
	bytes int64
}

func (o *ownOutputs) add(k outputKey, sizes []int64) {
	if _, here := o.sizes[k]; here {
		return
	}
	o.sizes[k] = sizes
	o.bytes += sum(sizes)
}

// addStatus enters what a map task has written.
func (o *ownOutputs) addStatus(shuffle int32, s *storagepb.MapStatus) {
	o.add(outputKey{shuffle, s.GetMapId()}, s.GetSizes())
}

// sorted are the outputs in the order of their shuffles and attempts.
func (o *ownOutputs) sorted() []outputKey {
	return slices.SortedFunc(maps.Keys(o.sizes), func(a, b outputKey) int {
		return cmp.Or(cmp.Compare(a.shuffle, b.shuffle), cmp.Compare(a.mapID, b.mapID))
	})
}

func sum(sizes []int64) int64 {
	total := int64(0)
	for _, n := range sizes {
		total += n
	}
	return total
}
