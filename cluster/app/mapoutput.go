package app

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/coherer/coherer/actors/executor"
)

// mapOutput is the map output of one task: a file with the blocks of its reducers one behind the other.
type mapOutput struct {
	path string
	// ends has where each reducer's block ends; it begins where the one before ends.
	ends []int64
}

// mapKey names a map output.
type mapKey struct {
	shuffle int32
	task    int64
}

// name is that of the file (ShuffleDataBlockId); the reducer 0 stands for all.
func (k mapKey) name() string { return fmt.Sprintf("shuffle_%d_%d_0.data", k.shuffle, k.task) }

// block is where a reducer's block lies.
func (m *mapOutput) block(reduce int) place {
	from := int64(0)
	if reduce > 0 {
		from = m.ends[reduce-1]
	}
	return place{m.path, from, m.ends[reduce] - from}
}

// mapWriter writes a map output. Until Commit its file has another name, and nobody finds its blocks.
type mapWriter struct {
	blocks *blocks
	key    mapKey
	out    mapOutput
	file   *os.File
	buf    *bufio.Writer
	at     int // the reducer whose block is written
	size   int64
}

var _ executor.MapOutput = (*mapWriter)(nil)

// MapOutput implements [executor.Blocks].
func (b *blocks) MapOutput(shuffle int32, task int64, reducers int) (executor.MapOutput, error) {
	w := &mapWriter{blocks: b, key: mapKey{shuffle, task}}
	_, dir := b.nextFile()
	w.out = mapOutput{path: filepath.Join(dir, w.key.name()), ends: make([]int64, reducers)}
	f, err := os.OpenFile(w.out.path+temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, needsSpace(err)
	}
	w.file, w.buf = f, bufio.NewWriterSize(f, 32<<10)
	return w, nil
}

// temporary ends the name of a file that is not whole yet.
const temporary = ".tmp"

// Partition implements [executor.MapOutput].
func (w *mapWriter) Partition(reduce int) error {
	if reduce < w.at || reduce >= len(w.out.ends) {
		return fmt.Errorf("%s: block of reducer %d after that of %d, of %d", w.out.path, reduce, w.at, len(w.out.ends))
	}
	w.end(reduce)
	return nil
}

// end ends the blocks before that of a reducer.
func (w *mapWriter) end(reduce int) {
	for ; w.at < reduce; w.at++ {
		w.out.ends[w.at] = w.size
	}
}

// Write implements [executor.MapOutput].
func (w *mapWriter) Write(p []byte) (int, error) {
	n, err := w.buf.Write(p)
	w.size += int64(n)
	if err != nil {
		return n, needsSpace(err)
	}
	return n, nil
}

// Commit implements [executor.MapOutput].
func (w *mapWriter) Commit() ([]int64, error) {
	w.end(len(w.out.ends))
	if err := errors.Join(w.buf.Flush(), w.file.Close()); err != nil {
		return nil, errors.Join(needsSpace(err), os.Remove(w.file.Name()))
	}
	if err := os.Rename(w.file.Name(), w.out.path); err != nil {
		return nil, errors.Join(err, os.Remove(w.file.Name()))
	}
	sizes := make([]int64, len(w.out.ends))
	for i := range sizes {
		sizes[i] = w.out.block(i).size
	}
	w.blocks.mu.Lock()
	defer w.blocks.mu.Unlock()
	w.blocks.outputs[w.key] = &w.out
	return sizes, nil
}

// Abort implements [executor.MapOutput].
func (w *mapWriter) Abort() error { return errors.Join(w.file.Close(), os.Remove(w.file.Name())) }

func needsSpace(err error) error {
	return fmt.Errorf("%w: free some space there, or name another directory with spark.local.dir or --work-dir", err)
}
