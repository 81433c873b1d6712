package trace

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// However a file comes, the tail has the records of Read.
func TestTailAsTheFileGrows(t *testing.T) {
	var all []*tracepb.Record
	for _, file := range sparkRun(t, 1, 1) {
		all = append(all, file...)
	}
	whole := recordFile(all...)
	rapid.Check(t, func(t *rapid.T) {
		var tail Tail
		n, rest := 0, whole[:rapid.IntRange(0, len(whole)).Draw(t, "length")]
		want, err := Read(bytes.NewReader(rest))
		if err != nil {
			t.Fatal(err)
		}
		length := len(rest)
		for len(rest) > 0 {
			cut := rapid.IntRange(1, min(len(rest), 300)).Draw(t, "piece")
			records, err := tail.Feed(rest[:cut])
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range records {
				if !bytes.Equal(AppendRecord(nil, r), AppendRecord(nil, want[n])) {
					t.Fatalf("record %d: %v, want %v", n, r, want[n])
				}
				n++
			}
			rest = rest[cut:]
		}
		if n != len(want) {
			t.Fatalf("%d records, want %d", n, len(want))
		}
		torn := length != 0 && length != len(recordFile(want...))
		if err := tail.Torn(); errors.Is(err, ErrTorn) != torn {
			t.Fatalf("torn: %v, want %t", err, torn)
		}
	})
}

func TestTailRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"CHTRACE2\x00":                 `it has version "2", this program reads "1"`,
		"PK\x03\x04 something":         `it begins with "PK\x03\x04 som"`,
		Magic + "\x00\x02\xff\xff":     "record 2: ",
		Magic + "\xff\xff\xff\xff\x7f": "the limit 1048576",
	} {
		var tail Tail
		_, err := tail.Feed([]byte(text))
		_, again := tail.Feed([]byte("more"))
		if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), want) || !errors.Is(again, err) && again.Error() != err.Error() {
			t.Errorf("%q: %v, then %v; want %q", text, err, again, want)
		}
	}
}

func TestCausesOf(t *testing.T) {
	tr := Merge(sparkRun(t, 1, 1)...)
	var last Entry
	for _, e := range tr.Entries {
		if e.Type == "LaunchExecutor" {
			last = e
		}
	}
	c, err := tr.CausesOf(last.ID)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range c.Entries {
		got = append(got, e.Name+e.Type+" "+e.Form)
	}
	if want := "OnStart |CheckExistence ask|CheckExistence reply|RegisterApplication send|LaunchExecutor send"; strings.Join(got, "|") != want {
		t.Errorf("chain %q, want %q", got, want)
	}
	var b strings.Builder
	if err := c.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "chain.txt", b.String())
}

func TestCausesOfUnknown(t *testing.T) {
	tr := &Trace{Entries: []Entry{
		{K: KindMsg, ID: "12345678.>.1", Cause: "lost.7"},
		{K: KindMsg, ID: "12345678.>.12"},
		{K: KindConn, ID: "12345678"},
		{K: KindItem, ID: "W.1", Cause: "W.2"},
		{K: KindItem, ID: "W.2", Cause: "W.1"},
	}}
	for id, want := range map[string]string{
		"12345678.>.13": "there are 12345678.>.1 to 12345678.>.12",
		"12345687.>.1":  "did you mean 12345678.>.1?",
		"12345678":      "quote an ID",
		"12345678.":     "quote an ID",
		"nonsense.99":   "trace show lists them",
		"":              "trace show lists them",
	} {
		_, err := tr.CausesOf(id)
		var unknown *UnknownIDError
		if !errors.As(err, &unknown) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", id, err, want)
		}
	}
	for id, missing := range map[string]string{"12345678.>.1": "lost.7", "W.1": "W.1", "12345678.>.12": ""} {
		if c, err := tr.CausesOf(id); err != nil || c.Missing != missing || c.Entries[len(c.Entries)-1].ID != id {
			t.Errorf("%s: %+v, %v", id, c, err)
		}
	}
	if _, err := (&Trace{}).CausesOf("x"); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Error(err)
	}
}

func TestWriteText(t *testing.T) {
	var b strings.Builder
	if err := Merge(sparkRun(t, 1, 1)...).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "run.txt", b.String())
}
