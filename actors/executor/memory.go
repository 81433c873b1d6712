package executor

import (
	"github.com/coherer/coherer/actors/storage/memory"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/rpcenv/conf"
)

// Heap is the memory of an executor in bytes (spark.executor.memory).
func Heap(c *conf.Conf) int64 { return submit.ExecutorMemory.Get(c) * int64(conf.MiB) }

// newMemory divides the executor's memory between its tasks and its cached blocks.
func newMemory(c *conf.Conf) *memory.Manager {
	return memory.New(memory.RegionOf(Heap(c), memory.MemoryFraction.Get(c), memory.MemoryStorageFraction.Get(c)))
}
