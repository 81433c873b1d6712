package bulk

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/coherer/coherer/rpcenv/transport/wire"
)

const (
	// requestLimit bounds the frames of bulk connections that are held in memory: requests, and answers without content.
	requestLimit = 16 << 20
	// chunkHeader is a ChunkFetchSuccess before its body: type, stream, index.
	chunkHeader = 1 + 8 + 4
	// maxChunk is the biggest chunk that a frame can hold.
	maxChunk = wire.MaxFrame - chunkHeader
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

func encodeOpenBlocks(of Owner, ids []string) []byte {
	dst := append([]byte(bulkMagic), tagOpenBlocks)
	dst = wire.AppendText(dst, of.App)
	dst = wire.AppendText(dst, of.Executor)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(ids)))
	for _, id := range ids {
		dst = wire.AppendText(dst, id)
	}
	return dst
}

func decodeOpenBlocks(body []byte) (Owner, []string, error) {
	s := wire.Scanner{Left: body}
	magic(&s, tagOpenBlocks, "request for blocks")
	of := Owner{App: s.Text("application"), Executor: s.Text("executor")}
	n := s.Int32("number of blocks")
	// Each id has a length field at least. Checked before ids is allocated: four bytes of a peer must not cost gigabytes.
	if n < 0 || n > len(s.Left)/4 {
		s.Fail(fmt.Sprintf("%d blocks in %d bytes", n, len(s.Left)))
		n = 0
	}
	ids := make([]string, n)
	for i := range ids {
		ids[i] = s.Text("block id")
	}
	return of, ids, s.End()
}

func encodeStreamHandle(stream int64, chunks int) []byte {
	dst := append([]byte(bulkMagic), tagStreamHandle)
	dst = binary.BigEndian.AppendUint64(dst, uint64(stream))
	return binary.BigEndian.AppendUint32(dst, uint32(chunks))
}

func decodeStreamHandle(body []byte) (stream int64, chunks int, err error) {
	s := wire.Scanner{Left: body}
	magic(&s, tagStreamHandle, "stream handle")
	stream, chunks = s.Int64("stream"), s.Int32("number of chunks")
	return stream, chunks, s.End()
}

func magic(s *wire.Scanner, tag byte, what string) {
	if string(s.Take(len(bulkMagic), what)) != bulkMagic || s.Byte(what) != tag {
		s.Fail("not a " + what)
	}
}

func appendRPC(dst []byte, typ byte, id int64, body []byte) []byte {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0, 0, 0, 0, 0, typ)
	dst = binary.BigEndian.AppendUint64(dst, uint64(id))
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(body)))
	return wire.FinishFrame(append(dst, body...), start)
}

func appendChunkRequest(dst []byte, stream int64, index int) []byte {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0, 0, 0, 0, 0, wire.ChunkFetchRequest)
	dst = binary.BigEndian.AppendUint64(dst, uint64(stream))
	return wire.FinishFrame(binary.BigEndian.AppendUint32(dst, uint32(index)), start)
}

// appendChunkHead is a ChunkFetchSuccess without its size bytes of body.
func appendChunkHead(dst []byte, stream int64, index int, size int64) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(wire.LengthSize+chunkHeader+size))
	dst = append(dst, wire.ChunkFetchSuccess)
	dst = binary.BigEndian.AppendUint64(dst, uint64(stream))
	return binary.BigEndian.AppendUint32(dst, uint32(index))
}

func appendChunkFailure(dst []byte, stream int64, index int, reason string) []byte {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0, 0, 0, 0, 0, wire.ChunkFetchFailure)
	dst = binary.BigEndian.AppendUint64(dst, uint64(stream))
	dst = binary.BigEndian.AppendUint32(dst, uint32(index))
	return wire.FinishFrame(wire.AppendText(dst, reason), start)
}

// appendStream appends a StreamRequest, or with more a StreamFailure (its reason) or a StreamResponse (the file's size).
func appendStream(dst []byte, typ byte, path string, more []byte) []byte {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0, 0, 0, 0, 0, typ)
	return wire.FinishFrame(append(wire.AppendText(dst, path), more...), start)
}

// clip bounds the text of a failure.
func clip(text string) string { return text[:min(len(text), math.MaxUint16)] }
