package recovery

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/coherer/coherer/actors/records"
)

// A file is the magic, a checksum of what follows, and changes: length and bytes of the key, length and bytes of the
// value. A length of removed means that the change removes the key.
const (
	magic   = "CHRECOV1"
	removed = math.MaxUint32
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encode is a file's content.
func encode(changes ...records.Change) []byte {
	body := []byte{}
	for _, c := range changes {
		body = binary.BigEndian.AppendUint32(body, uint32(len(c.Key)))
		body = append(body, c.Key...)
		if c.Value == nil {
			body = binary.BigEndian.AppendUint32(body, removed)
			continue
		}
		body = binary.BigEndian.AppendUint32(body, uint32(len(c.Value)))
		body = append(body, c.Value...)
	}
	out := binary.BigEndian.AppendUint32([]byte(magic), crc32.Checksum(body, castagnoli))
	return append(out, body...)
}

// decode reads a file's content. Whatever is in it, it allocates no more than its size.
func decode(data []byte) ([]records.Change, error) {
	if len(data) < len(magic)+4 {
		return nil, fmt.Errorf("it is torn: %d bytes", len(data))
	}
	if string(data[:len(magic)]) != magic {
		return nil, errors.New("it is no record: Coherer did not write it")
	}
	sum, body := binary.BigEndian.Uint32(data[len(magic):]), data[len(magic)+4:]
	if got := crc32.Checksum(body, castagnoli); got != sum {
		return nil, fmt.Errorf("it is torn or was changed: its checksum is %08x instead of %08x", got, sum)
	}
	// The checksum is right, and still each length is checked: any program can compute a CRC.
	var changes []records.Change
	for len(body) > 0 {
		key, rest, ok := take(body)
		if !ok {
			return nil, errors.New("a key is longer than the file")
		}
		c := records.Change{Key: string(key)}
		if len(rest) >= 4 && binary.BigEndian.Uint32(rest) == removed {
			body = rest[4:]
		} else if c.Value, body, ok = take(rest); !ok {
			return nil, fmt.Errorf("the value of %s is longer than the file", c.Key)
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// take is a length, as many bytes, and the rest.
func take(in []byte) (out, rest []byte, ok bool) {
	if len(in) < 4 {
		return nil, nil, false
	}
	n := uint64(binary.BigEndian.Uint32(in))
	if n > uint64(len(in)-4) {
		return nil, nil, false
	}
	return in[4 : 4+n : 4+n], in[4+n:], true
}
