package metrics

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Observe counts how long one that was handled had waited in the inbox, and how long its callback took.
func (s *Series) Observe(wait, handling time.Duration) {
	t := s.times.Load()
	if t == nil { // of two that come at once one makes it, and both use that
		s.times.CompareAndSwap(nil, new(times))
		t = s.times.Load()
	}
	t.wait.observe(wait)
	t.handling.observe(handling)
}

// Snapshot is the counters of an Env at one time. Rows are sorted by their names.
type Snapshot struct {
	// Env is its name and Address where it listens, empty in client mode. Incarnation is that of the Env.
	Env, Address string
	Incarnation  uint64
	// Time is when it was taken.
	Time time.Time
	// Timed says whether waiting and handling are measured.
	Timed     bool
	Endpoints []EndpointRow
	Peers     []PeerRow
	// Drops are undelivered messages whose sender got no error, by reason; zero counts are omitted.
	Drops []DropRow
	// Sent and Received count messages to and from peers, answers too; their bytes are those of their contents.
	Sent, SentBytes, Received, ReceivedBytes uint64
	// Open is how many connections there are, Opened and Lost how many there began and ended. Refused are those that failed
	// in the handshake, NotReached the dials that failed.
	Open                              int
	Opened, Lost, Refused, NotReached uint64
}

// EndpointRow is one endpoint.
type EndpointRow struct {
	Name string
	// Running is false once it was stopped.
	Running bool
	Series  []SeriesRow
}

// SeriesRow is what an endpoint had to do with one type. Type is empty for what has no message.
type SeriesRow struct {
	Kind Kind
	Type string
	// Received is how many came into the inbox, Asks how many of them want an answer. Handled is how many callbacks have
	// ended, Failures how many of them in a panic, an unsupported message, or without the answer that was wanted.
	Received, Asks, Handled, Failures uint64
	// Wait is the time in the inbox, Handling that in the callback, of those that were measured.
	Wait, Handling Times
}

// Depth is how many wait or are in hand.
func (r *SeriesRow) Depth() uint64 { return r.Received - min(r.Handled, r.Received) }

// Total is the sum of an endpoint's rows.
func (r *EndpointRow) Total() (t SeriesRow) {
	for i := range r.Series {
		t.add(&r.Series[i])
	}
	return t
}

func (r *SeriesRow) add(s *SeriesRow) {
	r.Received += s.Received
	r.Asks += s.Asks
	r.Handled += s.Handled
	r.Failures += s.Failures
	r.Wait.Add(s.Wait)
	r.Handling.Add(s.Handling)
}

// PeerRow is what waits for a peer.
type PeerRow struct {
	// Address is where it listens, else its end of the connection; Name is what it is called, empty without a connection.
	Address, Name string
	// Listens says whether it can be connected to.
	Listens bool
	// Connected says whether there is a connection.
	Connected bool
	// Messages wait for a connection to be made, or for credit; Bytes are theirs, and those that wait to be written.
	Messages, Bytes int
}

// DropRow is how often messages were not delivered for one reason.
type DropRow struct {
	Reason Reason
	Count  uint64
}

// Fold joins the peers beyond MaxPeers, in the order of their addresses, into one.
func Fold(peers []PeerRow) []PeerRow {
	slices.SortFunc(peers, func(a, b PeerRow) int { return cmp.Or(cmp.Compare(a.Address, b.Address), cmp.Compare(a.Name, b.Name)) })
	if len(peers) <= MaxPeers {
		return peers
	}
	rest := PeerRow{Address: Other}
	for _, p := range peers[MaxPeers-1:] {
		rest.Messages += p.Messages
		rest.Bytes += p.Bytes
		rest.Connected = rest.Connected || p.Connected
	}
	return append(slices.Clip(peers[:MaxPeers-1]), rest)
}

// Snapshot copies the counters. What the Set does not know is left to the Env.
func (s *Set) Snapshot() Snapshot {
	snap := Snapshot{
		Timed: s.Timed(),
		Sent:  s.sent.Load(), SentBytes: s.sentBytes.Load(), Received: s.received.Load(), ReceivedBytes: s.receivedBytes.Load(),
		Lost: s.disconnected.Load(), Refused: s.refused.Load(), NotReached: s.notReached.Load(),
	}
	snap.Opened = s.opened.Load() // after Lost: never are more connections lost than opened
	for r := range s.drops {
		if n := s.drops[r].Load(); n > 0 {
			snap.Drops = append(snap.Drops, DropRow{Reason(r), n})
		}
	}
	// A copy: s.mu is not held while the rows are read, each under its endpoint's own.
	s.mu.Lock()
	all := slices.Collect(maps.Values(s.endpoints))
	s.mu.Unlock()
	slices.SortFunc(all, func(a, b *Endpoint) int { return cmp.Compare(a.name, b.name) })
	for _, e := range all {
		snap.Endpoints = append(snap.Endpoints, e.row())
	}
	return snap
}

// Running notes which endpoints there are, in order; those that have had nothing to do get a row, as long as there is room.
func (s *Snapshot) Running(names []string) {
	byName := func(r EndpointRow, name string) int { return cmp.Compare(r.Name, name) }
	for _, name := range names {
		i, found := slices.BinarySearchFunc(s.Endpoints, name, byName)
		switch {
		case found:
			s.Endpoints[i].Running = true
		case len(s.Endpoints) < MaxEndpoints:
			s.Endpoints = slices.Insert(s.Endpoints, i, EndpointRow{Name: name, Running: true})
		}
	}
}

func (e *Endpoint) row() EndpointRow {
	e.mu.Lock()
	all := slices.Collect(maps.Values(e.series))
	if e.other != nil {
		all = append(all, e.other)
	}
	e.mu.Unlock()
	slices.SortFunc(all, func(a, b *Series) int { return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.typ, b.typ)) })
	r := EndpointRow{Name: e.name}
	for _, s := range all {
		r.add(s.row())
	}
	return r
}

// add adds the next row in order: types of different packages may have one name.
func (r *EndpointRow) add(s SeriesRow) {
	if n := len(r.Series); n > 0 && r.Series[n-1].Kind == s.Kind && r.Series[n-1].Type == s.Type {
		r.Series[n-1].add(&s)
		return
	}
	r.Series = append(r.Series, s)
}

// row reads what is handled before what was received: else more could be handled.
func (s *Series) row() SeriesRow {
	r := SeriesRow{Kind: s.kind, Type: s.typ}
	if t := s.times.Load(); t != nil {
		r.Wait, r.Handling = t.wait.times(), t.handling.times()
	}
	r.Failures, r.Handled, r.Asks, r.Received = s.failures.Load(), s.handled.Load(), s.asks.Load(), s.received.Load()
	return r
}
