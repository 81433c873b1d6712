package gossip

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/memberlist"
	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/rpcenv"
)

// ErrClosed is the error of a call that needs a Member which has left or is closed.
var ErrClosed = errors.New("this member has left its cluster")

// ErrNobody is the error of a Join to which no address answered.
var ErrNobody = errors.New("no member of the cluster answered")

// Member is this process's place in a cluster. Its methods may be called from any goroutine.
type Member struct {
	list     *memberlist.Memberlist
	label    string
	name     string
	role     string
	addr     rpcenv.Address
	onChange func(Event)
	keys     func() (Keys, error) // nil: messages are not encrypted
	keyring  *memberlist.Keyring
	log      *logrus.Entry // nil: none

	// ending orders Leave and Close: memberlist panics on a Leave after the end.
	ending   sync.Mutex
	closed   chan struct{}
	notifier chan struct{} // closed when the goroutine of notify ended
	keeper   chan struct{} // closed when the goroutine of keep ended
	called   chan struct{} // has one entry when told grew, or this member has a cluster that the others have not heard of

	tallies []*tally // of what memberlist dropped
	said    []string // addresses of which warnOf has warned; keep's alone, after the join
	alone   bool     // it has led from its start, and is none of several Masters
	rivals  []string // members of which rival has warned; notify's alone

	exchanging sync.Mutex // held during a call

	// rumours are lines on their way. Its lock is taken before mu.
	rumours memberlist.TransmitLimitedQueue

	// mu is taken inside memberlist's lock, so nothing of memberlist is called under it.
	mu      sync.Mutex
	meta    []byte
	books   *books
	calls   []string         // addresses of Config.Join, to call on while no member is known there
	met     []string         // those of Meet, the latest
	told    []string         // those of Meet that nobody has called on since
	calling rpcenv.Address   // where a call is under way; zero: none is
	lost    []rpcenv.Address // where members failed
	changed chan struct{}    // closed and replaced at each change
}

// Join becomes a member of a cluster and returns when one of the addresses answered. When none did, and c is not Patient, nothing is left, and
// the error is ErrNobody with each address's reason; longer metadata than fits is ErrMetaTooLong. An address that stays
// silent holds it up for some seconds, whatever ctx says; ctx is looked at between addresses.
func Join(ctx context.Context, c Config) (*Member, error) {
	if err := c.validate(); err != nil {
		return nil, fmt.Errorf("gossip: %w", err)
	}
	ip, err := resolve(ctx, c.Bind.Host)
	if err != nil {
		return nil, fmt.Errorf("gossip: listen at %s: %w", c.Bind, err)
	}
	founds := c.Meta.Cluster
	if len(c.Join) > 0 {
		c.Meta.Cluster = 0
	}
	meta, err := encodeMeta(c.Meta)
	if err != nil {
		return nil, fmt.Errorf("gossip: %w", err)
	}
	m := &Member{
		label:    c.Label,
		name:     c.name(),
		role:     c.Meta.Role,
		alone:    c.Meta.Leads,
		onChange: c.OnChange,
		closed:   make(chan struct{}),
		notifier: make(chan struct{}),
		keeper:   make(chan struct{}),
		keys:     c.Keys,
		log:      c.Log,
		meta:     meta,
		calls:    slices.Clone(c.Join),
		called:   make(chan struct{}, 1),
		books:    newBooks(c.name()),
		tallies:  tallies(),
		changed:  make(chan struct{}),
	}
	m.books.cluster, m.books.looks, m.books.follows = c.Meta.Cluster, c.Meta.Role == RoleLook, c.follows
	settings := c.settings(ip)
	// memberlist multiplies by the digits of the number of members. Half of that reaches all where there are two digits or more.
	size := func() int { return max(m.size(), 10) }
	m.rumours = memberlist.TransmitLimitedQueue{NumNodes: size, RetransmitMult: settings.RetransmitMult / 2}
	settings.Logger = newLogger(c.Log, m.accuse, m.count)
	settings.Delegate = (*delegate)(m)
	settings.Events = (*delegate)(m)
	settings.Alive = (*delegate)(m)
	settings.Merge = (*delegate)(m)
	if c.Keys != nil {
		keys, err := c.Keys()
		if err != nil {
			return nil, fmt.Errorf("gossip: %w", err)
		}
		if m.keyring, err = memberlist.NewKeyring(keys, keys[0]); err != nil {
			return nil, fmt.Errorf("gossip: %w", err)
		}
		settings.Keyring = m.keyring
	}
	if err := m.listen(settings, c.Retries); err != nil {
		at := rpcenv.Address{Host: ip.String(), Port: c.Bind.Port}
		return nil, fmt.Errorf("gossip: listen at %s: %w: choose a free port of this machine by coherer.gossip.port, 0 for any", at, err)
	}
	// Create has called NotifyJoin for this member itself: the books have its address, with the port that port 0 became.
	m.mu.Lock()
	m.addr = m.books.now[m.name].Gossip
	m.mu.Unlock()
	// Both run before the join, so that Close can end them when nobody answers.
	go m.notify()
	go m.keep(c)
	err = m.join(ctx, c.Join)
	switch {
	case err != nil && c.Patient:
		m.warn("%v", strings.ReplaceAll(err.Error(), "\n", " "))
	case err != nil:
		m.Close()
		return nil, err
	}
	m.found(founds)
	return m, nil
}

// Meet calls on an address, now and whenever no member is known there, as on those of Config.Join; of many addresses only the latest
// count. If another cluster answers now this member goes over to it, unless it is a Master or a ResourceManager; later calls do not make it. It
// returns at once; after Leave or Close it does nothing. A duplicate calls again.
func (m *Member) Meet(address string) {
	m.mu.Lock()
	if !slices.Contains(m.calls, address) && !slices.Contains(m.met, address) {
		m.met = latest(append(m.met, address), MostCalls)
	}
	if !slices.Contains(m.told, address) {
		m.told = latest(append(m.told, address), MostCalls)
	}
	m.mu.Unlock()
	m.wake()
}

// wake begins a round of calls.
func (m *Member) wake() {
	select {
	case m.called <- struct{}{}:
	default: // one is about to begin
	}
}

// found makes this member one of a cluster that it founds, if it has none.
func (m *Member) found(cluster uint64) {
	m.change(func(b *books) bool {
		if b.cluster != 0 {
			return false
		}
		b.take(cluster)
		return true
	})
	m.profess(true)
}

// Name is this member's own: see Info.Name.
func (m *Member) Name() string { return m.name }

// Addr is where this member listens for others.
func (m *Member) Addr() rpcenv.Address { return m.addr }

// Members are all members that are there, this one included, sorted by name.
func (m *Member) Members() []Info {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.books.members()
}

// size is the number of members.
func (m *Member) size() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.books.now)
}

// Lead lets the others hear that this member leads from now on: see Revise.
func (m *Member) Lead(ctx context.Context) error {
	return m.Revise(ctx, func(own *Meta) { own.Leads = true })
}

// Revise changes what this member says of itself; Role and RPC must stay as they are, since they are in its name. It returns when the news
// was sent, or ctx ended; after Leave or Close the error is ErrClosed.
func (m *Member) Revise(ctx context.Context, change func(own *Meta)) error {
	m.ending.Lock()
	defer m.ending.Unlock()
	if m.isClosed() {
		return fmt.Errorf("gossip: revise: %w", ErrClosed)
	}
	return m.revise(ctx, change)
}

// revise is Revise of a member that has not ended; it wants m.ending. What does not change is not published.
func (m *Member) revise(ctx context.Context, change func(own *Meta)) error {
	m.mu.Lock()
	old := m.books.now[m.name].Meta
	cluster := m.books.cluster
	m.mu.Unlock()
	meta := old
	meta.Cluster = cluster
	if change(&meta); meta == old {
		return nil
	}
	data, err := encodeMeta(meta)
	if err != nil {
		return fmt.Errorf("gossip: %w", err)
	}
	m.change(func(b *books) bool {
		b.take(meta.Cluster)
		return true
	})
	return m.publish(ctx, data)
}

// publish spreads what this member says of itself; it wants m.ending.
func (m *Member) publish(ctx context.Context, meta []byte) error {
	m.mu.Lock()
	m.meta = meta
	m.mu.Unlock()
	if err := m.list.UpdateNode(patience(ctx)); err != nil {
		return fmt.Errorf("gossip: update: %w", err)
	}
	return nil
}

// reviseSoon is revise for news that travel by themselves: nobody waits until all have them. It wants m.ending.
func (m *Member) reviseSoon(change func(own *Meta)) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if err := m.revise(ctx, change); err != nil && m.log != nil {
		m.log.Debugf("the members may hear late what is new of this one: %v", err)
	}
}

func (m *Member) warn(format string, args ...any) {
	if m.log != nil {
		m.log.Warnf(format, args...)
	}
}

// change changes the books and wakes the waiters, and the upkeep if there is a cluster to profess.
func (m *Member) change(f func(*books) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := m.books.cluster
	news := f(m.books)
	if m.books.cluster != before {
		m.wake()
	}
	if news {
		close(m.changed)
		m.changed = make(chan struct{})
	}
}

// rival warns, once of each, of another member that leads in this one's role. A Master that is none of several and another one are two
// clusters, whose Workers and applications find both by this gossip.
func (m *Member) rival(e Event) {
	if !m.alone || !e.Info.Leads || e.Info.Role != m.role || e.Kind != MemberJoined && e.Kind != MemberUpdated || slices.Contains(m.rivals, e.Info.Name) {
		return
	}
	m.rivals = latest(append(m.rivals, e.Info.Name), MostCalls)
	m.warn("gossip: the %s at %s leads too: these are two clusters in one gossip, and who comes by gossip:// finds both. End one of them, or start "+
		"the daemons of one with a name of their own: --conf coherer.gossip.label=NAME", e.Info.Role, e.Info.RPC)
}

// notify calls onChange for each event of the books.
func (m *Member) notify() {
	defer close(m.notifier)
	for {
		// changed is read under the same lock as the queue: a change after that closes it, so none is slept through.
		m.mu.Lock()
		event, ok := m.books.next()
		changed := m.changed
		m.mu.Unlock()
		if ok {
			// Without m.mu: the user may ask for Members in onChange, and memberlist waits for m.mu under its own lock.
			if event.Info.Name == m.name || m.isClosed() {
				continue
			}
			m.rival(event)
			if m.onChange != nil {
				m.onChange(event)
			}
			continue
		}
		select {
		case <-changed:
		case <-m.closed:
			return
		}
	}
}
