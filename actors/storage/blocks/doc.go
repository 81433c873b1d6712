// Package blocks keeps the cached blocks of one executor: in memory as long as its memory.Manager has room, and on disk. It mirrors
// org.apache.spark.storage.BlockManager with its MemoryStore and DiskStore.
//
// # Levels
//
// A block at a level with memory goes there if it fits. Blocks that were not used for longest give way to it, but never those of the same
// dataset: a dataset that does not fit would push itself out. A block that gives way goes to disk if its level has a disk, else it is
// gone. A block at a level with a disk whose memory did not suffice is written there. When it is read again, and there is room, it comes
// back to memory.
//
// A block is a list of pieces, as it came; it keeps its pieces also on disk. At a deserialized level memory has its records instead: they
// are encoded when they give way to disk or when another executor asks. A block of such a level that comes from elsewhere has pieces at
// first; the first task that reads it here gives its records back (Kept.Decode).
//
// On disk a block has a checksum (CRC32-C); one that is damaged there counts as lost.
//
// # Reports
//
// A Store notes each change of what it has; Changes takes the notes. Its owner reports them to BlockManagerMaster before the task that
// made them ends, so that no task is sent for a block that is gone, or misses one that is there.
//
// # Locks
//
// memory.Manager calls Store.Evict under its lock. So the lock of Store is never held where memory.Manager is called.
package blocks
