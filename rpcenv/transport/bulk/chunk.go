package bulk

import (
	"bytes"
	"io"
	"os"
)

// Source has the blocks that Serve serves.
type Source interface {
	// OpenBlocks returns one Chunk for each block, in that order. It may be called from several goroutines. An error
	// fails the whole request; for a single block that is missing, let that Chunk's Open fail.
	OpenBlocks(ids []string) ([]Chunk, error)
}

// Owner names whose blocks a request means, as Spark's OpenBlocks does. An empty Executor means all of the application.
type Owner struct{ App, Executor string }

// OwnedSource is a Source with the blocks of several applications, such as a shuffle service: OpenBlocksOf is called in place of OpenBlocks.
type OwnedSource interface {
	Source
	// OpenBlocksOf is OpenBlocks for the blocks of one owner, which is as the peer sent it.
	OpenBlocksOf(of Owner, ids []string) ([]Chunk, error)
}

// Chunk is the content of a block: Size bytes of what Open returns. Open is called once for each time that the chunk is
// fetched, and what it returned is closed. The bytes of an *os.File go to the peer without passing through this process.
type Chunk struct {
	Size int64
	Open func() (io.ReadCloser, error)
}

// BytesChunk is a Chunk of b, which must not change.
func BytesChunk(b []byte) Chunk {
	return Chunk{Size: int64(len(b)), Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil }}
}

// FileChunk is a Chunk of size bytes of a file from offset on. The file is opened when the chunk is fetched.
func FileChunk(path string, offset, size int64) Chunk {
	return Chunk{Size: size, Open: func() (io.ReadCloser, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		if _, err := f.Seek(offset, io.SeekStart); err != nil {
			_ = f.Close()
			return nil, err
		}
		return f, nil
	}}
}
