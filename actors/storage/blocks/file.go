package blocks

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// file is a block on disk.
type file struct {
	size int64 // in bytes
	sum  uint32
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrDamaged says that the bytes of a block are not those that were kept.
var ErrDamaged = errors.New("the block is damaged")

// write puts a block on disk.
func write(d Disk, id string, pieces [][]byte) (*file, error) {
	data := Encode(pieces)
	if err := d.Put([]string{id}, [][]byte{data}); err != nil {
		return nil, err
	}
	return &file{int64(len(data)), crc32.Checksum(data, castagnoli)}, nil
}

func (f *file) read(d Disk, id string) ([][]byte, error) {
	data, err := d.Get(id)
	if err != nil {
		return nil, err
	}
	if int64(len(data)) != f.size || crc32.Checksum(data, castagnoli) != f.sum {
		return nil, fmt.Errorf("%s: %w: %d bytes, written were %d", id, ErrDamaged, len(data), f.size)
	}
	return Decode(data)
}

// remove deletes the block's file, if there is one.
func (f *file) remove(d Disk, id string) {
	if f != nil {
		_ = d.Remove(id) // its directory goes with the executor
	}
}

// Encode is a block in one piece: a number of pieces, then each with its length. An empty block is not empty then.
func Encode(pieces [][]byte) []byte {
	size := binary.MaxVarintLen64
	for _, p := range pieces {
		size += len(p) + binary.MaxVarintLen64
	}
	data := binary.AppendUvarint(make([]byte, 0, size), uint64(len(pieces)))
	for _, p := range pieces {
		data = append(binary.AppendUvarint(data, uint64(len(p))), p...)
	}
	return data
}

// Decode takes apart what Bytes gives; it may come from a peer. The pieces are parts of data.
func Decode(data []byte) ([][]byte, error) {
	next := func() (int, bool) {
		x, n := binary.Uvarint(data)
		if n <= 0 || x > uint64(len(data)) { // each piece has at least its length
			return 0, false
		}
		data = data[n:]
		return int(x), true
	}
	count, ok := next()
	if !ok {
		return nil, fmt.Errorf("%w: no number of pieces", ErrDamaged)
	}
	pieces := make([][]byte, 0, count)
	for range count {
		n, ok := next()
		if !ok || n > len(data) {
			return nil, fmt.Errorf("%w: a piece is longer than what is left", ErrDamaged)
		}
		pieces = append(pieces, data[:n:n])
		data = data[n:]
	}
	if len(data) > 0 {
		return nil, fmt.Errorf("%w: %d bytes follow it", ErrDamaged, len(data))
	}
	return pieces, nil
}
