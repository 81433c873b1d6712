package record_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace/internal/tracetest"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// However a file comes, the tail has the records of Read.
func TestTailAsTheFileGrows(t *testing.T) {
	var all []*tracepb.Record
	for _, file := range tracetest.SparkRun(t, 1, 1) {
		all = append(all, file...)
	}
	whole := recordFile(all...)
	rapid.Check(t, func(t *rapid.T) {
		var tail record.Tail
		n, rest := 0, whole[:rapid.IntRange(0, len(whole)).Draw(t, "length")]
		want, err := record.Read(bytes.NewReader(rest))
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
				if !bytes.Equal(record.AppendRecord(nil, r), record.AppendRecord(nil, want[n])) {
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
		if err := tail.Torn(); errors.Is(err, record.ErrTorn) != torn {
			t.Fatalf("torn: %v, want %t", err, torn)
		}
	})
}

func TestTailRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"CHTRACE3\x00":                        `it has version "3", this program reads "2"`,
		"PK\x03\x04 something":                `it begins with "PK\x03\x04 som"`,
		record.Magic + "\x00\x02\xff\xff":     "record 2: ",
		record.Magic + "\xff\xff\xff\xff\x7f": "the limit 1048576",
	} {
		var tail record.Tail
		_, err := tail.Feed([]byte(text))
		_, again := tail.Feed([]byte("more"))
		if !errors.Is(err, record.ErrFormat) || !strings.Contains(err.Error(), want) || !errors.Is(again, err) && again.Error() != err.Error() {
			t.Errorf("%q: %v, then %v; want %q", text, err, again, want)
		}
	}
}
