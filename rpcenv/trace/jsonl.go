package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/coherer/coherer/rpcenv/trace/record"
)

// ErrJSONL is the error of ReadJSONL, wrapped, for text that WriteJSONL of this version did not write.
var ErrJSONL = errors.New("trace: not in the form " + Format)

// maxLine bounds a line of JSONL on reading: a record's body may grow sixfold when it is escaped.
const maxLine = 8 * record.MaxRecord

// WriteJSONL writes t in the form coherer-trace/1: a line about the trace, then a line per entry, the fields in one
// fixed order, those without a value left out. The same trace gives the same bytes.
func (t *Trace) WriteJSONL(w io.Writer) error { return t.writeJSONL(w, t.appendHeader(nil)) }

// WriteEntries is WriteJSONL without the line about the trace: it goes on with what another call has begun.
func (t *Trace) WriteEntries(w io.Writer) error { return t.writeJSONL(w, nil) }

func (t *Trace) writeJSONL(w io.Writer, line []byte) error {
	out := bufio.NewWriterSize(w, 64<<10)
	if line != nil {
		_, _ = out.Write(append(line, '\n')) // Flush returns the first error
	}
	for i := range t.Entries {
		line = t.Entries[i].AppendJSON(line[:0])
		_, _ = out.Write(append(line, '\n'))
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("trace: write JSONL: %w", err)
	}
	return nil
}

func (t *Trace) appendHeader(dst []byte) []byte {
	dst = append(dst, `{"format":"`+Format+`","source":`...)
	dst = append(appendString(dst, t.Source), `,"compat":`...)
	dst = append(appendString(dst, t.Compat), `,"seed":`...)
	dst = append(strconv.AppendUint(dst, t.Seed, 10), `,"start":`...)
	dst = appendString(dst, t.Start.UTC().Format(time.RFC3339Nano))
	if t.Program != "" {
		dst = appendString(append(dst, `,"program":`...), t.Program)
	}
	if t.Version != "" {
		dst = appendString(append(dst, `,"version":`...), t.Version)
	}
	return append(dst, '}')
}

// AppendJSON writes one line without its end.
func (e *Entry) AppendJSON(dst []byte) []byte {
	text := func(name, value string) {
		if value != "" {
			dst = append(append(append(dst, `,"`...), name...), `":`...)
			dst = appendString(dst, value)
		}
	}
	number := func(name string, value int64) {
		dst = append(append(append(dst, `,"`...), name...), `":`...)
		dst = strconv.AppendInt(dst, value, 10)
	}
	dst = appendString(append(dst, `{"k":`...), e.K)
	text("id", e.ID)
	text("cause", e.Cause)
	text("from", e.From)
	text("to", e.To)
	text("at", e.At)
	text("name", e.Name)
	text("type", e.Type)
	text("message", e.Message)
	text("kind", e.Form)
	if e.Form != "" {
		dst = strconv.AppendUint(append(dst, `,"bytes":`...), e.Bytes, 10)
	}
	if e.K != KindItem || e.Sent != e.Start { // most items start when they come in: readEntry takes a missing sent from start
		number("sent", e.Sent)
	}
	if e.Handled {
		number("recv", e.Recv)
	}
	if e.Handled || e.K == KindItem {
		number("start", e.Start)
		number("end", e.End)
	}
	text("outcome", e.Outcome)
	text("subject", e.Subject)
	text("was", e.Was)
	text("is", e.Is)
	text("address", e.Address)
	text("why", e.Why)
	if e.Cut {
		dst = append(dst, `,"cut":true`...)
	}
	if e.Body != "" {
		dst = append(append(dst, `,"body":`...), e.Body...)
	}
	return append(dst, '}')
}

// ReadJSONLFile reads a trace.jsonl; see ReadJSONL.
func ReadJSONLFile(path string) (t *Trace, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if t, err = ReadJSONL(f); err != nil {
		return t, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// ReadJSONL reads what WriteJSONL wrote. Fields that it does not know are ignored, so that traces of later versions can
// be shown. Lines in another order, as a [Follower] returns late entries, are put into that of a [Trace]. Another format, a
// line that is no entry and one beyond 8 MiB are ErrJSONL; the line is named. When only the last line is broken and has no
// end, its writer was stopped: the trace before it is returned with an ErrTorn.
func ReadJSONL(r io.Reader) (*Trace, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	var t *Trace
	for n := 1; ; n++ {
		line, whole, err := readLine(in)
		switch {
		case errors.Is(err, bufio.ErrTooLong):
			return nil, fmt.Errorf("%w: line %d is longer than %d bytes", ErrJSONL, n, maxLine)
		case err != nil:
			return nil, fmt.Errorf("trace: read JSONL: %w", err)
		case len(line) == 0 && !whole && t == nil:
			return nil, fmt.Errorf("%w: it is empty", ErrJSONL)
		case len(line) == 0 && !whole:
			t.Entries = inOrder(t.Entries)
			return t, nil
		case t == nil:
			t, err = readHeader(line)
		case len(bytes.TrimSpace(line)) > 0:
			err = t.readEntry(line)
		}
		switch {
		case err != nil && !whole && t != nil: // a header without an end is worth nothing: that is the next case
			t.Entries = inOrder(t.Entries)
			return t, fmt.Errorf("%w: line %d has no end; the %d entries before it are whole", record.ErrTorn, n, len(t.Entries))
		case err != nil:
			return nil, fmt.Errorf("%w: line %d: %w", ErrJSONL, n, err)
		}
	}
}

// readLine is the next line without its end; whole says that it had one.
func readLine(in *bufio.Reader) (line []byte, whole bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxLine:
			return nil, false, bufio.ErrTooLong
		case err == nil:
			return bytes.TrimSuffix(line[:len(line)-1], []byte("\r")), true, nil
		case errors.Is(err, io.EOF):
			return line, false, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, false, err
		}
	}
}

type jsonHeader struct {
	Format  string    `json:"format"`
	Source  string    `json:"source"`
	Compat  string    `json:"compat"`
	Seed    uint64    `json:"seed"`
	Start   time.Time `json:"start"`
	Program string    `json:"program"`
	Version string    `json:"version"`
}

func readHeader(line []byte) (*Trace, error) {
	var h jsonHeader
	if err := json.Unmarshal(line, &h); err != nil {
		return nil, err
	}
	if h.Format != Format {
		return nil, fmt.Errorf("the format is %q, this program reads %q: use the coherer that wrote it", h.Format, Format)
	}
	return &Trace{Source: h.Source, Compat: h.Compat, Seed: h.Seed, Start: h.Start, Program: h.Program, Version: h.Version}, nil
}

type jsonEntry struct {
	K       string          `json:"k"`
	ID      string          `json:"id"`
	Cause   string          `json:"cause"`
	From    string          `json:"from"`
	To      string          `json:"to"`
	At      string          `json:"at"`
	Name    string          `json:"name"`
	Type    string          `json:"type"`
	Message string          `json:"message"`
	Kind    string          `json:"kind"`
	Bytes   uint64          `json:"bytes"`
	Sent    *int64          `json:"sent"`
	Recv    *int64          `json:"recv"`
	Start   int64           `json:"start"`
	End     int64           `json:"end"`
	Outcome string          `json:"outcome"`
	Subject string          `json:"subject"`
	Was     string          `json:"was"`
	Is      string          `json:"is"`
	Address string          `json:"address"`
	Why     string          `json:"why"`
	Cut     bool            `json:"cut"`
	Body    json.RawMessage `json:"body"`
}

func (t *Trace) readEntry(line []byte) error {
	var j jsonEntry
	if err := json.Unmarshal(line, &j); err != nil {
		return err
	}
	if j.K == "" {
		return errors.New("it has no k, which says what the entry is")
	}
	e := Entry{
		K: j.K, ID: j.ID, Cause: j.Cause, From: j.From, To: j.To, At: j.At, Name: j.Name, Type: j.Type, Message: j.Message,
		Form: j.Kind, Bytes: j.Bytes, Sent: j.Start, Handled: j.Recv != nil, Start: j.Start, End: j.End, Outcome: j.Outcome,
		Subject: j.Subject, Was: j.Was, Is: j.Is, Address: j.Address, Why: j.Why, Cut: j.Cut,
	}
	if j.Sent != nil {
		e.Sent = *j.Sent
	}
	if j.Recv != nil {
		e.Recv = *j.Recv
	}
	if len(j.Body) > 0 && j.Body[0] == '{' {
		e.Body = string(slices.Clone(j.Body))
	}
	t.Entries = append(t.Entries, e)
	return nil
}
