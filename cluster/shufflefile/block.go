package shufflefile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
)

// Span is where a block lies.
type Span struct {
	// Path is of the data file.
	Path string
	// Offset and Size are in bytes.
	Offset, Size int64
}

// Block finds the block of a reducer among an executor's directories. It reads two offsets, not the whole index. Its error is
// os.ErrNotExist without such an output, and ErrDamaged when the files contradict each other.
func Block(dirs []string, o Output, reduce int) (Span, error) {
	index, data := o.Index(dirs), o.Data(dirs)
	from, to, err := offsets(index, reduce)
	if err != nil {
		return Span{}, err
	}
	info, err := os.Stat(data)
	if err != nil {
		return Span{}, err
	}
	if from < 0 || to < from || to > info.Size() {
		return Span{}, fmt.Errorf("%w: the block of reducer %d lies at [%d, %d) by %s, but %s has %d bytes",
			ErrDamaged, reduce, from, to, index, data, info.Size())
	}
	return Span{data, from, to - from}, nil
}

// offsets are where the block of a reducer begins and ends.
func offsets(index string, reduce int) (from, to int64, err error) {
	f, err := os.Open(index)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if reduce < 0 || reduce >= maxReducers {
		return 0, 0, fmt.Errorf("%w: %s has no reducer %d", ErrDamaged, index, reduce)
	}
	var pair [2 * offsetSize]byte
	if _, err := f.ReadAt(pair[:], int64(reduce)*offsetSize); err != nil {
		return 0, 0, fmt.Errorf("%w: %s has no reducer %d: %w", ErrDamaged, index, reduce, err)
	}
	return int64(binary.BigEndian.Uint64(pair[:])), int64(binary.BigEndian.Uint64(pair[offsetSize:])), nil
}
