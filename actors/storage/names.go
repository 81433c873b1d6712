package storage

import (
	"fmt"

	"github.com/coherer/coherer/rpcenv"
)

// ErrDecommissioned fails a move to a block manager that leaves, too. It is no failure of the block.
var ErrDecommissioned = rpcenv.NewRefusal("storage.decommissioned", "the block manager is decommissioned")

// MapOutputID is the name of a map output as a whole: that of the index of its blocks (org.apache.spark.storage.ShuffleIndexBlockId).
func MapOutputID(shuffle int32, mapID int64) string {
	return fmt.Sprintf("shuffle_%d_%d_0.index", shuffle, mapID)
}

// ParseMapOutputID reads such a name; ok is false for another block.
func ParseMapOutputID(id string) (shuffle int32, mapID int64, ok bool) {
	n, err := fmt.Sscanf(id, "shuffle_%d_%d_0.index", &shuffle, &mapID)
	// Numbers have one spelling, or two names would be one block.
	ok = n == 2 && err == nil && shuffle >= 0 && mapID >= 0 && MapOutputID(shuffle, mapID) == id
	return shuffle, mapID, ok
}
