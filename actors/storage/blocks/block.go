package blocks

import "fmt"

// Level says where a block may be kept, and how (org.apache.spark.storage.StorageLevel).
type Level struct {
	Memory, Disk bool
	// Deserialized: in memory it is kept as records; on disk and on its way to others it has their encoding.
	Deserialized bool
	// Replication is on how many executors.
	Replication int32
}

// Status is where a block is kept, and its size there in bytes.
type Status struct {
	ID                string
	Level             Level // with Memory and Disk as it is kept; neither: it is kept no more
	MemSize, DiskSize int64
	// Wanted is the level at which it is to be kept.
	Wanted Level
}

// String is for logs.
func (s Status) String() string {
	return fmt.Sprintf("%s (memory %d B, disk %d B)", s.ID, s.MemSize, s.DiskSize)
}

// Content is a block: its records, or pieces of their encoding.
type Content struct {
	Pieces [][]byte
	// Records are those that Writer.CommitRecords was given; nil: Pieces has them.
	Records any
	encode  func() [][]byte // of Records
}

func (c Content) encoded() [][]byte {
	if c.Records != nil {
		return c.encode()
	}
	return c.Pieces
}

// Kept is a block that is kept.
type Kept struct {
	Content
	// Decode takes the records of Pieces, which are to be kept instead of these; nil: Pieces are all that is wanted. Without room for them
	// the pieces stay.
	Decode *Writer
}
