package local

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/actors/rdd"
)

// errDiskFull is what a full disk of a simulation says.
var errDiskFull = errors.New("no space left on device: free some space there, or name another directory with spark.local.dir or --work-dir")

// LimitDisk gives each executor that a World starts from now on a disk of so many bytes for its map outputs and temporary files. Executors
// that are processes of the operating system have its disks.
func LimitDisk(w World, bytes int64) error {
	t := w.blocks()
	if t == nil {
		return errors.New("executors have the disks of the operating system in this world")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.disk = bytes
	return nil
}

// take counts bytes that are written to the executor's disk.
func (s *blockStore) take(n int) error {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	if s.disk > 0 && s.used+int64(n) > s.disk {
		return errDiskFull
	}
	s.used += int64(n)
	return nil
}

func (s *blockStore) free(n int64) {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	s.used -= n
}

// MapOutput implements [executor.Blocks].
func (s *blockStore) MapOutput(shuffle int32, task int64, reducers int) (executor.MapOutput, error) {
	blocks := make(rdd.Blocks, reducers)
	return &storedOutput{MapOutput: blocks.Output(), store: s, blocks: blocks, shuffle: shuffle, task: task}, nil
}

// storedOutput is a map output that is being written.
type storedOutput struct {
	rdd.MapOutput
	store   *blockStore
	blocks  rdd.Blocks
	shuffle int32
	task    int64
	size    int64
}

// Write implements [executor.MapOutput].
func (o *storedOutput) Write(p []byte) (int, error) {
	if err := o.store.take(len(p)); err != nil {
		return 0, err
	}
	o.size += int64(len(p))
	return o.MapOutput.Write(p)
}

// Commit implements [executor.MapOutput].
func (o *storedOutput) Commit() ([]int64, error) {
	ids, sizes := make([]string, len(o.blocks)), make([]int64, len(o.blocks))
	for i, b := range o.blocks {
		ids[i], sizes[i] = fmt.Sprintf("shuffle_%d_%d_%d", o.shuffle, o.task, i), int64(len(b))
	}
	return sizes, o.store.Put(ids, o.blocks)
}

// Abort implements [executor.MapOutput].
func (o *storedOutput) Abort() error {
	o.store.free(o.size)
	return nil
}

// Create implements [rdd.Spill].
func (s *blockStore) Create() (rdd.SpillFile, error) { return &storedSpill{store: s}, nil }

// storedSpill is a temporary file of a task.
type storedSpill struct {
	store *blockStore
	data  []byte
}

// Write implements [rdd.SpillFile].
func (f *storedSpill) Write(p []byte) (int, error) {
	if err := f.store.take(len(p)); err != nil {
		return 0, err
	}
	f.data = append(f.data, p...)
	return len(p), nil
}

// ReadAt implements [rdd.SpillFile].
func (f *storedSpill) ReadAt(p []byte, off int64) (int, error) {
	return bytes.NewReader(f.data).ReadAt(p, off)
}

// Close implements [rdd.SpillFile].
func (f *storedSpill) Close() error {
	f.store.free(int64(len(f.data)))
	f.data = nil
	return nil
}
