// Package memory divides an executor's memory between computing and keeping blocks, as Spark's UnifiedMemoryManager does.
//
// # The region
//
// Of spark.executor.memory 300 MiB are reserved for the program; spark.memory.fraction of the rest is the region. Execution (the hash
// tables and sort buffers of tasks) and storage (cached blocks) share it. spark.memory.storageFraction of the region is storage's own:
// each side may take what the other does not use, but execution evicts blocks only until storage has its own part, and storage evicts
// nothing of execution's.
//
// An executor with less than 450 MiB, which Spark refuses, has two thirds of its memory reserved.
//
// # Tasks
//
// With N tasks that hold or ask for memory, none gets more than 1/N of what execution may have. A task that gets less than it asked for
// spills. Spark lets a task wait until it has 1/2N; here it spills at once, so that no task waits for another.
//
// # Locks
//
// The lock of Manager is held while its Evictor is called. An Evictor may take locks of its own there, and must never call Manager
// under them.
package memory
