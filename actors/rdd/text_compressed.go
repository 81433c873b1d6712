package rdd

import (
	"bufio"
	"compress/bzip2"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"path"

	"github.com/klauspost/compress/zstd"
)

// decompress are the readers of compressed files by the ends of their names, as Spark finds them (CompressionCodecFactory). nil is an end
// whose files TextFile refuses: their bytes would be taken for lines.
var decompress = map[string]func(io.Reader) (io.Reader, error){
	".gz":      func(in io.Reader) (io.Reader, error) { return gzip.NewReader(in) },
	".bz2":     func(in io.Reader) (io.Reader, error) { return bzip2.NewReader(in), nil },
	".deflate": func(in io.Reader) (io.Reader, error) { return zlib.NewReader(in) },
	".zst": func(in io.Reader) (io.Reader, error) {
		// One reads in the calling goroutine; a frame that wants more memory for its window than zstd's own program gives is refused.
		return zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
	},
	".lz4":    nil,
	".snappy": nil,
}

// longestLine is the length in bytes of the longest line of a compressed file: a damaged or hostile one can grow a thousandfold.
// Hadoop's limit is the same.
const longestLine = 1<<31 - 1

// readable reports an error for a file whose compression TextFile does not know.
func readable(name string) error {
	if of, known := decompress[path.Ext(name)]; known && of == nil {
		return fmt.Errorf("%w: %s is compressed, and TextFile reads .gz, .bz2, .deflate and .zst alone: compress it so, or decompress it", ErrBadJob, name)
	}
	return nil
}

// isCompressed reports a file that cannot be read from its middle.
func isCompressed(name string) bool { return decompress[path.Ext(name)] != nil }

// compressedReader gives the lines of a compressed file.
type compressedReader struct {
	name string
	in   *bufio.Reader
	line []byte
	// longest is longestLine, but for tests.
	longest int
}

// newCompressedReader begins to read a compressed file. onRead hears how many compressed bytes were read.
func newCompressedReader(f io.ReaderAt, split textSplit, onRead func(n int)) (*compressedReader, error) {
	file := bufio.NewReaderSize(&watchedReader{io.NewSectionReader(f, 0, split.size), onRead}, readChunk)
	in, err := decompress[path.Ext(split.path)](file)
	if err != nil {
		return nil, cannotDecompress(err)
	}
	return &compressedReader{name: split.path, in: bufio.NewReaderSize(in, readChunk), longest: longestLine}, nil
}

// next is the next line; ok is false behind the last one.
func (c *compressedReader) next() (line string, ok bool, err error) {
	c.line = c.line[:0]
	for {
		piece, err := c.in.ReadSlice('\n')
		c.line = append(c.line, piece...)
		switch {
		case err == nil:
			return string(trimCR(c.line[:len(c.line)-1])), true, nil
		case err == io.EOF: // the last line of the file may lack its end
			return string(c.line), len(c.line) > 0, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", false, cannotDecompress(err)
		case len(c.line) > c.longest:
			return "", false, fmt.Errorf("a line has more than %d bytes", c.longest)
		}
	}
}

func cannotDecompress(err error) error {
	if errors.Is(err, io.EOF) { // an end within the file's header
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("what it has compressed cannot be read: %w", err)
}

// watchedReader reports how much is read.
type watchedReader struct {
	io.Reader
	onRead func(n int)
}

func (w *watchedReader) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	w.onRead(n)
	return n, err
}
