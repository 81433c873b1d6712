package rpcenv

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/coherer/coherer/rpcenv/trace/record"
)

// What a connection brought is handled also after its end. A peer that comes back has a new window, so what connections of the past brought
// could add up without end. The Env counts these orphans. When there are more than coherer.rpc.outbox.limit bytes of them, new connections
// take nothing for the endpoints that have some (rpc.Full). An endpoint is open again when it has handled its own, and all are when half of
// the limit is left.
//
// An honest peer loses neither a message nor time by that: what it sends waits at its side, and would else wait in the same inbox behind
// the orphans. Other endpoints, and connections from before, notice nothing. Answers are not counted: as many come as an endpoint asks for,
// and it asks when it handles something.

// orphans are the messages that wait in an Env's inboxes and whose connection has ended.
type orphans struct {
	env *Env

	mu    sync.Mutex       // see the lock order in outbox.go
	bytes map[string]int64 // by endpoint; no entry is 0
	total int64
	over  bool // there were too many, and half of the limit has not been reached since
	// shut are the ledgers of open connections that take nothing yet, by endpoint. Each of these has orphans, and over is true.
	shut map[string]*ordered[*ledger]
}

const (
	// endedCost is what a connection that has ended counts for each endpoint for which something of it waits: the connection stays in
	// memory until then.
	endedCost = 4 << 10
	// mostFull is how many endpoints rpc.Full may name: a peer makes room for each of them.
	mostFull = 10_000
)

// tooMany reports whether there are too many orphans: then a greeting promises rpc.Full.
func (o *orphans) tooMany() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.over
}

// shutOff returns the names of the endpoints for which a new connection takes nothing yet, in order. It enters the ledger that the
// connection has for each.
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

// adopt counts what waits of ledgers by which nothing comes any more.
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

// settle follows each time that an endpoint has handled something of a ledger. It opens the endpoints that have caught up.
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

// countLocked brings the count of l up to date, however often it is called: what was handled, and a settle that is late, are counted once.
func (o *orphans) countLocked(l *ledger) {
	left := max(l.came-l.returned.Load(), 0) // less than 0: a fault of a World made copies, which were handled too
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

// openLocked takes out the ledgers that are shut no longer, now that an endpoint has handled something.
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

// changedLocked says that new connections are held back, or no longer.
func (o *orphans) changedLocked(from, to string) {
	why := fmt.Sprintf("%d bytes wait for %d endpoints that connections brought before they ended (coherer.rpc.outbox.limit)", o.total, len(o.bytes))
	o.env.recordState("", record.ID{}, change{"new connections", o.env.cfg.Name, from, to, why})
	if o.over {
		o.env.log.Warnf("New connections are held back: %s", why)
	}
}
