package memory

import (
	"github.com/coherer/coherer/rpcenv/conf"
)

// reserved is what the program itself needs of the heap, in bytes (UnifiedMemoryManager.RESERVED_SYSTEM_MEMORY_BYTES).
const reserved = 300 * conf.MiB

// Region is how much memory a Manager divides.
type Region struct {
	// Size is the whole region, Storage the part of it that execution does not take from blocks; both in bytes.
	Size, Storage int64
}

// RegionOf is the region of a process with so much heap, in bytes. fraction and storageFraction are between 0 and 1. It mirrors
// UnifiedMemoryManager.getMaxMemory.
func RegionOf(heap int64, fraction, storageFraction float64) Region {
	usable := max(heap-reserved, heap/3)
	size := int64(float64(usable) * fraction)
	return Region{Size: size, Storage: int64(float64(size) * storageFraction)}
}
