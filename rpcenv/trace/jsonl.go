package trace

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"time"
)

// maxLine bounds a line of JSONL on reading: a record's body may grow sixfold when it is escaped.
const maxLine = 8 * MaxRecord

// WriteJSONL writes t in the form coherer-trace/1: a line about the trace, then a line per entry, the fields in one
// fixed order, those without a value left out. The same trace gives the same bytes.
func (t *Trace) WriteJSONL(w io.Writer) error {
	out := bufio.NewWriterSize(w, 64<<10)
	line := t.appendHeader(nil)
	for i := range t.Entries {
		if _, err := out.Write(append(line, '\n')); err != nil {
			return fmt.Errorf("trace: write JSONL: %w", err)
		}
		line = t.Entries[i].appendJSON(line[:0])
	}
	if _, err := out.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("trace: write JSONL: %w", err)
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
	return append(appendString(dst, t.Start.UTC().Format(time.RFC3339Nano)), '}')
}

// appendJSON writes one line without its end.
func (e *Entry) appendJSON(dst []byte) []byte {
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
	if e.K != KindItem {
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
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// ReadJSONL reads what WriteJSONL wrote. Fields that it does not know are ignored, so that traces of later versions can
// be shown. Another format, a line that is no JSON object and one beyond 8 MiB are ErrFormat; the line is named.
func ReadJSONL(r io.Reader) (*Trace, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	var t *Trace
	n := 0
	for lines.Scan() {
		n++
		var err error
		switch {
		case t == nil:
			t, err = readHeader(lines.Bytes())
		case len(lines.Bytes()) > 0:
			err = t.readEntry(lines.Bytes())
		}
		if err != nil {
			return nil, fmt.Errorf("%w: line %d: %w", ErrFormat, n, err)
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("%w: line %d is longer than %d bytes", ErrFormat, n+1, maxLine)
	case err != nil:
		return nil, fmt.Errorf("trace: read JSONL: %w", err)
	case t == nil:
		return nil, fmt.Errorf("%w: it is empty", ErrFormat)
	}
	return t, nil
}

type jsonHeader struct {
	Format string    `json:"format"`
	Source string    `json:"source"`
	Compat string    `json:"compat"`
	Seed   uint64    `json:"seed"`
	Start  time.Time `json:"start"`
}

func readHeader(line []byte) (*Trace, error) {
	var h jsonHeader
	if err := json.Unmarshal(line, &h); err != nil {
		return nil, err
	}
	if h.Format != Format {
		return nil, fmt.Errorf("the format is %q, want %q", h.Format, Format)
	}
	return &Trace{Source: h.Source, Compat: h.Compat, Seed: h.Seed, Start: h.Start}, nil
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
