package shufflefile

import (
	"fmt"
	"hash/fnv"
	"path/filepath"
)

// Output names a map output: by its shuffle, and by the task attempt that wrote it (org.apache.spark.shuffle.ShuffleBlockId without its
// reducer).
type Output struct {
	Shuffle int32
	Task    int64
}

// String is its name, that of its files without their ends.
func (o Output) String() string { return fmt.Sprintf("shuffle_%d_%d_0", o.Shuffle, o.Task) }

// Data is the path of its blocks. The directories are those of the executor that wrote it, in that executor's order; there is at least one.
func (o Output) Data(dirs []string) string { return o.in(dirs, ".data") }

// Index is the path of its offsets, beside its blocks.
func (o Output) Index(dirs []string) string { return o.in(dirs, ".index") }

func (o Output) in(dirs []string, end string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(o.String())) // a hash takes all
	return filepath.Join(dirs[h.Sum32()%uint32(len(dirs))], o.String()+end)
}
