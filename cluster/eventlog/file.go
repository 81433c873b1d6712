package eventlog

import (
	"bufio"
	"errors"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
)

// file is one file of a log.
type file struct {
	f      *os.File
	count  *counter
	zip    *zstd.Encoder // nil: it is not compressed
	buffer *bufio.Writer
}

// counter counts what reaches the file.
type counter struct {
	to io.Writer
	n  int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.n += int64(n)
	return n, err
}

// newFile makes a file, or empties one.
func newFile(path string, compressed bool, buffer int) (*file, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, fileMode)
	if err != nil {
		return nil, err
	}
	// The mask of the process would take the group's right to write.
	if err := f.Chmod(fileMode); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	out := &file{f: f, count: &counter{to: f}}
	to := io.Writer(out.count)
	if compressed {
		if out.zip, err = zstd.NewWriter(to, zstd.WithEncoderConcurrency(1)); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		to = out.zip
	}
	out.buffer = bufio.NewWriterSize(to, buffer)
	return out, nil
}

// written is how many bytes the file has and is about to get; of what is still to be compressed, the plain size.
func (f *file) written() int64 { return f.count.n + int64(f.buffer.Buffered()) }

func (f *file) write(line []byte) error {
	_, err := f.buffer.Write(line)
	return err
}

// flush hands all to the operating system, compressed so far that a reader has each line.
func (f *file) flush() error {
	err := f.buffer.Flush()
	if err == nil && f.zip != nil {
		err = f.zip.Flush()
	}
	return err
}

func (f *file) close() error {
	err := f.buffer.Flush()
	if f.zip != nil {
		err = errors.Join(err, f.zip.Close())
	}
	return errors.Join(err, f.f.Close())
}
