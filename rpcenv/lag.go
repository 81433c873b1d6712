package rpcenv

import "slices"

// lag says whether a receiver is behind, which senders were notified of that, and which wait for room.
type lag struct {
	// behind: so much waits that bodies wait for room, and endpoints, which cannot wait, were notified. It lasts until nothing waits.
	behind   bool
	notified []route  // their senders were notified
	wakes    []func() // of the bodies that wait for room
}

// notify reports once to the sender of t that the receiver is behind, if it is.
func (l *lag) notify(e *Env, t route) {
	if l.behind && !slices.Contains(l.notified, t) {
		l.notified = append(l.notified, t)
		e.endpoints.report(t.from, &peerEvent{to: t.to, behind: true})
	}
}

// caughtUp ends the lag once nothing waits. It notifies the senders and returns the wakes; the caller calls them without a lock.
func (l *lag) caughtUp(e *Env) (wakes []func()) {
	for _, t := range l.notified {
		e.endpoints.report(t.from, &peerEvent{to: t.to})
	}
	wakes = l.wakes
	*l = lag{}
	return wakes
}

// room reports whether there is room for a body; if not, it keeps wake until there is.
func (l *lag) room(wake func()) bool {
	if l.behind {
		l.wakes = append(l.wakes, wake)
	}
	return !l.behind
}

// wakeAll wakes the bodies that waited for room. No lock is held: a body may send at once.
func wakeAll(wakes []func()) {
	for _, wake := range wakes {
		wake()
	}
}

// route is a sending endpoint of this Env and a receiver, here or at a peer.
type route struct {
	from string
	to   Ref
}

func (o *outgoing) route() route { return route{o.from, o.to} }

// report posts ev to the endpoint of that name, if it is a BacklogWatcher.
func (t *endpoints) report(name string, ev *peerEvent) {
	in := t.find(name)
	if in == nil {
		return
	}
	if _, ok := in.ep.(BacklogWatcher); ok {
		in.post(&item{kind: itemPeer, id: t.env.nextID(), rare: &rare{name: ev.name(), addr: ev.to.Address, peer: ev}}) // false: it has stopped since
	}
}

// streamEnded logs that a message of t found no room, and reports it to the sender.
func (e *Env) streamEnded(t route, err error) {
	e.log.Warnf("The stream from %s to %s has ended: %v", t.from, t.to, err)
	e.endpoints.report(t.from, &peerEvent{to: t.to, err: err})
}
