package record

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// small is the shape of a ring that is soon full.
var small = shape{shardBits: 1, slotBits: 3, namesSize: 1 << 10}

// read is what a file with the ring's bytes would give.
func (g *ring) read(t interface{ Fatal(...any) }) *Ring {
	got, err := readRing(bytes.NewReader(g.mem))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// inRing is ev as the ring keeps it: short texts, 40 bits of ordinals, 24 bits of sizes, no bodies.
func inRing(ev *Event) *tracepb.Record {
	out := *ev
	out.Body, out.Message, out.Received, out.Started = nil, nil, 0, 0
	out.ID.N &= numberMask
	out.Cause.N &= numberMask
	out.Bytes = min(out.Bytes, smallMask)
	for _, id := range []*ID{&out.ID, &out.Cause} {
		id.Env = 0
		if id.Conn == 0 && id.N != 0 {
			id.Env = out.Env
		}
	}
	kept := Event{Kind: out.Kind, Endpoint: out.Endpoint}
	for i, s := range kept.texts() {
		*s = *out.texts()[i]
	}
	for _, s := range append(listOf(&kept), &kept.Endpoint) {
		if len(*s) > maxName {
			*s = strings.ToValidUTF8((*s)[:maxName], "")
		}
		*s = strings.ToValidUTF8(*s, "?")
	}
	out.Endpoint, out.To, out.Peer, out.Address, out.Type, out.Name = kept.Endpoint, kept.To, kept.Peer, kept.Address, kept.Type, kept.Name
	out.Outcome, out.Subject, out.From, out.Why = kept.Outcome, kept.Subject, kept.From, kept.Why
	if out.Kind == tracepb.Kind_HANDLED || out.Kind == tracepb.Kind_ITEM {
		out.Bytes = 0
	}
	rec := out.record(nil)
	rec.Ring = true
	return rec
}

func listOf(ev *Event) []*string {
	t := ev.texts()
	return t[:]
}

func TestARingGivesBackWhatWasPutIn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ev := drawEvent(t)
		g := newMemoryRing(shape{slotBits: 2, namesSize: 8 << 10})
		g.event(ev)
		got := g.read(t)
		if len(got.Records) != 1 || got.Torn != 0 {
			t.Fatalf("%d records, %d torn", len(got.Records), got.Torn)
		}
		want := inRing(ev)
		want.Started, want.Received = got.Records[0].GetStarted(), 0
		if !proto.Equal(got.Records[0], want) {
			t.Fatalf("\ngot  %v\nwant %v", got.Records[0], want)
		}
	})
}

func TestARingKeepsTheLatest(t *testing.T) {
	g := newMemoryRing(small)
	for i := range 100 {
		g.event(&Event{Kind: tracepb.Kind_SENT, ID: ID{N: uint64(i + 1)}, Time: int64(i + 1), Env: uint32(i), Endpoint: "E"})
	}
	got := g.read(t)
	if len(got.Records) != 16 || got.Torn != 0 || got.Closed {
		t.Fatalf("%d records, %d torn, closed %v", len(got.Records), got.Torn, got.Closed)
	}
	for i, r := range got.Records {
		if want := uint64(85 + i); r.GetId().GetN() != want {
			t.Errorf("record %d is %d, want %d", i, r.GetId().GetN(), want)
		}
	}
}

// A reader that asks again and again gets everything once, in order, and hears how much it missed.
func TestACursorGoesOn(t *testing.T) {
	r := NewRecorder(0)
	r.ring = newMemoryRing(small)
	put := func(from, to int) {
		for i := from; i <= to; i++ {
			r.NoteEvent(&Event{Kind: tracepb.Kind_SENT, ID: ID{N: uint64(i)}, Time: int64(i), Env: uint32(i), Endpoint: "E"}, true)
		}
	}
	var cursor []byte
	read := func(limit int, want string, lost uint64, more bool) {
		t.Helper()
		got := r.Since(cursor, limit, false)
		cursor = got.Next
		var ns []string
		for _, rec := range got.Records {
			ns = append(ns, fmt.Sprint(rec.GetId().GetN()))
		}
		if s := strings.Join(ns, " "); s != want || got.Lost != lost || got.More != more {
			t.Errorf("read %q, %d lost, more %v; want %q, %d, %v", s, got.Lost, got.More, want, lost, more)
		}
	}
	read(10, "", 0, false)
	put(1, 5)
	read(2, "1 2", 0, true)
	read(10, "3 4 5", 0, false)
	read(10, "", 0, false)
	put(6, 40)
	read(100, "25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40", 19, false)
	cursor = r.Since(nil, 0, true).Next
	put(41, 42)
	read(10, "41 42", 0, false)
	cursor = []byte("a cursor of another process")
	read(1, "27", 26, true)
	cursor = r.ring.cursor([]uint64{1 << 60, 1 << 60})
	read(1, "27", 26, true)
}

// Many write at once and one reads: what is read is whole, and nothing is read twice.
func TestWritersAndAReaderAtOnce(t *testing.T) {
	r, err := NewRingRecorder()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	const writers, each = 8, 5000
	var wg sync.WaitGroup
	done := make(chan struct{})
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				r.Note(&Note{
					Kind: tracepb.Kind_SENT, ID: ID{Conn: uint64(w + 1), N: uint64(i + 1)}, Cause: ID{Conn: uint64(w + 1), N: uint64(i + 1)},
					Env: 1, Endpoint: r.Name("E"), Type: r.Name(fmt.Sprint("T", w)), Time: r.clock.read(),
				})
			}
		})
	}
	go func() { wg.Wait(); close(done) }()
	seen, lost := map[ID]bool{}, uint64(0)
	read := func(cursor []byte) []byte {
		got := r.Since(cursor, 1000, false)
		lost += got.Lost
		for _, rec := range got.Records {
			id := ID{Conn: rec.GetId().GetConn(), N: rec.GetId().GetN()}
			if seen[id] || rec.GetCause().GetN() != id.N || rec.GetType() != fmt.Sprint("T", id.Conn-1) || rec.GetTime() == 0 {
				t.Errorf("%v again or mixed up", rec)
			}
			seen[id] = true
		}
		return got.Next
	}
	var cursor []byte
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		cursor = read(cursor)
	}
	for {
		next := read(cursor)
		if bytes.Equal(next, cursor) {
			break
		}
		cursor = next
	}
	if got := uint64(len(seen)) + lost; got != writers*each {
		t.Errorf("%d read and %d lost of %d", len(seen), lost, writers*each)
	}
}

func TestAFullTableOfNames(t *testing.T) {
	g := newMemoryRing(shape{slotBits: 3, namesSize: 64})
	for i := range 20 {
		g.event(&Event{Kind: tracepb.Kind_STATE, Name: fmt.Sprint("a name ", i)})
	}
	g.event(&Event{Kind: tracepb.Kind_STATE, Name: "a name 0", Subject: strings.Repeat("long", 100)})
	last := g.read(t).Records[7]
	if last.GetName() != "a name 0" || last.GetSubject() != "" {
		t.Errorf("last record %v", last)
	}
}

func TestReadRingRefuses(t *testing.T) {
	good := newMemoryRing(small).mem
	change := func(at int, with ...byte) []byte {
		b := bytes.Clone(good)
		copy(b[at:], with)
		return b
	}
	tests := []struct {
		name string
		file []byte
		want error
		text string
	}{
		{"another file", []byte("PK\x03\x04 something else"), ErrFormat, `it begins with "PK\x03\x04 som"`},
		{"records", []byte(Magic + "..........."), ErrFormat, `want "CHTRING1"`},
		{"another version", change(7, '7'), ErrVersion, `version "7", this program reads "1"`},
		{"too many shards", change(8, 40), ErrFormat, "2^40 shards"},
		{"too many slots", change(12, 40), ErrFormat, "2^40 slots"},
		{"impossible names", change(16, 0xff, 0xff, 0xff, 0xff), ErrFormat, "4294967295 bytes of names"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := readRing(bytes.NewReader(tt.file))
			if !errors.Is(err, tt.want) || !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("error %v, want %v with %q", err, tt.want, tt.text)
			}
		})
	}
}

// Wherever the file ends, what is whole before is read.
func TestReadRingOfAShortFile(t *testing.T) {
	g := newMemoryRing(small)
	g.event(&Event{Kind: tracepb.Kind_SENT, ID: ID{N: 1}, Endpoint: "E"})
	for end := 0; end <= len(g.mem); end++ {
		got, err := readRing(bytes.NewReader(g.mem[:end]))
		if err != nil || len(got.Records) == 1 != (end >= g.slotsAt()+slotSize*(1<<g.slotBits)+slotSize) {
			t.Fatalf("%d of %d bytes: %v, %v", end, len(g.mem), got, err)
		}
	}
}

// A record of which a part is missing or another one's is not shown.
func TestATornSlotIsNotShown(t *testing.T) {
	for word := range slotWords {
		g := newMemoryRing(small)
		for n := range 3 {
			g.event(&Event{Kind: tracepb.Kind_SENT, ID: ID{Conn: 9, N: uint64(n + 1)}, Cause: ID{Conn: 9, N: 77}, Time: 5, Bytes: 1000})
		}
		at := g.slotsAt() + slotSize + 8*word
		binary.NativeEndian.PutUint64(g.mem[at:], binary.NativeEndian.Uint64(g.mem[at:])^1<<33)
		if got := g.read(t); len(got.Records) != 2 || got.Torn != 1 {
			t.Errorf("word %d: %d records, %d torn", word, len(got.Records), got.Torn)
		}
	}
}

func FuzzReadRing(f *testing.F) {
	g := newMemoryRing(small)
	for n := range 20 {
		g.event(&Event{Kind: tracepb.Kind(n % 8), ID: ID{Conn: 9, N: uint64(n + 1)}, Time: 5, Endpoint: "E", Type: "x.Y", Name: "n"})
	}
	f.Add(g.mem)
	f.Add([]byte(ringMagic))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := readRing(bytes.NewReader(b))
		if err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Fatalf("unexpected kind of error: %v", err)
			}
			return
		}
		if len(got.Records) > len(b)/slotSize {
			t.Fatalf("%d records in %d bytes", len(got.Records), len(b))
		}
	})
}

func BenchmarkNote(b *testing.B) {
	r, err := NewRingRecorder()
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	from, to, typ := r.Name("Worker"), r.Name("Master"), r.Name("deploy.Heartbeat")
	n := uint64(0)
	for b.Loop() {
		n++
		now, _ := r.Now()
		r.Note(&Note{
			Kind: tracepb.Kind_SENT, ID: ID{Env: 1, N: n}, Cause: ID{Env: 1, N: n}, Env: 1, Endpoint: from, To: to, Type: typ, Time: now,
		})
	}
}
