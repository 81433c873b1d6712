package gossip

import (
	"maps"
	"slices"
	"time"

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

// The kinds of events. MemberSuspected, MemberRefuted and MemberFailed are hints, never more: the member had not answered another one, then
// showed that it is there, or did not answer for a while.
const (
	MemberJoined EventKind = iota + 1
	MemberLeft
	MemberFailed
	MemberUpdated
	MemberSuspected
	MemberRefuted
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
	case MemberSuspected:
		return "suspected"
	case MemberRefuted:
		return "refuted"
	}
	return "unknown"
}

// Event is a change of the membership. Info is the member after it, or the last that was known of one that is gone.
type Event struct {
	Kind EventKind
	Info Info
	// By is, of MemberSuspected, the name of the member that had no answer. Each one's suspicion is an event, once; MemberRefuted holds for all.
	By string
}

// books hold the members, the accusations, and the changes that no event has reported. The queue has a member at most once, with all that
// happened to it since its last event. So the queue is never longer than the list of members, and a member that came and went in the
// meantime causes no event. Books are not safe for concurrent use.
type books struct {
	self        string
	cluster     uint64 // this member's, or that at which it looks; 0: none yet
	looks       bool   // this member only looks, and is of no cluster
	follows     bool   // the starter named daemons whose cluster this member takes
	now         map[string]Info
	strayed     map[string]Info // that memberlist has, and that went over to another cluster
	clock       func() time.Time
	charges     map[string][]charge // against each member, the last of each accuser, the earliest first; refuted ones stay, to know them again
	accusations uint64              // how many this member has made
	goodbyes    []string            // who left, the latest
	hidden      bool                // others believe that this member said goodbye
	refuted     time.Time           // when it last refuted that
	reported    map[string]reported // as the last event of each had it
	left        map[string]bool     // gone, with no event yet: whether it had said that it leaves
	doubted     map[string]Info     // gone, and nobody suspected them: a goodbye may come yet, and there is no event until settle
	gone        []Standing          // the latest that are gone, the latest first
	queue       []string
}

// reported is a member as the events have it.
type reported struct {
	info Info
	by   []string // who suspects it
}

func newBooks(self string) *books {
	return &books{
		self: self, now: make(map[string]Info), charges: make(map[string][]charge), clock: time.Now,
		strayed: make(map[string]Info), reported: make(map[string]reported), left: make(map[string]bool), doubted: make(map[string]Info),
	}
}

// put notes a member that is there, new or changed, and reports whether that is news. One that said goodbye comes back only if it
// refutes that: late news of it change nothing.
func (b *books) put(i Info) bool {
	if old, ok := b.now[i.Name]; ok && old == i || !ok && b.saidGoodbye(i) {
		return false
	}
	b.goodbyes = slices.DeleteFunc(b.goodbyes, func(name string) bool { return name == i.Name })
	b.now[i.Name] = i
	delete(b.doubted, i.Name)
	b.forget(i.Name)
	b.enqueue(i.Name)
	return true
}

// mostGoodbyes bounds the members that left and are remembered.
const mostGoodbyes = 256

// leave notes the goodbye of another member, and reports whether that is news. One of a member that nobody has heard of yet is kept for
// when its coming is heard of.
func (b *books) leave(name string) bool {
	if name == b.self {
		b.hidden = true
		return false
	}
	if !slices.Contains(b.goodbyes, name) {
		b.goodbyes = latest(append(b.goodbyes, name), mostGoodbyes)
	}
	// It may be there, or be taken for failed, with or without a doubt.
	i, here := b.now[name]
	if gone := slices.IndexFunc(b.gone, func(s Standing) bool { return s.Name == name }); !here && gone >= 0 {
		i = b.gone[gone].Info
	}
	if late, ok := b.settle(name); ok {
		i, here = late, true
	}
	b.remove(name, true)
	b.remember(Standing{Info: i, State: Left, At: b.clock(), seen: here})
	if here {
		b.left[name] = true
	}
	return here
}

// fail notes that memberlist has given up another member that said no goodbye. Who fails was suspected before; so one that nobody suspects has
// probably left, and memberlist's news have overtaken its goodbye. Then the result is true, and settle is to be called after a while.
func (b *books) fail(name string) (doubtful bool) {
	i, by := b.now[name], b.accusers(name)
	if !b.remove(name, false) {
		return false
	}
	if len(by) == 0 {
		b.doubted[name] = i
		return true
	}
	b.remember(Standing{i, Failed, b.clock(), by, true})
	return false
}

// settle ends the doubt whether a member left: it failed, if no goodbye has come. False: there is no doubt.
func (b *books) settle(name string) (Info, bool) {
	i, ok := b.doubted[name]
	if ok {
		delete(b.doubted, name)
		b.enqueue(name)
		b.remember(Standing{Info: i, State: Failed, At: b.clock(), seen: true})
	}
	return i, ok
}

// remove notes that a member is gone, and reports whether that is news.
func (b *books) remove(name string, left bool) bool {
	if _, ok := b.now[name]; !ok {
		return false
	}
	delete(b.now, name)
	delete(b.charges, name)
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
		if e, ok := b.difference(name); ok {
			return e, true // there may be another one
		}
		delete(b.left, name)
		b.queue = b.queue[1:]
	}
	return Event{}, false
}

// difference is an event about a member that says what has changed since its last one, whatever happened between; false: nothing. So a member
// that came and went, one that failed and came back unchanged, and one that refuted all at once cause none.
func (b *books) difference(name string) (Event, bool) {
	now, here := b.now[name]
	last, known := b.reported[name]
	if _, doubted := b.doubted[name]; doubted {
		return Event{}, false
	}
	switch {
	case here && !known:
		b.reported[name] = reported{info: now}
		return Event{Kind: MemberJoined, Info: now}, true
	case here && now != last.info:
		b.reported[name] = reported{now, last.by}
		return Event{Kind: MemberUpdated, Info: now}, true
	case here:
		return b.suspicions(now, last.by)
	case known:
		delete(b.reported, name)
		if b.left[name] {
			return Event{Kind: MemberLeft, Info: last.info}, true
		}
		return Event{Kind: MemberFailed, Info: last.info}, true
	}
	return Event{}, false
}

// suspicions is difference for the accusers of a member, of whom the events have named some.
func (b *books) suspicions(m Info, named []string) (Event, bool) {
	by := b.accusers(m.Name)
	// Whose accusation was refuted may accuse again, and is named again then.
	still := slices.DeleteFunc(slices.Clone(named), func(x string) bool { return !slices.Contains(by, x) })
	if i := slices.IndexFunc(by, func(x string) bool { return !slices.Contains(still, x) }); i >= 0 {
		b.reported[m.Name] = reported{m, append(still, by[i])}
		return Event{MemberSuspected, m, by[i]}, true
	}
	b.reported[m.Name] = reported{m, still}
	if len(named) > 0 && len(still) == 0 {
		return Event{Kind: MemberRefuted, Info: m}, true
	}
	return Event{}, false
}

// members is everybody, sorted by name.
func (b *books) members() []Info {
	return slices.SortedFunc(maps.Values(b.now), byName)
}
