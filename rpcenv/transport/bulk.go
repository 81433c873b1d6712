package transport

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
)

// BulkServer is the source of the blocks that ServeBulk serves.
type BulkServer interface {
	// OpenBlocks returns one Chunk for each block, in that order. It may be called from several goroutines. An error
	// fails the whole request; for a single block that is missing, let that Chunk's Open fail.
	OpenBlocks(ids []string) ([]Chunk, error)
}

// Chunk is the content of a block: Size bytes of what Open returns. Open is called once for each time that the chunk is
// fetched, and what it returned is closed. The bytes of an *os.File go to the peer without passing through this process.
type Chunk struct {
	Size int64
	Open func() (io.ReadCloser, error)
}

// BytesChunk is a Chunk of b, which must not change any more.
func BytesChunk(b []byte) Chunk {
	return Chunk{Size: int64(len(b)), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(b)), nil
	}}
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

// openFile opens the file of a StreamRequest, such as /jars/x.jar, and returns its size. path is as the peer sent it.
type openFile func(path string) (r io.ReadCloser, size int64, err error)

const (
	// requestLimit bounds the frames of bulk connections that are held in memory: requests, and answers without content.
	requestLimit = 16 << 20
	// chunkHeader is a ChunkFetchSuccess before its body: type, stream, index.
	chunkHeader = 1 + 8 + 4
	// maxChunk is the biggest chunk that a frame can hold.
	maxChunk = hardLimit - chunkHeader
	// fetchWindow is how many chunks a client asks for ahead.
	fetchWindow = 16
)

// The bodies of the RpcRequest that opens blocks and of its answer: "CH", and then Spark's BlockTransferMessage
// OpenBlocks (0) and StreamHandle (3) byte by byte.
const (
	bulkMagic       = "CH"
	tagOpenBlocks   = 0
	tagStreamHandle = 3
)

func encodeOpenBlocks(ids []string) []byte {
	dst := append([]byte(bulkMagic), tagOpenBlocks)
	dst = appendText(dst, "") // Spark's appId and execId: they choose among several applications of a shuffle service
	dst = appendText(dst, "")
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(ids)))
	for _, id := range ids {
		dst = appendText(dst, id)
	}
	return dst
}

func decodeOpenBlocks(body []byte) ([]string, error) {
	s := scanner{rest: body}
	s.magic(tagOpenBlocks, "request for blocks")
	s.text("application")
	s.text("executor")
	n := s.int32("number of blocks")
	// Each id has a length field at least. Checked before ids is allocated: four bytes of a peer must not cost gigabytes.
	if n < 0 || n > len(s.rest)/4 {
		s.fail(fmt.Sprintf("%d blocks in %d bytes", n, len(s.rest)))
		n = 0
	}
	ids := make([]string, n)
	for i := range ids {
		ids[i] = s.text("block id")
	}
	return ids, s.end()
}

func encodeStreamHandle(stream int64, chunks int) []byte {
	dst := append([]byte(bulkMagic), tagStreamHandle)
	dst = binary.BigEndian.AppendUint64(dst, uint64(stream))
	return binary.BigEndian.AppendUint32(dst, uint32(chunks))
}

func decodeStreamHandle(body []byte) (stream int64, chunks int, err error) {
	s := scanner{rest: body}
	s.magic(tagStreamHandle, "stream handle")
	stream, chunks = s.int64("stream"), s.int32("number of chunks")
	return stream, chunks, s.end()
}

func (s *scanner) magic(tag byte, what string) {
	if string(s.take(len(bulkMagic), what)) != bulkMagic || s.byte(what) != tag {
		s.fail("not a " + what)
	}
}

func appendRPC(dst []byte, typ byte, id int64, body []byte) []byte {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0, 0, 0, 0, 0, typ)
	dst = binary.BigEndian.AppendUint64(dst, uint64(id))
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(body)))
	return finishFrame(append(dst, body...), start)
}

func appendChunkRequest(dst []byte, stream int64, index int) []byte {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0, 0, 0, 0, 0, typeChunkFetchRequest)
	dst = binary.BigEndian.AppendUint64(dst, uint64(stream))
	return finishFrame(binary.BigEndian.AppendUint32(dst, uint32(index)), start)
}

// appendChunkHead is a ChunkFetchSuccess without its size bytes of body.
func appendChunkHead(dst []byte, stream int64, index int, size int64) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(lengthSize+chunkHeader+size))
	dst = append(dst, typeChunkFetchSuccess)
	dst = binary.BigEndian.AppendUint64(dst, uint64(stream))
	return binary.BigEndian.AppendUint32(dst, uint32(index))
}

func appendChunkFailure(dst []byte, stream int64, index int, reason string) []byte {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0, 0, 0, 0, 0, typeChunkFetchFailure)
	dst = binary.BigEndian.AppendUint64(dst, uint64(stream))
	dst = binary.BigEndian.AppendUint32(dst, uint32(index))
	return finishFrame(appendText(dst, reason), start)
}

// appendStream appends a StreamRequest, or with more a StreamFailure (its reason) or a StreamResponse (the file's size).
func appendStream(dst []byte, typ byte, path string, more []byte) []byte {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0, 0, 0, 0, 0, typ)
	return finishFrame(append(appendText(dst, path), more...), start)
}

// clip bounds the text of a failure.
func clip(text string) string { return text[:min(len(text), math.MaxUint16)] }
