package blocks

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// ID is the name of the block of a partition of a persisted dataset (org.apache.spark.storage.RDDBlockId).
func ID(rdd int32, partition int) string { return fmt.Sprintf("rdd_%d_%d", rdd, partition) }

// ParseID reads the name of such a block; ok is false for another block.
func ParseID(id string) (rdd int32, partition int, ok bool) {
	rest, isRDD := strings.CutPrefix(id, "rdd_")
	first, second, two := strings.Cut(rest, "_")
	a, errA := strconv.ParseUint(first, 10, 31)
	b, errB := strconv.ParseUint(second, 10, 31)
	// Numbers have one spelling, or two names would be one block.
	if !isRDD || !two || errA != nil || errB != nil || ID(int32(a), int(b)) != id {
		return 0, 0, false
	}
	return int32(a), int(b), true
}

// sortedIDs are the names of blocks in order.
func sortedIDs(blocks map[string]*block) []string {
	return slices.Sorted(maps.Keys(blocks))
}
