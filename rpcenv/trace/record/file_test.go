package record_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

func recordFile(records ...*tracepb.Record) []byte {
	b := []byte(record.Magic)
	for _, r := range records {
		b = record.AppendRecord(b, r)
	}
	return b
}

// Wherever the writer was stopped, what was whole before is read.
func TestReadTornTail(t *testing.T) {
	first := &tracepb.Record{Kind: tracepb.Kind_ENV, Peer: "Master", Time: 7}
	second := &tracepb.Record{Kind: tracepb.Kind_SENT, Type: "rpc.Bool", Body: bytes.Repeat([]byte{1}, 300)}
	whole := recordFile(first, second)
	firstEnd := len(recordFile(first))
	for end := range len(whole) + 1 {
		got, err := record.Read(bytes.NewReader(whole[:end]))
		if err != nil {
			t.Fatalf("%d bytes: %v", end, err)
		}
		want := 0
		if end >= firstEnd {
			want++
		}
		if end == len(whole) {
			want++
		}
		if len(got) != want {
			t.Errorf("%d of %d bytes: %d records, want %d", end, len(whole), len(got), want)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	tests := []struct {
		name, file, want string
	}{
		{"another file", "PK\x03\x04 something else", `it begins with "PK\x03\x04 som"`},
		{"another file, short", "PK", `it begins with "PK"`},
		{"a record beyond the limit", record.Magic + string(protowire.AppendVarint(nil, record.MaxRecord+1)), "the limit 1048576"},
		{"a length that is no varint", record.Magic + strings.Repeat("\xff", 12), "record 1: "},
		{"a record that is no protobuf", record.Magic + "\x02\xff\xff", "record 1: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := record.Read(strings.NewReader(tt.file))
			if !errors.Is(err, record.ErrFormat) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want ErrFormat with %q", err, tt.want)
			}
		})
	}
}

func TestReadKeepsWhatCameBeforeDamage(t *testing.T) {
	got, err := record.Read(bytes.NewReader(append(recordFile(&tracepb.Record{Time: 1}), "\x02\xff\xff"...)))
	if len(got) != 1 || !errors.Is(err, record.ErrFormat) {
		t.Errorf("%d records and %v, want one and ErrFormat", len(got), err)
	}
}

func TestAppendRecordDropsABodyBeyondTheLimit(t *testing.T) {
	big := &tracepb.Record{Type: "x.Big", Body: make([]byte, record.MaxRecord)}
	got, err := record.Read(bytes.NewReader(recordFile(big)))
	if err != nil || len(got) != 1 || got[0].GetType() != "x.Big" || len(got[0].GetBody()) != 0 {
		t.Errorf("read %d records, %v; want one without body", len(got), err)
	}
	if len(big.GetBody()) != record.MaxRecord {
		t.Error("the record itself was changed")
	}
}

func TestFileRecorderIsReadBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace")
	rec, err := record.NewFileRecorder(path, 4)
	if err != nil {
		t.Fatal(err)
	}
	rec.Add(&record.Event{Kind: tracepb.Kind_SENT, Body: []byte("123456")})
	if err := errors.Join(rec.Close(), rec.Close()); err != nil {
		t.Fatal(err)
	}
	got, err := record.ReadFile(path)
	if err != nil || len(got) != 1 || string(got[0].GetBody()) != "1234" {
		t.Errorf("read %v, %v", got, err)
	}
	if _, err := record.ReadFile(path + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

func TestAppendedRecordsAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var want []*tracepb.Record
		for range rapid.IntRange(0, 5).Draw(t, "records") {
			want = append(want, &tracepb.Record{
				Kind: tracepb.Kind(rapid.Int32Range(0, 7).Draw(t, "kind")), Time: rapid.Uint64().Draw(t, "time"),
				Id:   &tracepb.Id{Conn: rapid.Uint64().Draw(t, "conn"), N: rapid.Uint64().Draw(t, "n")},
				Body: rapid.SliceOf(rapid.Byte()).Draw(t, "body"),
			})
		}
		got, err := record.Read(bytes.NewReader(recordFile(want...)))
		if err != nil || len(got) != len(want) {
			t.Fatalf("%d records, %v; want %d", len(got), err, len(want))
		}
		for i := range want {
			if !bytes.Equal(record.AppendRecord(nil, got[i]), record.AppendRecord(nil, want[i])) || !proto.Equal(got[i].GetId(), want[i].GetId()) {
				t.Fatalf("record %d: %v, want %v", i, got[i], want[i])
			}
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(record.Magic))
	f.Add(recordFile(&tracepb.Record{Kind: tracepb.Kind_ENV, Peer: "Master"}, &tracepb.Record{Body: []byte("x")}))
	f.Add(recordFile(&tracepb.Record{Kind: tracepb.Kind_SENT, Id: &tracepb.Id{Conn: 9, N: 1}, Ring: true}))
	f.Add([]byte(record.Magic + "\xff\xff\xff\xff\x7f"))
	f.Fuzz(func(t *testing.T, b []byte) {
		records, err := record.Read(bytes.NewReader(b))
		if err != nil && !errors.Is(err, record.ErrFormat) {
			t.Fatalf("unexpected kind of error: %v", err)
		}
		trace := trace.Merge(records)
		for i := range trace.Entries {
			_ = trace.Entries[i].AppendJSON(nil)
		}
	})
}
