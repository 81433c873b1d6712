package show

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/coherer/coherer/rpcenv/oneline"
	"github.com/coherer/coherer/rpcenv/trace"
)

// Difference is the first place where two traces are not the same.
type Difference struct {
	// Line is its line in the JSONL of both, from 1; line 1 is the header.
	Line int
	// A and B are the entries there; nil where the trace has ended.
	A, B *trace.Entry
	// Fields are the JSON names of the fields that differ, in order of the alphabet.
	Fields []Field
}

// Field is a field that has two values, as JSON; empty where it is missing.
type Field struct{ Name, A, B string }

// FirstDifference compares the entries of two traces by their JSONL. It is nil when all are the same.
func FirstDifference(a, b *trace.Trace) *Difference {
	var one, two []byte
	for i := range max(len(a.Entries), len(b.Entries)) {
		d := &Difference{Line: i + 2} // the header is line 1
		if i < len(a.Entries) {
			d.A = &a.Entries[i]
		}
		if i < len(b.Entries) {
			d.B = &b.Entries[i]
		}
		if d.A == nil || d.B == nil {
			return d
		}
		one, two = d.A.AppendJSON(one[:0]), d.B.AppendJSON(two[:0])
		if !bytes.Equal(one, two) {
			d.Fields = differing(one, two)
			return d
		}
	}
	return nil
}

func differing(one, two []byte) []Field {
	var a, b map[string]json.RawMessage
	if json.Unmarshal(one, &a) != nil || json.Unmarshal(two, &b) != nil {
		return nil // a body that is no JSON: the lines are shown
	}
	all := maps.Clone(a)
	maps.Copy(all, b)
	var fields []Field
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !bytes.Equal(a[name], b[name]) {
			fields = append(fields, Field{name, string(a[name]), string(b[name])})
		}
	}
	return fields
}

// String says what differs, where and on which line.
func (d *Difference) String() string {
	var text strings.Builder
	switch {
	case d.A == nil:
		fmt.Fprintf(&text, "line %d: A has ended, B goes on", d.Line)
	case d.B == nil:
		fmt.Fprintf(&text, "line %d: B has ended, A goes on", d.Line)
	default:
		fmt.Fprintf(&text, "line %d: ", d.Line)
		for i, f := range d.Fields {
			if i > 0 {
				text.WriteString(", ")
			}
			text.WriteString(f.Name)
		}
		text.WriteString(" differ")
		if len(d.Fields) == 1 {
			text.WriteString("s")
		}
	}
	for _, side := range []struct {
		name string
		*trace.Entry
	}{{"A", d.A}, {"B", d.B}} {
		if side.Entry != nil {
			fmt.Fprintf(&text, "\n  %s  %.4f  %s  %s", side.name, time.Duration(side.Sent).Seconds(), oneline.Text(side.ID), Line(side.Entry))
		}
	}
	for _, f := range d.Fields {
		a, b := around(f.A, f.B)
		fmt.Fprintf(&text, "\n  %s: %s in A, %s in B", f.Name, oneline.Text(a), oneline.Text(b))
	}
	return text.String()
}

// shown is how much of a value is shown on each side of the place where it differs.
const shown = 40

// around cuts two values to what is around their first difference.
func around(a, b string) (string, string) {
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	// Bytes are compared, so a cut may go through a letter: ToValidUTF8 drops its rest.
	cut := func(s string) string {
		from, to := max(same-shown, 0), min(same+shown, len(s))
		switch {
		case s == "":
			return "none"
		case from == 0 && to == len(s):
			return s
		}
		out := strings.ToValidUTF8(s[from:to], "")
		if from > 0 {
			out = "…" + out
		}
		if to < len(s) {
			out += "…"
		}
		return out
	}
	return cut(a), cut(b)
}
