package rdd

import (
	"fmt"
	"strings"
)

// StorageLevel says where and how the partitions of a persisted Dataset are kept (org.apache.spark.storage.StorageLevel). The zero
// StorageLevel is none.
type StorageLevel struct {
	Memory, Disk bool
	// Deserialized: in memory the records are kept as they are, so that a reader decodes nothing; else in their encoding.
	Deserialized bool
	// Replication is on how many executors each partition is kept.
	Replication int
}

// The storage levels. Those whose names end in Ser keep records in their encoding, which is smaller and slower to read.
var (
	MemoryOnly        = StorageLevel{Memory: true, Deserialized: true, Replication: 1}
	MemoryOnly2       = StorageLevel{Memory: true, Deserialized: true, Replication: 2}
	MemoryOnlySer     = StorageLevel{Memory: true, Replication: 1}
	MemoryOnlySer2    = StorageLevel{Memory: true, Replication: 2}
	MemoryAndDisk     = StorageLevel{Memory: true, Disk: true, Deserialized: true, Replication: 1}
	MemoryAndDisk2    = StorageLevel{Memory: true, Disk: true, Deserialized: true, Replication: 2}
	MemoryAndDiskSer  = StorageLevel{Memory: true, Disk: true, Replication: 1}
	MemoryAndDiskSer2 = StorageLevel{Memory: true, Disk: true, Replication: 2}
	DiskOnly          = StorageLevel{Disk: true, Replication: 1}
	DiskOnly2         = StorageLevel{Disk: true, Replication: 2}
	DiskOnly3         = StorageLevel{Disk: true, Replication: 3}
)

// mostReplicas bounds StorageLevel.Replication, as in Spark.
const mostReplicas = 40

// Valid reports whether the level keeps anything.
func (s StorageLevel) Valid() bool {
	return (s.Memory || s.Disk) && s.Replication > 0 && s.Replication < mostReplicas
}

// String is Spark's name of the level, such as "MEMORY_AND_DISK_2"; "NONE" when it keeps nothing.
func (s StorageLevel) String() string {
	if !s.Valid() {
		return "NONE"
	}
	var where []string
	if s.Memory {
		where = append(where, "MEMORY")
	}
	if s.Disk {
		where = append(where, "DISK")
	}
	name := strings.Join(where, "_AND_")
	if len(where) == 1 {
		name += "_ONLY"
	}
	if s.Memory && !s.Deserialized {
		name += "_SER"
	}
	if s.Replication > 1 {
		name += fmt.Sprintf("_%d", s.Replication)
	}
	return name
}
