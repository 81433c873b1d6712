package gossip

import (
	"context"
	"fmt"
	"strings"
)

// WaitFor returns when cond holds of the members; it looks now and after each change. The error names the members when ctx
// ended; it is ErrClosed when this member ended.
func (m *Member) WaitFor(ctx context.Context, cond func([]Info) bool) error {
	return m.wait(ctx, func(b *books) bool { return cond(b.members()) })
}

// wait is WaitFor with the books, under m.mu.
func (m *Member) wait(ctx context.Context, cond func(*books) bool) error {
	for {
		m.mu.Lock()
		ok, members, changed := cond(m.books), m.books.members(), m.changed
		m.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-m.closed:
			return fmt.Errorf("gossip: wait for members: %w", ErrClosed)
		case <-ctx.Done():
			var names []string
			for _, i := range members {
				names = append(names, i.Role+" "+i.Name)
			}
			return fmt.Errorf("gossip: wait for members: %w: there are only %s", context.Cause(ctx), strings.Join(names, ", "))
		}
	}
}
