package app

import (
	"bufio"
	"errors"
	"fmt"
	"os"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/cluster/shufflefile"
)

// mapOutput is the map output of one task: its files are those of package shufflefile.
type mapOutput struct {
	path string
	// ends has where each reducer's block ends; it begins where the one before ends.
	ends []int64
}

// block is where a reducer's block lies.
func (m *mapOutput) block(reduce int) place {
	from := int64(0)
	if reduce > 0 {
		from = m.ends[reduce-1]
	}
	return place{m.path, from, m.ends[reduce] - from}
}

// mapOutputWriter writes a map output. Until Commit its file has another name, and nobody finds its blocks.
type mapOutputWriter struct {
	blocks *blocks
	key    shufflefile.Output
	out    mapOutput
	file   *os.File
	buf    *bufio.Writer
	at     int // the reducer whose block is written
	size   int64
}

var _ executor.MapOutput = (*mapOutputWriter)(nil)

// MapOutput implements [executor.Blocks].
func (b *blocks) MapOutput(shuffle int32, task int64, reducers int) (executor.MapOutput, error) {
	w := &mapOutputWriter{blocks: b, key: shufflefile.Output{Shuffle: shuffle, Task: task}}
	w.out = mapOutput{path: w.key.Data(b.dirs), ends: make([]int64, reducers)}
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
func (w *mapOutputWriter) Partition(reduce int) error {
	if reduce < w.at || reduce >= len(w.out.ends) {
		return fmt.Errorf("%s: block of reducer %d after that of %d, of %d", w.out.path, reduce, w.at, len(w.out.ends))
	}
	w.end(reduce)
	return nil
}

// end ends the blocks before that of a reducer.
func (w *mapOutputWriter) end(reduce int) {
	for ; w.at < reduce; w.at++ {
		w.out.ends[w.at] = w.size
	}
}

// Write implements [executor.MapOutput].
func (w *mapOutputWriter) Write(p []byte) (int, error) {
	n, err := w.buf.Write(p)
	w.size += int64(n)
	if err != nil {
		return n, needsSpace(err)
	}
	return n, nil
}

// Commit implements [executor.MapOutput].
func (w *mapOutputWriter) Commit() ([]int64, error) {
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
	// Last: other processes take an index for the sign that the blocks are whole.
	if err := shufflefile.WriteIndex(w.key.Index(w.blocks.dirs), sizes); err != nil {
		return nil, errors.Join(needsSpace(err), os.Remove(w.out.path))
	}
	w.blocks.mu.Lock()
	defer w.blocks.mu.Unlock()
	w.blocks.outputs[w.key] = &w.out
	return sizes, nil
}

// Abort implements [executor.MapOutput].
func (w *mapOutputWriter) Abort() error { return errors.Join(w.file.Close(), os.Remove(w.file.Name())) }

func needsSpace(err error) error {
	return fmt.Errorf("%w: free some space there, or name another directory with spark.local.dir or --work-dir", err)
}
