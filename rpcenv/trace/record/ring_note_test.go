package record

import (
	"testing"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// An event is the same record in the ring, as an event, as a Note and as a NoteItem; in a ring with a lock as in one without.
func TestANoteIsTheRecordOfItsEvent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ev := drawEvent(t)
		ev.Started = ev.Time // of what was handled the size is a time
		size := ev.Bytes
		if ev.Kind == tracepb.Kind_HANDLED || ev.Kind == tracepb.Kind_ITEM {
			size = 0
		}
		s := shape{slotBits: 2, namesSize: 8 << 10}
		unlocked := newRing(s, make([]byte, s.size()), false)
		for _, r := range []*Recorder{{ring: newMemoryRing(s)}, {ring: unlocked}} {
			r.ring.event(ev)
			texts := ev.texts()
			at := [5]Name{}
			for i, text := range texts {
				at[i] = r.Name(*text)
			}
			r.Note(&Note{
				Kind: ev.Kind, Form: ev.Form, ID: ev.ID, Cause: ev.Cause, Env: ev.Env, Time: ev.Time, Size: size,
				Endpoint: r.Name(ev.Endpoint), To: at[0], Type: at[1], Peer: at[2], Address: at[3], Name: at[4],
			})
			recorded := rapid.Bool().Draw(t, "recorded")
			r.noted.Store(false)
			r.NoteItem(ev.Kind, ev.Form, &ev.ID, &ev.Cause, ev.Env, ev.Time, size, recorded, r.Name(ev.Endpoint), at[0], TextsOf(at[1], at[2], at[3], at[4]))
			if r.noted.Load() == recorded {
				t.Fatal("the ring has more than what is recorded:", !recorded)
			}
			got := r.ring.read(t).Records
			if len(got) != 3 || !proto.Equal(got[0], got[1]) || !proto.Equal(got[0], got[2]) {
				t.Fatalf("%+v\nis %v", ev, got)
			}
		}
	})
}
