package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"google.golang.org/protobuf/encoding/protowire"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// ErrTorn is wrapped by the errors about a file that ends within an entry, because its writer was stopped or has not
// written the rest yet. What is before it is whole and was read.
var ErrTorn = errors.New("trace: the file is torn")

// Tail decodes the records of a file that still grows, piece by piece. The zero value is at the beginning of a file.
type Tail struct {
	begun   bool
	pending []byte
	records int
	err     error
	entries entries
}

// Feed takes the next bytes of the file, cut anywhere, and returns the records that are whole by now. After an error, which
// is an ErrFormat, it returns the same again.
func (t *Tail) Feed(b []byte) (records []*tracepb.Record, err error) {
	if t.err != nil {
		return nil, t.err
	}
	t.pending = append(t.pending, b...)
	if !t.begun {
		n := min(len(t.pending), len(Magic))
		if t.err = checkFileMagic(t.pending[:n]); t.err != nil || n < len(Magic) {
			return nil, t.err
		}
		t.begun, t.pending = true, t.pending[n:]
	}
	for {
		in := bytes.NewReader(t.pending)
		rec, err := t.entries.next(in)
		if isTorn(err) {
			// Not kept within the array of what was read: a run may be long.
			t.pending = bytes.Clone(t.pending)
			return records, nil
		}
		if err != nil {
			t.err = fmt.Errorf("trace: record %d: %w", t.records+1, err)
			return records, t.err
		}
		t.pending = t.pending[len(t.pending)-in.Len():]
		if rec != nil {
			t.records++
			records = append(records, rec)
		}
	}
}

// Torn is nil when what was fed so far ends with a whole record, else an ErrTorn that says where.
func (t *Tail) Torn() error {
	if len(t.pending) == 0 || t.err != nil {
		return nil
	}
	return torn(len(t.pending), t.records)
}

// torn is the ErrTorn of a file whose last bytes are no whole record.
func torn(bytes, whole int) error {
	return fmt.Errorf("%w: it ends with %d bytes of an unfinished record; the %d before it are whole", ErrTorn, bytes, whole)
}

// recordReader is what records are read from.
type recordReader interface {
	io.Reader
	io.ByteReader
}

// Torn is nil when a record file ends with a whole record, else an ErrTorn that says where. It looks at the lengths only.
func Torn(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	rest := b[min(len(b), len(Magic)):]
	for n := 0; len(rest) > 0; n++ {
		entry, size := protowire.ConsumeBytes(rest)
		if size < 0 {
			return fmt.Errorf("%s: %w", path, torn(len(rest), n))
		}
		if rest = rest[size:]; len(entry) > 0 && entry[0] == markName {
			n-- // no record
		}
	}
	return nil
}
