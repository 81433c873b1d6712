package memory

import "github.com/coherer/coherer/rpcenv/conf"

// Settings are those of an executor's memory.
var Settings = conf.NewSet()

// The entries of Settings; the last argument of each says what it means.
var (
	// MemoryFraction is how much of the heap above what is reserved the region has.
	MemoryFraction = conf.Declare(Settings, "spark.memory.fraction", share, "0.6",
		"The part of an executor's memory, above what is reserved, that tasks and cached blocks share.")
	// MemoryStorageFraction is how much of the region is storage's own.
	MemoryStorageFraction = conf.Declare(Settings, "spark.memory.storageFraction", share, "0.5",
		"The part of that region in which cached blocks are safe from tasks that want more memory.")
)

// share is a part of a whole.
var share = conf.Between(conf.Floats, 0, 1)
