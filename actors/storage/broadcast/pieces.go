package broadcast

import (
	"errors"
	"fmt"
	"hash/adler32"
	"math/rand/v2"
	"slices"

	"github.com/klauspost/compress/s2"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/actors/storage/blocks"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv/conf"
)

// errDamaged says that pieces are not those of the value.
var errDamaged = errors.New("the value is damaged")

// maxSize bounds a value, in bytes: Snappy has no larger ones.
const maxSize = 1<<32 - 1

// Cut makes the pieces of an encoded value, by the settings. The pieces share its memory where they are not compressed. It mirrors
// TorrentBroadcast.blockifyObject.
func Cut(c *conf.Conf, id int64, encoded []byte) (rdd.BroadcastInfo, [][]byte, error) {
	info := rdd.BroadcastInfo{ID: id, Size: int64(len(encoded)), Compressed: broadcastCompress.Get(c)}
	if info.Size > maxSize {
		return info, nil, fmt.Errorf("%d bytes are too many for one broadcast: at most %d; read them from a file instead", info.Size, int64(maxSize))
	}
	if info.Compressed {
		encoded = s2.EncodeSnappy(nil, encoded)
	}
	size := int(broadcastBlockSize.Get(c)) << 10
	pieces := slices.Collect(slices.Chunk(encoded, size))
	if len(pieces) == 0 {
		pieces = [][]byte{{}}
	}
	info.Pieces = int32(len(pieces))
	if broadcastChecksum.Get(c) {
		for _, p := range pieces {
			info.Checksums = append(info.Checksums, adler32.Checksum(p))
		}
	}
	return info, pieces, nil
}

// ToProto is info as it travels.
func ToProto(info rdd.BroadcastInfo) *storage.BroadcastInfo {
	return &storage.BroadcastInfo{Id: info.ID, Size: info.Size, Pieces: info.Pieces, Compressed: info.Compressed, Checksums: info.Checksums}
}

// FromProto is the inverse of ToProto. Its error is for what no Cut can have made: a peer said it, and readers allocate by it.
func FromProto(m *storage.BroadcastInfo) (rdd.BroadcastInfo, error) {
	n := len(m.GetChecksums())
	if m.GetPieces() < 1 || m.GetSize() < 0 || m.GetSize() > maxSize || int64(m.GetPieces()) > max(m.GetSize(), 1) ||
		n > 0 && n != int(m.GetPieces()) {
		return rdd.BroadcastInfo{}, fmt.Errorf("%w: it has %d bytes in %d pieces with %d checksums", errDamaged, m.GetSize(), m.GetPieces(), n)
	}
	return rdd.BroadcastInfo{ID: m.GetId(), Size: m.GetSize(), Pieces: m.GetPieces(), Compressed: m.GetCompressed(), Checksums: m.GetChecksums()}, nil
}

// Random is randomness for the body that fetches pieces. An endpoint makes it of two numbers of its own stream.
func Random(a, b uint64) *rand.Rand { return rand.New(rand.NewPCG(a, b)) }

// Check compares a piece that was fetched with its checksum, if it has one. The error has Spark's words.
func Check(info rdd.BroadcastInfo, piece int, data []byte) error {
	if len(info.Checksums) == 0 {
		return nil
	}
	if sum := adler32.Checksum(data); sum != info.Checksums[piece] {
		return fmt.Errorf("corrupt remote block %s of %s: %d != %d", blocks.PieceID(info.ID, piece), blocks.BroadcastID(info.ID), sum, info.Checksums[piece])
	}
	return nil
}

// Join is the encoded value of all its pieces.
func Join(info rdd.BroadcastInfo, pieces [][]byte) ([]byte, error) {
	encoded := slices.Concat(pieces...)
	if info.Compressed {
		// Before anything is allocated by what the pieces say.
		if n, err := s2.DecodedLen(encoded); err != nil || int64(n) != info.Size {
			return nil, fmt.Errorf("%s: %w: its pieces are of %d bytes, not of %d", blocks.BroadcastID(info.ID), errDamaged, n, info.Size)
		}
		var err error
		if encoded, err = s2.Decode(nil, encoded); err != nil {
			return nil, fmt.Errorf("%s: %w: %w", blocks.BroadcastID(info.ID), errDamaged, err)
		}
	}
	if int64(len(encoded)) != info.Size {
		return nil, fmt.Errorf("%s: %w: it has %d bytes, not %d", blocks.BroadcastID(info.ID), errDamaged, len(encoded), info.Size)
	}
	return encoded, nil
}
