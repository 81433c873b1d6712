package trace

import (
	"cmp"
	"slices"
	"time"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// Follower joins the records of several processes while they are made, as Merge does with all of them at the end. Its
// owner adds records as they come and takes the entries that are settled: those of before a moment up to which every
// process has reported, and whose causes are settled too. A record that comes later still becomes an entry, out of order.
// Since a run may be long, a Follower keeps only what is not settled, the names of Envs and ends of connections, and the
// messages that only one end has reported.
type Follower struct {
	family  Family
	sources []*source
	start   time.Time
	// gone are the messages that were returned with the record of one end: that of the other must not bring them again.
	gone map[followKey]bool
}

// source is one process.
type source struct {
	name string
	// known names the Envs and the ends of connections, which every later record needs.
	known []*tracepb.Record
	ends  map[connEnd]bool // the connections that known has
	// waiting are the records that are not settled.
	waiting []*tracepb.Record
}

type connEnd struct {
	conn uint64
	env  uint32
}

// followKey names a message among all sources.
type followKey struct {
	conn   uint64
	back   bool
	source *source // of a local one only
	env    uint32
	n      uint64
}

// NewFollower returns a Follower that has seen nothing, and names Envs as the Merge of that Family.
func NewFollower(family Family) *Follower {
	return &Follower{family: family, gone: map[followKey]bool{}}
}

// Add takes records of the process that is called source, in the order in which it made them.
func (f *Follower) Add(process string, records []*tracepb.Record) {
	i := slices.IndexFunc(f.sources, func(s *source) bool { return s.name == process })
	if i < 0 {
		i = len(f.sources)
		f.sources = append(f.sources, &source{name: process, ends: map[connEnd]bool{}})
	}
	s := f.sources[i]
	for _, r := range records {
		end := connEnd{r.GetId().GetConn(), r.GetEnv()}
		if r.GetKind() == tracepb.Kind_ENV {
			s.known = append(s.known, r)
			continue
		}
		// The first record of a connection is going to be forgotten. A record that only says that this Env is an end of it
		// stays in its place, since Merge names the peers of all later messages by it.
		if end.conn != 0 && !s.ends[end] {
			s.ends[end] = true
			s.known = append(s.known, &tracepb.Record{Env: end.env, Id: &tracepb.Id{Conn: end.conn}, Time: firstTime(r)})
		}
		s.waiting = append(s.waiting, r)
	}
}

// Settled returns, in order of time, the entries of before until that were not returned yet; all for the zero time. The
// times of the entries count from the start of the first trace that was not empty.
func (f *Follower) Settled(until time.Time) *Trace {
	before := ^uint64(0)
	if !until.IsZero() {
		before = uint64(max(until.UnixNano(), 0))
	}
	// First, or a message whose other end reports only now would become a second entry.
	f.dropGone()
	var files [][]*tracepb.Record
	for _, s := range f.sources {
		files = append(files, slices.Concat(s.known, s.waiting))
	}
	t := f.family.Merge(files...)
	if f.start.IsZero() && t.Start.UnixNano() != 0 {
		f.start = t.Start
	}
	// The start of a trace is that of its first record: a process that reported late may have begun before the others.
	shift := int64(t.Start.Sub(f.start))
	fresh := t.Entries[:0]
	settles := make(map[string]uint64, len(t.Entries)) // causes come first
	for _, e := range t.Entries {
		// Not before its cause, which may be late by another process's clock: a reader gets causes first.
		at := max(uint64(t.Start.UnixNano())+uint64(e.Sent), settles[e.Cause])
		if e.ID != "" && e.K != KindConn {
			settles[e.ID] = at
		}
		if at >= before {
			continue
		}
		e.Sent, e.Recv, e.Start, e.End = e.Sent+shift, e.Recv+shift, e.Start+shift, e.End+shift
		fresh = append(fresh, e)
	}
	t.Entries, t.Start = fresh, f.start
	f.forget(before)
	return t
}

// dropGone takes out the records whose message was returned already.
func (f *Follower) dropGone() {
	for _, s := range f.sources {
		s.waiting = slices.DeleteFunc(s.waiting, func(r *tracepb.Record) bool {
			k, ok := s.key(r)
			if !ok || !f.gone[k] {
				return false
			}
			delete(f.gone, k)
			return true
		})
	}
}

// forget drops what was returned.
func (f *Follower) forget(before uint64) {
	settles := f.settling() // for all sources before anything is dropped: a cause may be another source's record
	for _, s := range f.sources {
		s.waiting = slices.DeleteFunc(s.waiting, func(r *tracepb.Record) bool {
			if settles(s, r) >= before {
				return false
			}
			if k, ok := s.key(r); ok {
				if f.gone[k] {
					delete(f.gone, k) // both ends have reported
				} else {
					f.gone[k] = true
				}
			}
			return true
		})
	}
}

// settling says of a record when its entry settles: at its time, but not before that of its cause, which may be by another
// clock. The arrival of a message settles with its sending.
func (f *Follower) settling() func(*source, *tracepb.Record) uint64 {
	type entry struct {
		at    uint64
		cause followKey
	}
	known := map[followKey]entry{}
	for _, s := range f.sources {
		for _, r := range s.waiting {
			k := s.named(r.GetId(), r)
			// The sender's record counts, as in Merge; the receiver's only until then.
			if _, twice := known[k]; k.n != 0 && (!twice || r.GetKind() == tracepb.Kind_SENT) {
				known[k] = entry{moment(r), s.named(r.GetCause(), r)}
			}
		}
	}
	return func(s *source, r *tracepb.Record) uint64 {
		at, next := moment(r), s.named(r.GetCause(), r)
		if k, ok := s.key(r); ok {
			at, next = known[k].at, known[k].cause
		}
		for range known { // as many steps as there can be: causes may go round in a damaged file
			cause, ok := known[next]
			if !ok {
				break
			}
			at, next = max(at, cause.at), cause.cause
		}
		return at
	}
}

// key names the message that a record is about; other records have none.
func (s *source) key(r *tracepb.Record) (k followKey, ok bool) {
	if r.GetKind() != tracepb.Kind_SENT && r.GetKind() != tracepb.Kind_HANDLED {
		return followKey{}, false
	}
	k = s.named(r.GetId(), r)
	return k, k.n != 0
}

// named is the key of an ID in a record; its n is zero when there is no ID.
func (s *source) named(id *tracepb.Id, r *tracepb.Record) followKey {
	switch {
	case id.GetN() == 0:
		return followKey{}
	case id.GetConn() != 0:
		return followKey{conn: id.GetConn(), back: id.GetBack(), n: id.GetN()}
	}
	return followKey{source: s, env: cmp.Or(id.GetEnv(), r.GetEnv()), n: id.GetN()}
}

// moment is the time of a record's entry in the trace, if no other record is about the same message.
func moment(r *tracepb.Record) uint64 {
	if r.GetKind() == tracepb.Kind_HANDLED || r.GetKind() == tracepb.Kind_ITEM {
		return cmp.Or(r.GetReceived(), r.GetStarted(), r.GetTime())
	}
	return r.GetTime()
}
