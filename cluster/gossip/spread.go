package gossip

import (
	"bytes"
	"strings"

	"github.com/hashicorp/memberlist"
)

// What members of this package say to each other beside memberlist's own messages is text of one line: goodbyes, accusations and
// refutations. It travels in packets, from one member to the next.

// rumour is a line on its way. A later one about the same matter takes its place.
type rumour struct {
	matter string
	line   []byte
}

var _ memberlist.NamedBroadcast = rumour{}

func (r rumour) Name() string                                { return r.matter }
func (r rumour) Message() []byte                             { return r.line }
func (r rumour) Invalidates(other memberlist.Broadcast) bool { return false } // by Name
func (r rumour) Finished()                                   {}

// mostRumours bounds what is on its way from this member at a time.
const mostRumours = 256

// spread lets the others hear something. It takes locks, so m.mu must be free.
func (m *Member) spread(matter, line string) {
	m.rumours.QueueBroadcast(rumour{matter, []byte(line)})
	m.rumours.Prune(mostRumours)
}

func (m *Member) spreadAccusation(a accusation) { m.spread(a.By+" "+a.Of, a.String()) }

// accuse is called when this member's own probe of another has failed.
func (m *Member) accuse(of string) {
	m.changeAndSpread(func(b *books) (accusation, bool) { return b.accuse(of) })
}

// hear notes what another member says of a third.
func (m *Member) hear(a accusation) {
	m.changeAndSpread(func(b *books) (accusation, bool) { return b.hear(a) })
}

func (m *Member) changeAndSpread(f func(b *books) (accusation, bool)) {
	var say accusation
	var ok bool
	m.change(func(b *books) bool {
		say, ok = f(b)
		return ok
	})
	if ok {
		m.spreadAccusation(say)
	}
}

// NotifyMsg hears a line. What cannot be read is of another release, and not understood.
func (d *delegate) NotifyMsg(message []byte) {
	m := (*Member)(d)
	line := string(message)
	if name, ok := strings.CutPrefix(line, goodbyePrefix); ok {
		if !fits(name) {
			return
		}
		left := false
		m.change(func(b *books) bool {
			left = b.leave(name)
			return left
		})
		if left {
			m.spread(line, line)
		}
		if name == m.name {
			m.wake() // to refute it
		}
		return
	}
	if a, err := parseAccusation(line); err == nil {
		m.hear(a)
	}
}

// GetBroadcasts are the lines on their way that fit into a packet.
func (d *delegate) GetBroadcasts(overhead, limit int) [][]byte {
	return d.rumours.GetBroadcasts(overhead, limit)
}

// mostState bounds the state that another member may send, in bytes.
const mostState = 128 << 10

// LocalState tells a member that has heard nothing what memberlist does not, line by line: the members that are gone, the suspected ones, and
// the accusations that stand. The line of a suspected member has all that is known of it, since memberlist names no suspect to a newcomer.
func (d *delegate) LocalState(bool) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []byte
	add := func(line []byte) {
		if len(out)+len(line) <= mostState {
			out = append(out, line...)
		}
	}
	for _, s := range d.books.standings() {
		if s.State == Alive {
			continue
		}
		if line, err := encodeStanding(s); err == nil { // metadata too long for the wire is left out
			add(line)
		}
	}
	for _, a := range d.books.stand() {
		add([]byte(a.String() + "\n"))
	}
	return out
}

// MergeRemoteState hears the state of another member.
func (d *delegate) MergeRemoteState(state []byte, _ bool) {
	m := (*Member)(d)
	if len(state) > mostState {
		return
	}
	for line := range bytes.Lines(state) {
		if line[0] != '{' {
			if a, err := parseAccusation(strings.TrimSuffix(string(line), "\n")); err == nil {
				m.hear(a)
			}
			continue
		}
		if s, err := decodeStanding(line); err == nil {
			m.change(func(b *books) bool {
				b.hearOf(s)
				return true
			})
		}
	}
}
