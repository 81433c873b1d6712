package rdd

import (
	"bytes"
	"fmt"
	"iter"
	"reflect"
	"slices"
)

// BlockCache keeps partitions of persisted nodes for a task: Spark's side of RDD.getOrCompute.
type BlockCache interface {
	// Get is a kept partition; false when it can be read nowhere. An error ends the task, which returns it unchanged.
	Get(node, partition int) (kept Kept, ok bool, err error)
	// Put begins to keep a partition; nil: it is not kept.
	Put(node, partition int) PartitionWriter
}

// Kept is a partition that is kept.
type Kept struct {
	// Records are those that PartitionWriter.CommitRecords was given. nil: Pieces has them in their encoding.
	Records any
	Pieces  [][]byte
	// Decode takes the records of Pieces, to be kept instead of these; nil: Pieces stay.
	Decode PartitionWriter
}

// PartitionWriter keeps one partition, as records or in pieces of encoded records. Commit, CommitRecords or Abort is called at the end, also
// after Write has returned false.
type PartitionWriter interface {
	// Grow takes room for so many more bytes of records. After false the partition comes by Write, from its beginning.
	Grow(bytes int64) bool
	// Write takes a piece of whole records over. After false the partition is not kept, and no more pieces come.
	Write(piece []byte) bool
	// Commit enters the partition, if all pieces were taken. An error ends the task, which returns it unchanged.
	Commit() error
	// CommitRecords enters the partition as its records, for which Grow has taken the room. encode gives the pieces of their encoding, and
	// may be called from any goroutine. An error is as that of Commit.
	CommitRecords(records any, encode func() [][]byte) error
	// Abort forgets the partition.
	Abort()
}

// readKept gives the records of a kept partition.
func readKept[T any](r *run, c codec[T], kept Kept, n *node, partition int) iter.Seq[T] {
	fail := func(err error) {
		r.fail(fmt.Errorf("kept partition %d of node %d, %s: %w", partition, r.number(n), n.op, err))
	}
	return func(yield func(T) bool) {
		if kept.Records != nil {
			chunks, ok := kept.Records.([][]T)
			if !ok {
				fail(corrupt(fmt.Sprintf("it has records %T", kept.Records)))
			}
			for _, chunk := range chunks {
				for _, v := range chunk {
					r.read()
					if !yield(v) {
						return
					}
				}
			}
			return
		}
		for _, piece := range kept.Pieces {
			for len(piece) > 0 {
				var v T
				var err error
				if v, piece, err = c.decode(piece); err != nil {
					fail(err)
				}
				r.read()
				if !yield(v) {
					return
				}
			}
		}
	}
}

// unroller gives the records of a partition to a PartitionWriter. It mirrors MemoryStore.putIterator.
type unroller[T any] struct {
	r     *run
	codec codec[T]
	// deserialized: the records are kept as they are, as long as there is room.
	deserialized bool

	w      PartitionWriter
	piece  []byte        // of records in their encoding
	chunks [][]T         // of records as they are
	asked  int64         // the bytes of chunks for which Grow has not been asked yet
	size   func(T) int64 // see sizeOf
	clip   func(*T)      // see clipOf
}

// pieceSize is from which size on a piece is handed to a PartitionWriter, and for how many records room is asked at once; in bytes.
const pieceSize = 64 << 10

// keep gives the records of in to yield, and to w; a nil w keeps none. It reads in to its end also when the reader wants no more: what is
// kept is whole.
func (k *unroller[T]) keep(w PartitionWriter, in iter.Seq[T], yield func(T) bool) {
	if w == nil {
		in(yield)
		return
	}
	k.w = w
	if k.deserialized {
		k.size, _ = sizeOf[T]()
		k.clip = clipOf[T]()
	}
	ended := false
	defer func() { // a function of the user panicked, or the task was killed
		if !ended {
			w.Abort()
		}
	}()
	wanted, taken := true, true
	in(func(v T) bool {
		// Encoded before it is handed on: the reader may change what a slice in it points to.
		taken = taken && k.add(v)
		wanted = wanted && yield(v)
		return wanted || taken
	})
	k.r.at = outside
	taken = taken && k.flush()
	ended = true
	if !taken {
		w.Abort()
		return
	}
	if err := k.commit(); err != nil {
		k.r.fail(err)
	}
}

// add takes one more record; false: the partition is not kept.
func (k *unroller[T]) add(v T) bool {
	if k.deserialized {
		return k.addRecord(v)
	}
	if k.piece = k.codec.append(k.piece, v); len(k.piece) < pieceSize {
		return true
	}
	full := k.piece
	k.piece = make([]byte, 0, pieceSize+pieceSize/4)
	return k.w.Write(full)
}

func (k *unroller[T]) addRecord(v T) bool {
	if k.clip != nil {
		k.clip(&v)
	}
	each := int64(reflect.TypeFor[T]().Size())
	last := len(k.chunks) - 1
	if last < 0 || len(k.chunks[last]) == cap(k.chunks[last]) {
		// Each chunk has twice the room of the one before, up to a piece: small partitions waste little, and no record is copied.
		room := int64(16)
		if last >= 0 {
			room = min(2*int64(cap(k.chunks[last])), pieceSize/max(each, 1)+1)
		}
		k.chunks = append(k.chunks, make([]T, 0, room))
		last++
	}
	k.chunks[last] = append(k.chunks[last], v)
	if k.asked += each; k.size != nil {
		k.asked += k.size(v)
	}
	return k.asked < pieceSize || k.grow()
}

// grow asks for room for the records that came since it was last asked. Without room they and those to come are encoded.
func (k *unroller[T]) grow() bool {
	if k.w.Grow(k.asked) {
		k.asked = 0
		return true
	}
	k.deserialized = false
	chunks := k.chunks
	k.chunks = nil // each piece that is written holds its records again
	for piece := range encoded(k.codec, chunks) {
		if !k.w.Write(piece) {
			return false
		}
	}
	return true
}

// flush hands over what add has left.
func (k *unroller[T]) flush() bool {
	switch {
	case k.deserialized:
		return k.grow()
	case len(k.piece) > 0:
		return k.w.Write(bytes.Clone(k.piece)) // which has no room left over
	}
	return true
}

func (k *unroller[T]) commit() error {
	if !k.deserialized {
		return k.w.Commit()
	}
	if last := len(k.chunks) - 1; last >= 0 {
		k.chunks[last] = slices.Clone(k.chunks[last]) // which has no room left over
	}
	c, chunks := k.codec, k.chunks // not k, which has the run
	return k.w.CommitRecords(chunks, func() [][]byte { return slices.Collect(encoded(c, chunks)) })
}

// encoded are the pieces of records in their encoding, each of pieceSize or little more but the last.
func encoded[T any](c codec[T], chunks [][]T) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var piece []byte
		for _, chunk := range chunks {
			for _, v := range chunk {
				if piece = c.append(piece, v); len(piece) < pieceSize {
					continue
				}
				if !yield(piece) {
					return
				}
				piece = make([]byte, 0, pieceSize+pieceSize/4)
			}
		}
		if len(piece) > 0 {
			yield(bytes.Clone(piece))
		}
	}
}

// clipOf takes from the slices in a value the room behind their ends, so that two readers that append to one do not write to the same
// place. It changes the value alone: what slices and maps hold is left as it is. nil: values of the type have no slices.
func clipOf[T any]() func(*T) {
	clip := clipperOf(reflect.TypeFor[T]())
	if clip == nil {
		return nil
	}
	return func(v *T) { clip(reflect.ValueOf(v).Elem()) }
}

func clipperOf(t reflect.Type) func(reflect.Value) {
	switch t.Kind() {
	case reflect.Slice:
		return func(v reflect.Value) { v.SetCap(v.Len()) }
	case reflect.Array:
		elem := clipperOf(t.Elem())
		if elem == nil {
			return nil
		}
		return func(v reflect.Value) {
			for i := range v.Len() {
				elem(v.Index(i))
			}
		}
	case reflect.Struct:
		fields := make([]func(reflect.Value), t.NumField())
		for i := range fields {
			fields[i] = clipperOf(t.Field(i).Type)
		}
		if !slices.ContainsFunc(fields, func(f func(reflect.Value)) bool { return f != nil }) {
			return nil
		}
		return func(v reflect.Value) {
			for i, clip := range fields {
				if clip != nil {
					clip(v.Field(i))
				}
			}
		}
	}
	return nil
}
