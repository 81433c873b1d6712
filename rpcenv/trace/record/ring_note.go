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
	// Whole says that the numbers stand for whole texts: see Whole.
	Whole bool
}

// Note puts a record into the ring. Nothing of n is kept.
func (r *Recorder) Note(n *Note) {
	g := r.ring
	if !n.Recorded {
		r.ringHasMore()
	}
	g.fill(uint64(n.Time), n.ID.Conn, itemWord(n.Kind, n.Form, &n.ID, &n.Cause), n.Cause.Conn, causeWord(&n.Cause, n.Size),
		n.where(), uint64(TextsOf(n.Type, n.Peer, n.Address, n.Name)))
}

// where is the sixth word of n.
func (n *Note) where() uint64 {
	// A slot has one place for both: a record with an Outcome is that of a handled item, and has no To. See Event.texts.
	to := n.To
	if n.Outcome != 0 {
		to = n.Outcome
	}
	return uint64(n.Env) | uint64(n.Endpoint)<<32 | uint64(to)<<48
}

// words are those of n.
func (n *Note) words() words {
	return words{
		uint64(n.Time), n.ID.Conn, itemWord(n.Kind, n.Form, &n.ID, &n.Cause), n.Cause.Conn, causeWord(&n.Cause, n.Size),
		n.where(), uint64(TextsOf(n.Type, n.Peer, n.Address, n.Name)),
	}
}

// Texts are the numbers of four texts of a record, as a slot has them.
type Texts uint64

// TextsOf are the Texts of a Note's Type, Peer, Address and Name.
func TextsOf(typ, peer, address, name Name) Texts {
	return Texts(uint64(typ) | uint64(peer)<<16 | uint64(address)<<32 | uint64(name)<<48)
}

// NoteItem is Note with its parts one by one: they stay in registers, which costs less than a Note in memory. to is the Note's To, or its
// Outcome.
func (r *Recorder) NoteItem(
	kind tracepb.Kind, form tracepb.Form, id, cause *ID, env uint32, at int64, size uint64, recorded bool, endpoint, to Name, rest Texts,
) {
	if !recorded {
		r.ringHasMore()
	}
	r.ring.fill(uint64(at), id.Conn, itemWord(kind, form, id, cause), cause.Conn, causeWord(cause, size),
		uint64(env)|uint64(endpoint)<<32|uint64(to)<<48, uint64(rest))
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

// Now is the time for a Note in nanoseconds since 1970. If ok is false the caller reads the world's own clock, which is as cheap and exact.
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
