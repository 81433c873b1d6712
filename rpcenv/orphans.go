package rpcenv

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/coherer/coherer/rpcenv/trace/record"
)

// Endpoints handle what a connection brought even after its end. A peer that comes back has a new window, so without a bound the messages of
// its past connections would add up without end. The Env counts these orphans. When they exceed coherer.rpc.outbox.limit bytes, new
// connections take nothing for the endpoints that have some of them (rpc.Full). An endpoint opens when it has handled its own orphans, and
// all endpoints open when no more than half of the limit is left.
//
// An honest peer loses neither a message nor time by that: its messages wait at its side instead of in the same inbox behind the orphans.
// Other endpoints and older connections notice nothing. Answers are not counted: an endpoint gets no more of them than it asks for, and it
// asks while it handles something.

// orphans are the messages that wait in an Env's inboxes and whose connection has ended.
type orphans struct {
	env *Env

	mu    sync.Mutex       // see the lock order in outbox.go
	bytes map[string]int64 // by endpoint; no entry is 0
	total int64
	over  bool // the limit was exceeded, and more than half of it has been left since
	// shut are the ledgers of open connections that take nothing yet, by endpoint. Each of these has orphans, and over is true.
	shut map[string]*ordered[*ledger]
}

const (
	// endedCost is added for each endpoint and ended connection of which something waits: the connection stays in memory until then.
	endedCost = 4 << 10
	// mostFull bounds how many endpoints rpc.Full names: the peer keeps a stream for each of them.
	mostFull = 10_000
)

// tooMany reports whether there are too many orphans: then a greeting promises rpc.Full.
func (o *orphans) tooMany() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.over
}

// shutOff returns the names of the endpoints for which a new connection takes nothing yet, in order. It marks the connection's ledger of each
// as shut, and enters it among those that wait.
func (o *orphans) shutOff(ledgerOf func(name string) *ledger) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.over {
		return nil
	}
	names := slices.Sorted(maps.Keys(o.bytes))
	names = names[:min(len(names), mostFull)]
	for _, name := range names {
		l := ledgerOf(name)
		l.shut.Store(true)
		if o.shut[name] == nil {
			if o.shut == nil {
				o.shut = map[string]*ordered[*ledger]{}
			}
			o.shut[name] = &ordered[*ledger]{}
		}
		o.shut[name].add(l)
	}
	return names
}

// adopt counts, from now on, what waits of ledgers by which nothing comes any more.
func (o *orphans) adopt(ledgers ...*ledger) {
	for _, l := range ledgers {
		l.close()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, l := range ledgers {
		if shut := o.shut[l.endpoint]; shut != nil {
			shut.remove(l)
		}
		l.orphan = true
		o.countLocked(l)
	}
	if !o.over && o.total > int64(o.env.outboxLimit) {
		o.over = true
		o.changedLocked("open", "held back")
	}
}

// settle is called whenever an endpoint has handled something of a ledger that is closed. It opens the endpoints that have caught up.
func (o *orphans) settle(l *ledger) {
	o.mu.Lock()
	var open []*ledger
	if l.orphan {
		o.countLocked(l)
		open = o.openLocked(l.endpoint)
	}
	o.mu.Unlock()
	for _, l := range open {
		l.open()
	}
}

// countLocked brings the count of l up to date. It computes what is left anew, so a settle that comes late or twice does no harm.
func (o *orphans) countLocked(l *ledger) {
	left := max(l.came-l.returned.Load(), 0) // less than 0: faults of a World make copies, which were handled and had not been counted
	if left > 0 {
		left += endedCost
	}
	change := left - l.left
	l.left = left
	o.total += change
	if o.bytes == nil {
		o.bytes = map[string]int64{}
	}
	if o.bytes[l.endpoint] += change; o.bytes[l.endpoint] == 0 {
		delete(o.bytes, l.endpoint)
	}
}

// openLocked takes out the ledgers that are shut no longer, after the endpoint called name has handled something.
func (o *orphans) openLocked(name string) (open []*ledger) {
	switch {
	case !o.over:
		return nil
	case o.total <= int64(o.env.outboxLimit)/2:
		o.over = false
		o.changedLocked("held back", "open")
		for _, name := range slices.Sorted(maps.Keys(o.shut)) {
			open = append(open, o.shut[name].all()...)
		}
		o.shut = nil
	case o.bytes[name] == 0 && o.shut[name] != nil:
		open = o.shut[name].all()
		delete(o.shut, name)
	}
	return open
}

// changedLocked records that new connections are held back, or no longer, and warns of the former.
func (o *orphans) changedLocked(from, to string) {
	why := fmt.Sprintf("%d bytes wait for %d endpoints that connections brought before they ended (coherer.rpc.outbox.limit)", o.total, len(o.bytes))
	o.env.recordState("", record.ID{}, change{"new connections", o.env.cfg.Name, from, to, why})
	if o.over {
		o.env.log.Warnf("New connections are held back: %s", why)
	}
}
