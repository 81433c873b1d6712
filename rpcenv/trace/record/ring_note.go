package record

import (
	tracepb "github.com/coherer/coherer/messages/trace"
)

// Note is a record for the ring, of a message or an item, its texts by their numbers: it takes a few nanoseconds.
type Note struct {
	Kind      tracepb.Kind
	Form      tracepb.Form
	ID, Cause ID
	Env       uint32
	// Time is nanoseconds since 1970.
	Time int64
	// Size is that of a message that was encoded, or the time that handling took in microseconds.
	Size                        uint64
	Endpoint, To, Peer, Address Name
	Type                        Name
	// Name is an item's, or what an answer is itself; Outcome is that of handling.
	Name, Outcome Name
	// Recorded says that Add gets the same record.
	Recorded bool
}

// Note puts a record into the ring. Nothing of n is kept.
func (r *Recorder) Note(n *Note) {
	g := r.ring
	if !n.Recorded {
		r.ringHasMore()
	}
	// A slot has one place for both: a record with an Outcome is that of a handled item, and has no To. See Event.texts.
	to := n.To
	if n.Outcome != 0 {
		to = n.Outcome
	}
	if g.locked {
		var w words
		w.pack(n.Kind, n.Form, &n.ID, &n.Cause, n.Env, n.Time, n.Size, places{n.Endpoint, to, n.Type, n.Peer, n.Address, n.Name})
		g.put(uint32(n.Endpoint)+n.Env, &w)
		return
	}
	// As pack and put, without a copy between.
	slot, pos := g.claim(uint32(n.Endpoint) + n.Env)
	at, id, cause := uint64(n.Time), n.ID.Conn, n.Cause.Conn
	item, from := itemWord(n.Kind, n.Form, &n.ID, &n.Cause), causeWord(&n.Cause, n.Size)
	where := uint64(n.Env) | uint64(n.Endpoint)<<32 | uint64(to)<<48
	what := uint64(n.Type) | uint64(n.Peer)<<16 | uint64(n.Address)<<32 | uint64(n.Name)<<48
	slot[1], slot[2], slot[3], slot[4], slot[5], slot[6], slot[7] = at, id, item, cause, from, where, what
	slot[0] = sealOf(pos, at, id, item, cause, from, where, what)
}

// NoteEvent is Note for an event whose texts have no numbers yet.
func (r *Recorder) NoteEvent(ev *Event, recorded bool) {
	if !recorded {
		r.ringHasMore()
	}
	r.ring.event(ev)
}

// ringHasMore notes that the ring has what is not recorded, and is worth keeping.
func (r *Recorder) ringHasMore() {
	// All writers share it. A Load leaves it in every processor's cache, a Store per record would not.
	if !r.noted.Load() {
		r.noted.Store(true)
	}
}

// Name is the number of a text in the ring.
func (r *Recorder) Name(text string) Name {
	if r == nil {
		return 0
	}
	return r.ring.names.of(text)
}

// TypeOf is the type of a message; describe names it when it is new, and must not call the Recorder. dynamic says that
// messages of this Go type have names of their own.
func (r *Recorder) TypeOf(m any, describe func(m any) (text string, untraced, dynamic bool)) *Type {
	return r.ring.names.typeOf(m, describe)
}

// Now is the time for a Note in nanoseconds since 1970. ok is false when the world's own clock is as cheap, and exact.
func (r *Recorder) Now() (now int64, ok bool) {
	if r.exact {
		return 0, false
	}
	return r.clock.read(), true
}

// CountUntraced counts a message that is not recorded, since its type or its endpoint is untraced.
func (r *Recorder) CountUntraced() { r.untraced.Add(1) }

// Untraced is how many messages CountUntraced has counted.
func (r *Recorder) Untraced() int64 {
	if r == nil {
		return 0
	}
	return r.untraced.Load()
}
