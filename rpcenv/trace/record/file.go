package record

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// Magic is how a record file begins; its last letter counts the versions of the format (entry.go). Read reads version 1 too.
const Magic = "CHTRACE2"

// oldMagic is that of version 1, whose entries are all protobuf.
const oldMagic = "CHTRACE1"

// MaxRecord is the most bytes that the encoding of one record may have.
const MaxRecord = 1 << 20

// ErrFormat is what Read returns, wrapped, for a file that no Recorder wrote or that was damaged afterwards.
var ErrFormat = errors.New("trace: not a record file")

// ErrVersion is the ErrFormat of a file that another version of this program wrote.
var ErrVersion = fmt.Errorf("%w of this version", ErrFormat)

// AppendRecord appends r to dst as a record file of any version may have it: the length as a varint, then the protobuf encoding. A
// record that has no valid encoding or is larger than MaxRecord is appended without its body.
func AppendRecord(dst []byte, r *tracepb.Record) []byte {
	if body := marshalRecord(r); body != nil {
		return protowire.AppendBytes(dst, body)
	}
	// Without its body it is small enough. A clone, since the caller still uses r.
	bare, ok := proto.Clone(r).(*tracepb.Record)
	if !ok {
		return dst
	}
	bare.Body = nil
	if body := marshalRecord(bare); body != nil {
		return protowire.AppendBytes(dst, body)
	}
	return dst
}

func marshalRecord(r *tracepb.Record) []byte {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(r)
	if err != nil || len(b) > MaxRecord {
		return nil
	}
	if b == nil {
		b = []byte{} // an empty record is one too; nil means that r has no encoding
	}
	return b
}

// ReadFile reads a record file; see Read.
func ReadFile(path string) (records []*tracepb.Record, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if records, err = Read(f); err != nil {
		return records, fmt.Errorf("%s: %w", path, err)
	}
	return records, nil
}

// Read reads the records that a Recorder wrote. The writer may have been killed at any moment: a file that ends within
// the magic or within a record is good, and what is whole before that is returned. Another beginning, a record beyond
// MaxRecord and one that cannot be decoded are ErrFormat, another version is ErrVersion; the records before it are returned
// with the error.
func Read(r io.Reader) ([]*tracepb.Record, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	magic := make([]byte, len(Magic))
	n, err := io.ReadFull(in, magic)
	// Before err: a short file of another kind is ErrFormat, not a torn record file.
	if err := checkFileMagic(magic[:n]); err != nil {
		return nil, err
	}
	switch {
	case isTorn(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("trace: read: %w", err)
	}
	return new(entries).all(in)
}

// checkFileMagic is checkMagic for a record file of a version that Read reads.
func checkFileMagic(got []byte) error {
	if string(got) == oldMagic {
		return nil
	}
	return checkMagic(got, Magic)
}

// all reads what stands behind the magic.
func (e *entries) all(in *bufio.Reader) ([]*tracepb.Record, error) {
	var records []*tracepb.Record
	for {
		rec, err := e.next(in)
		switch {
		case isTorn(err):
			return records, nil
		case err != nil:
			return records, fmt.Errorf("trace: record %d: %w", len(records)+1, err)
		case rec != nil:
			records = append(records, rec)
		}
	}
}

func isTorn(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }
