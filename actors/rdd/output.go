package rdd

import (
	"fmt"
	"io"
)

// MapOutput takes the blocks of one map task, encoded (Spark's ShuffleMapOutputWriter). An error ends the task, which returns it
// wrapped.
type MapOutput interface {
	// Partition begins the block of a reducer. Reducers come ascending, each at most once; those without a record are left out.
	Partition(reduce int) error
	// Write appends to the block that was begun last.
	io.Writer
}

// Blocks are a MapOutput in memory, by reducer; nil where there is no record. It must be as long as there are reducers.
type Blocks [][]byte

// Partition begins a block.
func (b *memoryOutput) Partition(reduce int) error {
	b.at = reduce
	return nil
}

type memoryOutput struct {
	blocks Blocks
	at     int
}

// Write appends to the block.
func (b *memoryOutput) Write(p []byte) (int, error) {
	b.blocks[b.at] = append(b.blocks[b.at], p...)
	return len(p), nil
}

// Output is the MapOutput that fills b.
func (b Blocks) Output() MapOutput { return &memoryOutput{blocks: b} }

// mapWriter writes records to a MapOutput, many at a time.
type mapWriter struct {
	r   *run
	out MapOutput
	buf []byte
	at  int // the partition that was begun; -1: none
}

// writeBuffer is how much goes to a MapOutput at once, in bytes.
const writeBuffer = 64 << 10

func newMapWriter(r *run, out MapOutput) *mapWriter { return &mapWriter{r: r, out: out, at: -1} }

// partition goes on to a partition, or stays.
func (w *mapWriter) partition(at int) {
	if at == w.at {
		return
	}
	w.flush()
	w.at = at
	if err := w.out.Partition(at); err != nil {
		w.failed(err)
	}
}

// done ends a record that was appended to buf.
func (w *mapWriter) done() {
	w.r.metrics.ShuffleRecordsWritten++
	if len(w.buf) >= writeBuffer {
		w.flush()
	}
}

// flush writes what is buffered.
func (w *mapWriter) flush() {
	if len(w.buf) == 0 {
		return
	}
	w.r.check()
	n, err := w.out.Write(w.buf)
	w.r.metrics.ShuffleBytesWritten += int64(n)
	if err == nil && n < len(w.buf) {
		err = io.ErrShortWrite
	}
	if err != nil {
		w.failed(err)
	}
	w.buf = w.buf[:0]
}

func (w *mapWriter) failed(err error) { w.r.fail(fmt.Errorf("rdd: write map output: %w", err)) }
