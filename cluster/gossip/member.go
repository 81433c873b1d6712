package gossip

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"

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
	addr     rpcenv.Address
	onChange func(Event)
	keys     func() (Keys, error) // nil: messages are not encrypted
	ring     *memberlist.Keyring
	log      *logrus.Entry // nil: none

	// ending orders Leave and Close: memberlist panics on a Leave after the end.
	ending   sync.Mutex
	closed   chan struct{}
	notifier chan struct{} // closed when the goroutine of notify ended
	keeper   chan struct{} // closed when the goroutine of keep ended
	called   chan struct{} // has one entry when met grew

	tallies []*tally // of what memberlist dropped

	// rumours are lines on their way. Its lock is taken before mu.
	rumours memberlist.TransmitLimitedQueue

	// mu is taken inside memberlist's lock, so nothing of memberlist is called under it.
	mu      sync.Mutex
	meta    []byte
	books   *books
	calls   []string         // addresses of Config.Join, to call on while no member is known there
	met     []string         // those of Meet, the latest
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
	meta, err := encodeMeta(c.Meta)
	if err != nil {
		return nil, fmt.Errorf("gossip: %w", err)
	}
	m := &Member{
		label:    c.Label,
		name:     c.name(),
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
	settings := c.settings(ip)
	m.rumours = memberlist.TransmitLimitedQueue{NumNodes: m.size, RetransmitMult: settings.RetransmitMult}
	settings.Logger = newLogger(c.Log, m.accuse, m.count)
	settings.Delegate = (*delegate)(m)
	settings.Events = (*delegate)(m)
	settings.Alive = (*delegate)(m)
	if c.Keys != nil {
		keys, err := c.Keys()
		if err != nil {
			return nil, fmt.Errorf("gossip: %w", err)
		}
		if m.ring, err = memberlist.NewKeyring(keys, keys[0]); err != nil {
			return nil, fmt.Errorf("gossip: %w", err)
		}
		settings.Keyring = m.ring
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
	return m, nil
}

// listen makes the list, at the port of s or, if others have it, at one of the next.
func (m *Member) listen(s *memberlist.Config, retries int) error {
	return rpcenv.NextPorts(s.BindPort, retries, func(port int) error {
		if port != s.BindPort {
			m.warn("Service 'gossip' could not bind on port %d. Attempting port %d.", s.BindPort, port)
		}
		s.BindPort, s.AdvertisePort = port, port
		// memberlist's own error does not say that a port is taken.
		if err := free(s.BindAddr, port); err != nil {
			return err
		}
		var err error
		m.list, err = memberlist.Create(s)
		return err
	})
}

// free is the error of listening at a port, over TCP or UDP; nil when nobody else does.
func free(host string, port int) error {
	at := net.JoinHostPort(host, strconv.Itoa(port))
	stream, err := net.Listen("tcp", at)
	if err != nil {
		return err
	}
	packets, udp := net.ListenPacket("udp", at)
	if udp == nil {
		udp = packets.Close()
	}
	return errors.Join(udp, stream.Close())
}

func (m *Member) join(ctx context.Context, addresses []string) error {
	var errs []error
	joined := len(addresses) == 0

	for _, address := range addresses {
		if err := m.joinOne(ctx, address); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", address, err))
			continue
		}
		joined = true
	}
	if joined {
		return nil
	}
	return fmt.Errorf("gossip: %w: check that a daemon of the cluster %q runs at one of these addresses (its ready line names "+
		"its gossip address) and that TCP and UDP pass:\n%w", ErrNobody, m.label, errors.Join(errs...))
}

func (m *Member) joinOne(ctx context.Context, address string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	a, err := rpcenv.ParseAddress(address)
	if err != nil {
		return err
	}
	ip, err := resolve(ctx, a.Host)
	if err != nil {
		return err
	}
	a.Host = ip.String()
	if a == m.addr { // it would answer, and a member that is alone would count as joined
		return errors.New("it is this member's own address")
	}
	if _, err := m.list.Join([]string{net.JoinHostPort(a.Host, strconv.Itoa(a.Port))}); err != nil {
		// memberlist's error is a list over several lines, here of one.
		var list interface{ WrappedErrors() []error }
		if errors.As(err, &list) && len(list.WrappedErrors()) == 1 {
			err = list.WrappedErrors()[0]
		}
		return explain(err)
	}
	return nil
}

// Meet calls on an address, now and whenever no member is known there, as on those of Config.Join; of many addresses only the latest
// count. It returns at once; after Leave or Close it does nothing.
func (m *Member) Meet(address string) {
	m.mu.Lock()
	known := slices.Contains(m.calls, address) || slices.Contains(m.met, address)
	if !known {
		m.met = latest(append(m.met, address), MostCalls)
	}
	m.mu.Unlock()
	if known {
		return
	}
	select {
	case m.called <- struct{}{}:
	default: // a round of calls is about to begin
	}
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
	m.mu.Unlock()
	meta := old
	if change(&meta); meta == old {
		return nil
	}
	data, err := encodeMeta(meta)
	if err != nil {
		return fmt.Errorf("gossip: %w", err)
	}
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

func (m *Member) warn(format string, args ...any) {
	if m.log != nil {
		m.log.Warnf(format, args...)
	}
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
			if m.onChange != nil && event.Info.Name != m.name && !m.isClosed() {
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
