package gossip

import (
	"context"
	"slices"

	"github.com/hashicorp/memberlist"
)

// Adjust lets f change the settings that memberlist gets.
func (c *Config) Adjust(f func(*memberlist.Config)) { c.adjust = f }

// WaitRefuted returns when this member has heard that one refuted another's accusation with that number, or a later one.
func (m *Member) WaitRefuted(ctx context.Context, by, of string, number uint64) error {
	return m.wait(ctx, func(b *books) bool {
		return slices.ContainsFunc(b.charges[of], func(a charge) bool { return a.By == by && a.Number >= number && a.Refuted })
	})
}

// Accuse is what this member does when its own probe of another has failed. It returns the number of the accusation.
func (m *Member) Accuse(name string) uint64 {
	m.accuse(name)
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.books.accusations
}

// Hear is what this member does with a line that another one sends.
func (m *Member) Hear(line string) { (*delegate)(m).NotifyMsg([]byte(line)) }
