package rpcenv

import "slices"

// lag is what the senders to an endpoint know of it: is it behind with what they sent?
type lag struct {
	// behind: so much waits that those who can wait do, and those who cannot were notified. It lasts until nothing waits.
	behind   bool
	notified []route  // those that were
	wakes    []func() // of those that wait for room
}

// notify reports to the sender by t, once, that the endpoint is behind, if it is.
func (l *lag) notify(e *Env, t route) {
	if l.behind && !slices.Contains(l.notified, t) {
		l.notified = append(l.notified, t)
		e.endpoints.report(t.from, &peerEvent{to: t.to, behind: true})
	}
}

// caughtUp is for when nothing waits any more. It notifies the senders and returns the wakes, which the caller calls without a lock.
func (l *lag) caughtUp(e *Env) (wakes []func()) {
	for _, t := range l.notified {
		e.endpoints.report(t.from, &peerEvent{to: t.to})
	}
	wakes = l.wakes
	*l = lag{}
	return wakes
}

// room reports whether there is room for those who can wait; if not it calls wake when there is.
func (l *lag) room(wake func()) bool {
	if l.behind {
		l.wakes = append(l.wakes, wake)
	}
	return !l.behind
}

// wakeAll wakes those that waited for room. No lock is held: a body may send at once.
func wakeAll(wakes []func()) {
	for _, wake := range wakes {
		wake()
	}
}

// route is the way of messages: from an endpoint here to one of a peer.
type route struct {
	from string
	to   Ref
}

func (o *outgoing) route() route { return route{o.from, o.to} }

// report gives an event to an endpoint that wants such.
func (t *endpoints) report(name string, ev *peerEvent) {
	in := t.find(name)
	if in == nil {
		return
	}
	if _, ok := in.ep.(BacklogWatcher); ok {
		in.post(&item{kind: itemPeer, id: t.env.nextID(), name: ev.name(), rare: &rare{addr: ev.to.Address, peer: ev}}) // false if it has stopped since
	}
}

// streamEnded reports to a sender that there was no room for what it sent.
func (e *Env) streamEnded(t route, err error) {
	e.log.Warnf("The stream from %s to %s has ended: %v", t.from, t.to, err)
	e.endpoints.report(t.from, &peerEvent{to: t.to, err: err})
}
