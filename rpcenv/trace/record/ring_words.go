package record

import (
	"time"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// How a record lies in the words of a slot; numbers are those of names.
//
//	0  the time in nanoseconds since 1970
//	1  id: connection
//	2  id: 40 bits of its number; 4 bits kind, 2 bits form, the directions of id and cause
//	3  cause: connection
//	4  cause: 40 bits of its number; 24 bits of size in bytes, or of the time that handling took in µs
//	5  env; the numbers of endpoint and to
//	6  the numbers of type, peer, address, name
//
// Where a kind of record has no use for a place, another text stands in it: see texts.
const (
	numberBits = 40
	numberMask = 1<<numberBits - 1
	smallMask  = 1<<(64-numberBits) - 1

	kindShift  = 40
	formShift  = 44
	backShift  = 46
	cbackShift = 47
)

// places are the numbers of the six texts of a slot.
type places struct{ endpoint, to, typ, peer, address, name Name }

// pack makes the words of a record. size is in bytes, or µs. Recorder.Note and NoteItem repeat its layout.
func (w *words) pack(kind tracepb.Kind, form tracepb.Form, id, cause *ID, env uint32, at int64, size uint64, p places) {
	*w = words{
		uint64(at), id.Conn, itemWord(kind, form, id, cause), cause.Conn, causeWord(cause, size),
		uint64(env) | uint64(p.endpoint)<<32 | uint64(p.to)<<48,
		uint64(p.typ) | uint64(p.peer)<<16 | uint64(p.address)<<32 | uint64(p.name)<<48,
	}
}

func itemWord(kind tracepb.Kind, form tracepb.Form, id, cause *ID) uint64 {
	w := id.N&numberMask | uint64(kind)&15<<kindShift | uint64(form)&3<<formShift
	if id.Back {
		w |= 1 << backShift
	}
	if cause.Back {
		w |= 1 << cbackShift
	}
	return w
}

func causeWord(cause *ID, size uint64) uint64 {
	return cause.N&numberMask | min(size, smallMask)<<numberBits
}

// texts are where each kind of record has its texts, beside endpoint: what stands in the places to, type, peer, address
// and name.
func (ev *Event) texts() [5]*string {
	switch ev.Kind {
	case tracepb.Kind_HANDLED, tracepb.Kind_ITEM:
		return [5]*string{&ev.Outcome, &ev.Type, &ev.Peer, &ev.Address, &ev.Name}
	case tracepb.Kind_STATE:
		return [5]*string{&ev.To, &ev.Subject, &ev.From, &ev.Why, &ev.Name}
	case tracepb.Kind_CONN:
		return [5]*string{&ev.To, &ev.Why, &ev.Peer, &ev.Address, &ev.Name}
	case tracepb.Kind_DROP:
		return [5]*string{&ev.To, &ev.Type, &ev.Why, &ev.Address, &ev.Name}
	default:
		return [5]*string{&ev.To, &ev.Type, &ev.Peer, &ev.Address, &ev.Name}
	}
}

// event puts any event into the ring.
func (g *ring) event(ev *Event) {
	size := ev.Bytes
	if ev.Kind == tracepb.Kind_HANDLED || ev.Kind == tracepb.Kind_ITEM {
		size = 0
		if ev.Started != 0 {
			size = uint64(max(ev.Time-ev.Started, 0)) / uint64(time.Microsecond)
		}
	}
	t := ev.texts()
	p := places{
		endpoint: g.names.of(ev.Endpoint), to: g.names.of(*t[0]), typ: g.names.of(*t[1]), peer: g.names.of(*t[2]),
		address: g.names.of(*t[3]), name: g.names.of(*t[4]),
	}
	var w words
	w.pack(ev.Kind, ev.Form, &ev.ID, &ev.Cause, ev.Env, ev.Time, size, p)
	g.put(uint32(p.endpoint)+ev.Env, &w)
}

// unpack is the event that the words are; text says what a number stands for.
func (w *words) unpack(text func(Name) string) *Event {
	ev := &Event{
		Time: int64(w[0]), Kind: tracepb.Kind(w[2] >> kindShift & 15), Form: tracepb.Form(w[2] >> formShift & 3),
		ID:    ID{Conn: w[1], N: w[2] & numberMask, Back: w[2]>>backShift&1 != 0},
		Cause: ID{Conn: w[3], N: w[4] & numberMask, Back: w[2]>>cbackShift&1 != 0},
		Env:   uint32(w[5]),
	}
	for _, id := range []*ID{&ev.ID, &ev.Cause} {
		if id.Conn == 0 && id.N != 0 {
			id.Env = ev.Env // an Env's items are caused by its own
		}
	}
	switch size := w[4] >> numberBits; ev.Kind {
	case tracepb.Kind_HANDLED, tracepb.Kind_ITEM:
		ev.Started = ev.Time - int64(size)*int64(time.Microsecond)
	default:
		ev.Bytes = size
	}
	ev.Endpoint = text(Name(w[5] >> 32))
	for i, s := range ev.texts() {
		n := Name(w[5] >> 48)
		if i > 0 {
			n = Name(w[6] >> (16 * (i - 1)))
		}
		*s = text(n)
	}
	return ev
}
