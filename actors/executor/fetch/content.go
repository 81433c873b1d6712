package fetch

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash"
	"io"

	"github.com/coherer/coherer/actors/rdd"
)

// content is a block that has come: in memory, or in a file.
type content struct {
	data []byte
	file io.ReaderAt
	size int64 // without its checksum
	// full is the size with it.
	full  int64
	close func() error
}

// sumSize is the checksum at the end of a block, in bytes.
const sumSize = 4

// reader reads the block without its checksum.
func (c content) reader() io.Reader {
	if c.file != nil {
		return io.NewSectionReader(c.file, 0, c.size)
	}
	return bytes.NewReader(c.data)
}

// Close gives up the file, if there is one. What it held is read, so that its error changes nothing.
func (c content) Close() {
	if c.close != nil {
		_ = c.close()
	}
}

// inMemory is a block whose checksum is right; else the error is ErrDamaged.
func inMemory(block []byte, sum func() hash.Hash32) (content, error) {
	data, err := Unseal(block, sum)
	return content{data: data, size: int64(len(data)), full: int64(len(block))}, err
}

// Unseal is a block without its checksum, which must be right; else the error is ErrDamaged. Without sum blocks have none.
func Unseal(block []byte, sum func() hash.Hash32) ([]byte, error) {
	if sum == nil {
		return block, nil
	}
	end := len(block) - sumSize
	if end < 0 {
		return nil, damage{size: int64(len(block))}
	}
	h := sum()
	_, _ = h.Write(block[:end]) // a hash takes all
	if got, want := h.Sum32(), binary.BigEndian.Uint32(block[end:]); got != want {
		return nil, damage{int64(len(block)), got, want}
	}
	return block[:end], nil
}

// inFile is the block of a file, which it reads once for the checksum. After an error the file is closed.
func inFile(f rdd.File, sum func() hash.Hash32) (content, error) {
	c := content{file: f, size: f.Size(), full: f.Size(), close: f.Close}
	if sum == nil {
		return c, nil
	}
	c.size -= sumSize
	if c.size < 0 {
		c.Close()
		return content{}, damage{size: c.full}
	}
	h := sum()
	if _, err := io.Copy(h, io.NewSectionReader(f, 0, c.size)); err != nil {
		c.Close()
		return content{}, err
	}
	var end [sumSize]byte
	if _, err := f.ReadAt(end[:], c.size); err != nil {
		c.Close()
		return content{}, err
	}
	if got, want := h.Sum32(), binary.BigEndian.Uint32(end[:]); got != want {
		c.Close()
		return content{}, damage{c.full, got, want}
	}
	return c, nil
}

// stored copies a block to a temporary file and checks it there.
func stored(r io.Reader, size int64, files rdd.Spill, sum func() hash.Hash32) (content, error) {
	f, err := files.Create()
	if err != nil {
		return content{}, fmt.Errorf("store it: %w", err)
	}
	n, err := io.Copy(f, io.LimitReader(r, size))
	if err == nil && n < size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		_ = f.Close()
		return content{}, fmt.Errorf("store it, %d of %d bytes: %w", n, size, err)
	}
	return inFile(sized{f, size}, sum)
}

// sized is a temporary file that is written.
type sized struct {
	rdd.SpillFile
	size int64
}

func (s sized) Size() int64 { return s.size }
