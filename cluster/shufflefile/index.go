package shufflefile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrDamaged says that the files of a map output contradict each other, or what an index has to be.
var ErrDamaged = errors.New("damaged map output")

const (
	offsetSize = 8
	// maxReducers bounds an index that is read: Spark's own bound is that of an array in Java.
	maxReducers = 1 << 27
	// temporary ends the name of an index that is not whole yet.
	temporary = ".tmp"
)

// WriteIndex writes an index of blocks with these sizes, in order of their reducers. The file gets its name only when it is whole. An error
// leaves no file.
func WriteIndex(path string, sizes []int64) error {
	data := make([]byte, 0, offsetSize*(len(sizes)+1))
	offset := int64(0)
	data = binary.BigEndian.AppendUint64(data, 0)
	for _, size := range sizes {
		offset += size
		data = binary.BigEndian.AppendUint64(data, uint64(offset))
	}
	err := os.WriteFile(path+temporary, data, 0o600)
	if err == nil {
		err = os.Rename(path+temporary, path)
	}
	if err == nil {
		return nil
	}
	if left := os.Remove(path + temporary); left != nil && !errors.Is(left, os.ErrNotExist) {
		err = errors.Join(err, left)
	}
	return err
}

// ReadIndex returns the offsets of an index, one more than there are reducers. Its error is ErrDamaged for a file that is no index.
func ReadIndex(path string) (offsets []int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := info.Size()
	if size < 2*offsetSize || size%offsetSize != 0 || size > offsetSize*(maxReducers+1) {
		return nil, fmt.Errorf("%w: %s has %d bytes, which no index has", ErrDamaged, path, size)
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDamaged, path, err)
	}
	offsets = make([]int64, size/offsetSize)
	for i := range offsets {
		offsets[i] = int64(binary.BigEndian.Uint64(data[i*offsetSize:]))
	}
	if offsets[0] != 0 {
		return nil, fmt.Errorf("%w: %s begins with %d, not with 0", ErrDamaged, path, offsets[0])
	}
	for i := 1; i < len(offsets); i++ {
		if offsets[i] < offsets[i-1] {
			return nil, fmt.Errorf("%w: %s: offset %d (%d) is below the one before (%d)", ErrDamaged, path, i, offsets[i], offsets[i-1])
		}
	}
	return offsets, nil
}
