package record

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"
	"pgregory.net/rapid"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// drawEvent draws any event, with texts that are no UTF-8 as well.
func drawEvent(t *rapid.T) *Event {
	text := rapid.OneOf(rapid.Just(""), rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	id := rapid.Custom(func(t *rapid.T) ID {
		return ID{
			Conn: rapid.Uint64().Draw(t, "conn"), Back: rapid.Bool().Draw(t, "back"), Env: rapid.Uint32().Draw(t, "env"),
			N: rapid.Uint64().Draw(t, "n"),
		}
	})
	ids := rapid.OneOf(rapid.Just(ID{}), id)
	at := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64())
	return &Event{
		Kind: tracepb.Kind(rapid.Int32Range(0, 7).Draw(t, "kind")), Form: tracepb.Form(rapid.Int32Range(0, 3).Draw(t, "form")),
		ID: ids.Draw(t, "id"), Cause: ids.Draw(t, "cause"), Env: rapid.Uint32().Draw(t, "env"),
		Time: at.Draw(t, "time"), Received: at.Draw(t, "received"), Started: at.Draw(t, "started"),
		Endpoint: text.Draw(t, "endpoint"), To: text.Draw(t, "to"), Peer: text.Draw(t, "peer"), Address: text.Draw(t, "address"),
		Type: text.Draw(t, "type"), Name: text.Draw(t, "name"), Outcome: text.Draw(t, "outcome"), Subject: text.Draw(t, "subject"),
		From: text.Draw(t, "from"), Why: text.Draw(t, "why"), Bytes: rapid.Uint64().Draw(t, "bytes"),
		Body: slices.Repeat([]byte{7}, rapid.IntRange(0, 20_000).Draw(t, "body")),
	}
}

// The encoding by hand is protobuf's own, of short records and of those whose length has one, two or three bytes.
func TestAnEventIsEncodedAsProtobufWould(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ev := drawEvent(t)
		before := []byte("before")
		got := appendEvent(bytes.Clone(before), ev, ev.Body)
		want := AppendRecord(before, ev.record(ev.Body))
		if !bytes.Equal(got, want) {
			t.Fatalf("%+v\nis  %x\nnot %x", ev, got, want)
		}
	})
}

// Every field of a Record is one of an Event: a new one cannot be forgotten.
func TestEveryFieldOfARecordIsEncoded(t *testing.T) {
	rec := (&Event{
		Kind: 1, Form: 1, ID: ID{N: 1}, Cause: ID{N: 1}, Env: 1, Time: 1, Received: 1, Started: 1, Endpoint: "a", To: "a", Peer: "a",
		Address: "a", Type: "a", Name: "a", Outcome: "a", Subject: "a", From: "a", Why: "a", Bytes: 1,
	}).record([]byte("a"))
	fields := rec.ProtoReflect().Descriptor().Fields()
	for i := range fields.Len() {
		if f := fields.Get(i); f.Name() != "ring" && !rec.ProtoReflect().Has(f) {
			t.Errorf("%s is not set", fields.Get(i).Name())
		}
	}
}

func TestALongTextIsCutAndTheRecordKept(t *testing.T) {
	r := NewRecorder(0)
	r.Add(&Event{Why: strings.Repeat("é", MaxRecord), Type: "\xff"})
	got := r.Records()
	if len(got) != 1 || got[0].GetType() != "?" || !strings.HasPrefix(got[0].GetWhy(), "éé") || len(got[0].GetWhy()) > maxText {
		t.Errorf("%d records", len(got))
	}
}

// What a Recorder in memory has read once is the same again, and what came since is behind it.
func TestRecordsGoOn(t *testing.T) {
	r := NewRecorder(0)
	const n = 3000 // more than a chunk
	for i := range n {
		r.Add(&Event{Kind: tracepb.Kind_SENT, ID: ID{N: uint64(i + 1)}, Message: wrapperspb.String("a text of some length for the body")})
		if i == n/2 {
			if got := len(r.Records()); got != i+1 {
				t.Fatalf("%d records after %d", got, i+1)
			}
		}
	}
	got, again := r.Records(), r.Records()
	if len(got) != n || r.Count() != n {
		t.Fatalf("%d records, count %d, want %d", len(got), r.Count(), n)
	}
	for i, rec := range got {
		if rec.GetId().GetN() != uint64(i+1) || rec != again[i] {
			t.Fatalf("record %d: %v", i, rec)
		}
	}
	want, err := proto.Marshal(wrapperspb.String("a text of some length for the body"))
	if err != nil || !bytes.Equal(got[0].GetBody(), want) || got[0].GetBytes() != uint64(len(want)) {
		t.Errorf("body %q of %d bytes, %v", got[0].GetBody(), got[0].GetBytes(), err)
	}
}

// A watcher sees what is recorded, as it will be read.
func TestAWatcherSeesTheRecordAsItIsRead(t *testing.T) {
	r := NewRecorder(4)
	var seen []*tracepb.Record
	stop := r.Watch(func(rec *tracepb.Record) { seen = append(seen, rec) })
	r.Add(&Event{Kind: tracepb.Kind_SENT, ID: ID{Env: 1, N: 1}, Body: []byte("123456"), Bytes: 6, Type: "x.Y"})
	stop()
	r.Add(&Event{Kind: tracepb.Kind_SENT})
	if len(seen) != 1 || !proto.Equal(seen[0], r.Records()[0]) || string(seen[0].GetBody()) != "1234" {
		t.Errorf("seen %v, recorded %v", seen, r.Records())
	}
}

func BenchmarkAdd(b *testing.B) {
	r, err := NewFileRecorder(b.TempDir()+"/t", 0)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	body := make([]byte, 1024)
	b.ReportAllocs()
	for b.Loop() {
		r.Add(&Event{
			Kind: tracepb.Kind_SENT, ID: ID{Conn: 1 << 60, N: 77}, Cause: ID{Env: 1, N: 1234567}, Env: 1, Time: 1 << 60,
			Endpoint: "CoarseGrainedScheduler", To: "Executor", Peer: "Exec0", Address: "127.0.0.1:41234", Type: "app.LaunchTask",
			Bytes: 1024, Body: body,
		})
	}
}
