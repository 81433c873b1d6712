package gossip

import (
	"cmp"
	"maps"
	"slices"

	"github.com/coherer/coherer/rpcenv"
)

// Info is a member as others know it.
type Info struct {
	// Name is the member's own: where its Env listens, "/", and its incarnation in hexadecimal digits.
	Name string
	// Gossip is where it listens for other members.
	Gossip rpcenv.Address
	Meta
}

// EventKind is what happened to a member.
type EventKind int

// The kinds of events. MemberFailed is a hint, never more: the member did not answer for a while.
const (
	MemberJoined EventKind = iota + 1
	MemberLeft
	MemberFailed
	MemberUpdated
)

// String is the kind in a word.
func (k EventKind) String() string {
	switch k {
	case MemberJoined:
		return "joined"
	case MemberLeft:
		return "left"
	case MemberFailed:
		return "failed"
	case MemberUpdated:
		return "updated"
	}
	return "unknown"
}

// Event is a change of the membership. Info is the member after it, or the last that was known of one that is gone.
type Event struct {
	Kind EventKind
	Info Info
}

// books hold the members, and the changes not yet reported. A member stands in the queue at most once, with all that
// happened to it since its last event, so the queue is never longer than the list of members; a member that came and went
// in the meantime causes no event. Books are not safe for concurrent use.
type books struct {
	now      map[string]Info
	reported map[string]Info // as the last event of each had it
	left     map[string]bool // gone, with no event yet: whether it had said that it leaves
	queue    []string
}

func newBooks() *books {
	return &books{now: make(map[string]Info), reported: make(map[string]Info), left: make(map[string]bool)}
}

// put notes a member that is there, new or changed, and reports whether that is news.
func (b *books) put(i Info) bool {
	if old, ok := b.now[i.Name]; ok && old == i {
		return false
	}
	b.now[i.Name] = i
	b.enqueue(i.Name)
	return true
}

// remove notes that a member is gone, and reports whether that is news.
func (b *books) remove(name string, left bool) bool {
	if _, ok := b.now[name]; !ok {
		return false
	}
	delete(b.now, name)
	b.left[name] = left
	b.enqueue(name)
	return true
}

func (b *books) enqueue(name string) {
	if !slices.Contains(b.queue, name) {
		b.queue = append(b.queue, name)
	}
}

// next takes the next event off the queue; false: it is empty.
func (b *books) next() (Event, bool) {
	for len(b.queue) > 0 {
		name := b.queue[0]
		b.queue = b.queue[1:]
		now, here := b.now[name]
		last, known := b.reported[name]
		left := b.left[name]
		delete(b.left, name)
		// The event is the difference to the last one, whatever happened between. A member that came and went, or failed and
		// came back unchanged, matches no case.
		switch {
		case here && !known:
			b.reported[name] = now
			return Event{MemberJoined, now}, true
		case here && now != last:
			b.reported[name] = now
			return Event{MemberUpdated, now}, true
		case !here && known:
			delete(b.reported, name)
			if left {
				return Event{MemberLeft, last}, true
			}
			return Event{MemberFailed, last}, true
		}
	}
	return Event{}, false
}

// members is everybody, sorted by name.
func (b *books) members() []Info {
	return slices.SortedFunc(maps.Values(b.now), func(x, y Info) int { return cmp.Compare(x.Name, y.Name) })
}
