package gossip

import (
	"context"
	"fmt"
	"time"
)

// Leave says goodbye, so that the others see this member as left, and closes it. Those that the goodbye does not reach see it as
// failed. The error means that ctx ended before memberlist had spread that this member is gone. After Close it does nothing.
func (m *Member) Leave(ctx context.Context) error {
	m.ending.Lock()
	defer m.ending.Unlock()
	if m.isClosed() {
		return nil
	}
	// To each of the others at once: memberlist spreads its own message of leaving from one to the next, where it looks like a failure.
	for _, n := range m.list.Members() {
		if n.Name != m.name {
			_ = m.list.SendBestEffort(n, goodbye(m.name)) // no error says that a packet was lost, so none matters here
		}
	}
	err := m.list.Leave(patience(ctx))
	m.close()
	if err != nil {
		return fmt.Errorf("gossip: leave: %w", err)
	}
	return nil
}

// goodbyePrefix begins the goodbye of a member that leaves; its name follows.
const goodbyePrefix = "bye "

func goodbye(name string) []byte { return []byte(goodbyePrefix + name) }

// patience is the time until ctx ends as memberlist wants it: above 0. Without an end it is long enough for a goodbye.
func patience(ctx context.Context) time.Duration {
	const most = 2 * time.Second
	deadline, ok := ctx.Deadline()
	if !ok {
		return most
	}
	return min(most, max(time.Until(deadline), time.Millisecond))
}

// Close ends this member without a word, as a crash would: after a while the others see it as failed. It may be called
// twice. No OnChange is called after it returned.
func (m *Member) Close() {
	m.ending.Lock()
	defer m.ending.Unlock()
	if !m.isClosed() {
		m.close()
	}
}

// close wants m.ending.
func (m *Member) close() {
	// Its error is always nil; memberlist logs failures.
	_ = m.list.Shutdown()
	close(m.closed)
	<-m.notifier
	<-m.keeper
}

func (m *Member) isClosed() bool {
	select {
	case <-m.closed:
		return true
	default:
		return false
	}
}

// leaveTime bounds the goodbye of a process that ends. The others have its own goodbye at once; a round of gossip, which each of them
// passes on, tells memberlist.
const leaveTime = 75 * time.Millisecond

// Part is Leave for a process that ends, which takes leaveTime at most. For nil, a process that is no member, it does nothing.
func (m *Member) Part() {
	if m == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), leaveTime)
	defer cancel()
	if err := m.Leave(ctx); err != nil && m.log != nil {
		m.log.Debugf("the other members may not have heard the goodbye; they will notice: %v", err)
	}
	m.Close()
}
