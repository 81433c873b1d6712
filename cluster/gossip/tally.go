package gossip

import (
	"fmt"
	"sync"

	"github.com/coherer/coherer/rpcenv/oneline"
)

// tally counts what memberlist dropped for one reason.
type tally struct {
	about func(line string) bool // whether a line of memberlist's log says that something was dropped for this reason
	// first is the warning of the first line, more that of the count and the last line. They are formats.
	first, more string

	mu         sync.Mutex
	seen, told int
	last       string
}

// tallies are those of a member.
func tallies() []*tally {
	return []*tally{
		{
			about: strange,
			first: "gossip: something came that is not of this cluster, and was dropped; if more comes it is counted: %s",
			more:  "gossip: %d packets and streams came so far that are not of this cluster, and were dropped; the last: %s",
		},
		{
			about: overload,
			first: "gossip: this member is overloaded and dropped messages of its cluster; if it drops more they are counted: %s",
			more:  "gossip: this member is overloaded and dropped %d messages of its cluster so far; the last: %s",
		},
	}
}

// mostLine bounds the line that is kept, in bytes.
const mostLine = 300

// note counts a line, and returns what to warn of; empty: nothing.
func (t *tally) note(line string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen++
	t.last = line[:min(len(line), mostLine)]
	if t.seen > 1 {
		return ""
	}
	t.told = 1
	return fmt.Sprintf(t.first, oneline.Text(t.last))
}

// sum returns what to warn of now; empty: nothing. It says the count when that is ten times what was said before, so a flood is a line or two.
func (t *tally) sum() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.told == 0 || t.seen < 10*t.told {
		return ""
	}
	t.told = t.seen
	return fmt.Sprintf(t.more, t.seen, oneline.Text(t.last))
}

// count hears each line of memberlist's log, and warns of the first of each tally.
func (m *Member) count(line string) {
	for _, t := range m.tallies {
		if !t.about(line) {
			continue
		}
		if text := t.note(line); text != "" {
			m.warn("%s", text)
		}
	}
}

// sum warns of the tallies that have grown much.
func (m *Member) sum() {
	for _, t := range m.tallies {
		if text := t.sum(); text != "" {
			m.warn("%s", text)
		}
	}
}
