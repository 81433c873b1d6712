package record

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"
	"pgregory.net/rapid"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// note is ev as the runtime gives it to Record; its texts get their numbers.
func (ev *Event) note(r *Recorder) (*Note, *Exact) {
	texts := ev.texts()
	at := [5]Name{}
	whole := Whole(r.Name(ev.Endpoint), ev.Endpoint)
	for i, text := range texts {
		at[i] = r.Name(*text)
		whole = whole && Whole(at[i], *text)
	}
	n := &Note{
		Kind: ev.Kind, Form: ev.Form, ID: ev.ID, Cause: ev.Cause, Env: ev.Env, Time: ev.Time, Size: ev.Bytes,
		Endpoint: r.Name(ev.Endpoint), Type: at[1], Peer: at[2], Address: at[3], Name: at[4], Recorded: true, Whole: whole,
	}
	if ev.Kind == tracepb.Kind_SENT {
		n.To = at[0]
	} else {
		n.Outcome = at[0]
	}
	return n, &Exact{Received: ev.Received, Started: ev.Started, Body: ev.Body}
}

// drawNoted draws the event of a message or an item, mostly one that fits into a slot.
func drawNoted(t *rapid.T) *Event {
	ev := drawEvent(t)
	ev.Kind = rapid.SampledFrom([]tracepb.Kind{tracepb.Kind_SENT, tracepb.Kind_HANDLED, tracepb.Kind_ITEM}).Draw(t, "noted")
	for _, id := range []*ID{&ev.ID, &ev.Cause} {
		id.N %= rapid.SampledFrom([]uint64{1 << 10, numberMask + 1, numberMask + 2}).Draw(t, "n")
		if rapid.IntRange(0, 9).Draw(t, "env of id") > 0 {
			id.Env = 0
			if id.Conn == 0 && id.N != 0 {
				id.Env = ev.Env
			}
		}
	}
	ev.Bytes %= rapid.SampledFrom([]uint64{1 << 10, smallMask, smallMask + 1}).Draw(t, "size")
	if ev.Kind == tracepb.Kind_SENT {
		ev.Received, ev.Started = 0, 0
	} else {
		ev.Bytes, ev.Body = 0, nil
		before := rapid.SampledFrom([]int64{0, 1, 1<<32 - 1, 1 << 32, -1})
		ev.Received, ev.Started = ev.Time-before.Draw(t, "received"), ev.Time-before.Draw(t, "started")
	}
	kept := Event{Kind: ev.Kind, Endpoint: ev.Endpoint}
	for i, s := range kept.texts() {
		*s = *ev.texts()[i]
	}
	ev.To, ev.Peer, ev.Address, ev.Type, ev.Name = kept.To, kept.Peer, kept.Address, kept.Type, kept.Name
	ev.Outcome, ev.Subject, ev.From, ev.Why = kept.Outcome, kept.Subject, kept.From, kept.Why
	return ev
}

// What Record takes is read as the same record that Add writes; what it does not take, Add gets. Watchers see the same.
func TestARecordInASlotIsThatOfItsEvent(t *testing.T) {
	taken, left := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		r := NewRecorder(1 << 10)
		var want, seen []*tracepb.Record
		r.Watch(func(rec *tracepb.Record) { seen = append(seen, rec) })
		for range rapid.IntRange(1, 5).Draw(t, "records") {
			ev := drawNoted(t)
			want = append(want, ev.record(ev.Body[:min(len(ev.Body), 1<<10)]))
			n, x := ev.note(r)
			if r.Record(n, x) {
				taken++
				continue
			}
			left++
			r.Add(ev)
		}
		got := r.Records()
		if len(got) != len(want) || len(seen) != len(want) || r.Count() != len(want) {
			t.Fatalf("%d records, %d seen, counted %d, want %d", len(got), len(seen), r.Count(), len(want))
		}
		for i := range want {
			if !proto.Equal(got[i], want[i]) || !proto.Equal(seen[i], want[i]) {
				t.Fatalf("record %d is\n%v, seen as\n%v, want\n%v", i, got[i], seen[i], want[i])
			}
		}
	})
	if taken < 20 || left < 20 {
		t.Errorf("%d records in slots, %d not: the test says little", taken, left)
	}
}

// A record of each kind fits, and does not when one of its parts is too large.
func TestWhatFitsIntoASlot(t *testing.T) {
	whole := func() (*Note, *Exact) {
		return &Note{
			Kind: tracepb.Kind_HANDLED, ID: ID{Conn: 7, N: numberMask}, Cause: ID{Env: 3, N: numberMask}, Env: 3, Time: 1 << 60,
			Size: smallMask - 1, Whole: true,
		}, &Exact{Received: 1<<60 - (1<<32 - 1), Started: 1<<60 - (1<<32 - 1)}
	}
	if n, x := whole(); !n.fits(x) {
		t.Fatal("the largest does not fit")
	}
	for name, change := range map[string]func(n *Note, x *Exact){
		"a text that is cut":           func(n *Note, _ *Exact) { n.Whole = false },
		"an ordinal":                   func(n *Note, _ *Exact) { n.ID.N++ },
		"the ordinal of a cause":       func(n *Note, _ *Exact) { n.Cause.N++ },
		"a cause of another Env":       func(n *Note, _ *Exact) { n.Cause.Env = 4 },
		"a message with an Env":        func(n *Note, _ *Exact) { n.ID.Env = 3 },
		"a size":                       func(n *Note, _ *Exact) { n.Size++ },
		"a message received long ago":  func(_ *Note, x *Exact) { x.Received-- },
		"a message begun long ago":     func(_ *Note, x *Exact) { x.Started-- },
		"a message received later":     func(n *Note, x *Exact) { x.Received = n.Time + 1 },
		"a message begun later":        func(n *Note, x *Exact) { x.Started = n.Time + 1 },
		"a message that was not begun": func(_ *Note, x *Exact) { x.Started = 0 },
	} {
		n, x := whole()
		if change(n, x); n.fits(x) {
			t.Errorf("%s fits", name)
		}
	}
}

// A message that nobody has encoded is encoded, and its size is in the ring too.
func TestRecordEncodesAMessage(t *testing.T) {
	r := NewRecorder(4)
	m := wrapperspb.String("a text")
	if !r.Record(&Note{Kind: tracepb.Kind_SENT, ID: ID{Env: 1, N: 1}, Env: 1, Type: r.Name("x.Y"), Recorded: true, Whole: true}, &Exact{Message: m}) {
		t.Fatal("it does not fit")
	}
	want, err := proto.Marshal(m)
	got := r.Records()
	if err != nil || len(got) != 1 || got[0].GetBytes() != uint64(len(want)) || !bytes.Equal(got[0].GetBody(), want[:4]) || got[0].GetType() != "x.Y" {
		t.Errorf("%v, %v", got, err)
	}
	if ring := r.Since(nil, 10, false).Records; len(ring) != 1 || ring[0].GetBytes() != uint64(len(want)) {
		t.Errorf("in the ring %v", ring)
	}
}

// A file of the version before has protobuf alone, and is read.
func TestTheVersionBeforeIsRead(t *testing.T) {
	b := AppendRecord([]byte("CHTRACE1"), &tracepb.Record{Type: "x.Y"})
	if got, err := Read(bytes.NewReader(b)); err != nil || len(got) != 1 || got[0].GetType() != "x.Y" {
		t.Errorf("read %v, %v", got, err)
	}
	var tail Tail
	if got, err := tail.Feed(b); err != nil || len(got) != 1 {
		t.Errorf("fed %v, %v", got, err)
	}
}

func TestASlotThatNobodyWrote(t *testing.T) {
	slot := string(appendSlot(nil, &words{6: 2}, &Exact{Started: 1}, nil)) // its type is text 2
	name := string(appendName(nil, "x.Y"))
	for text, want := range map[string]string{
		slot:                              "text 2 of 0",
		name + slot:                       "text 2 of 1",
		"\x02\x07\x00":                    "a message of 2 bytes",
		"\x3a\x07\x01" + slot[3:3+56]:     "a message of 58 bytes",
		"\x3a\x07\x02" + slot[3:3+56]:     "a message of 58 bytes",
		strings.Repeat("\x01\x0f", 1<<16): "more than 65535 names",
	} {
		if got, err := new(entries).all(bufio.NewReader(strings.NewReader(text))); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, %v; want %q", text, got, err, want)
		}
	}
	if got, err := new(entries).all(bufio.NewReader(strings.NewReader(name + name + slot))); err != nil || len(got) != 1 || got[0].GetType() != "x.Y" {
		t.Errorf("%v, %v", got, err)
	}
}

// A name is no record: it does not count among those that are whole.
func TestATornFileCountsRecords(t *testing.T) {
	path := t.TempDir() + "/x.trace"
	r, err := NewFileRecorder(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		r.Record(&Note{Kind: tracepb.Kind_SENT, ID: ID{Env: 1, N: 1}, Env: 1, Type: r.Name("x.Y"), Whole: true}, &Exact{})
	}
	r.Add(&Event{Kind: tracepb.Kind_ENV, Time: time.Now().UnixNano()})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	cut(t, path, 1)
	if err := Torn(path); !errors.Is(err, ErrTorn) || !strings.Contains(err.Error(), "the 2 before it are whole") {
		t.Error(err)
	}
	if got, err := ReadFile(path); err != nil || len(got) != 2 {
		t.Errorf("%d records, %v", len(got), err)
	}
}

func BenchmarkRecord(b *testing.B) {
	r, err := NewFileRecorder(b.TempDir()+"/t", 0)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	from, to, peer, address, typ := r.Name("CoarseGrainedScheduler"), r.Name("Executor"), r.Name("Exec0"), r.Name("127.0.0.1:41234"), r.Name("app.LaunchTask")
	body := make([]byte, 1024)
	b.ReportAllocs()
	for b.Loop() {
		r.Record(&Note{
			Kind: tracepb.Kind_SENT, ID: ID{Conn: 1 << 60, N: 77}, Cause: ID{Env: 1, N: 1234567}, Env: 1, Time: 1 << 60, Size: 1024,
			Endpoint: from, To: to, Peer: peer, Address: address, Type: typ, Recorded: true, Whole: true,
		}, &Exact{Body: body})
	}
}

// cut takes the last n bytes from a file.
func cut(t *testing.T, path string, n int64) {
	t.Helper()
	info, err := os.Stat(path)
	if err == nil {
		err = os.Truncate(path, info.Size()-n)
	}
	if err != nil {
		t.Fatal(err)
	}
}
