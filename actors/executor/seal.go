package executor

import (
	"encoding/binary"
	"errors"
	"hash"
	"hash/adler32"
	"hash/crc32"

	"github.com/coherer/coherer/rpcenv/conf"
)

// newSum makes the checksum of shuffle blocks that the settings want; nil for none. Driver and executors have the same settings.
func newSum(c *conf.Conf) func() hash.Hash32 {
	if !shuffleChecksum.Get(c) {
		return nil
	}
	switch shuffleChecksumAlgorithm.Get(c) {
	case "CRC32":
		return crc32.NewIEEE
	case "CRC32C":
		return func() hash.Hash32 { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) }
	}
	return adler32.New
}

// sealed is a MapOutput each of whose blocks ends with its checksum. Spark keeps the checksums in a file beside the blocks.
type sealed struct {
	MapOutput
	sum   hash.Hash32
	begun bool // something was written since the last checksum
}

// seal makes a MapOutput sealed, if the settings want that.
func seal(out MapOutput, sum func() hash.Hash32) MapOutput {
	if sum == nil {
		return out
	}
	return &sealed{MapOutput: out, sum: sum()}
}

// Partition implements [MapOutput].
func (s *sealed) Partition(reduce int) error {
	if err := s.end(); err != nil {
		return err
	}
	return s.MapOutput.Partition(reduce)
}

// Write implements [MapOutput].
func (s *sealed) Write(p []byte) (int, error) {
	n, err := s.MapOutput.Write(p)
	_, _ = s.sum.Write(p[:n]) // a hash takes all
	s.begun = s.begun || n > 0
	return n, err
}

// Commit implements [MapOutput].
func (s *sealed) Commit() ([]int64, error) {
	if err := s.end(); err != nil {
		return nil, errors.Join(err, s.Abort())
	}
	return s.MapOutput.Commit()
}

// end ends the block that is being written.
func (s *sealed) end() error {
	if !s.begun {
		return nil
	}
	_, err := s.MapOutput.Write(binary.BigEndian.AppendUint32(nil, s.sum.Sum32()))
	s.begun = false
	s.sum.Reset()
	return err
}
