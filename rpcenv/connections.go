package rpcenv

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv/trace"
)

// connected enters a connection whose handshake is done: endpoints hear of it, greet sends the last message of the handshake,
// and the peer's Outbox may use the connection. A new incarnation at the peer's address ends the connections of the old one
// first. If it returns rivals, which have that address, it has done nothing: the caller asks them. c.turn is held.
func (e *Env) connected(c *conn, greet func()) (rivals []*conn, err error) {
	c.mu.Lock() // until c is ready: an ask to its peer, as to a rival, waits for it
	e.mu.Lock()
	old, rivals, beside := e.rivalsLocked(c)
	switch {
	case e.conns[c.id] != nil || c.id == 0:
		err = fmt.Errorf("connection id %x is taken", c.id)
	case e.stopping:
		err = fmt.Errorf("%w: RpcEnv has been stopped", ErrStopped)
	}
	if err != nil || len(rivals) > 0 {
		e.mu.Unlock()
		c.mu.Unlock()
		return rivals, err
	}
	if c.listening {
		e.peers[c.peer] = append(e.peers[c.peer], c)
	}
	e.conns[c.id] = c
	e.mu.Unlock()
	c.beside = beside
	// c.mu is held while older connections end, but no Outbox has c yet. Endpoints hear of their ends before they hear of c.
	for _, o := range old {
		o.supersede()
	}
	e.metrics.Opened()
	e.recordConn(c, "connected", "")
	e.notify(item{kind: itemConnected, name: "connected", addr: c.peer})
	// Posted first, so that OnConnected comes before the first message: the peer sends nothing before the Welcome that greet sends.
	c.link.Open()
	greet()
	c.state = connReady // c cannot have ended: conn.end needs the turn, which the caller holds
	c.stop()
	c.mu.Unlock()
	if c.listening {
		e.attach(c.peer, c)
	}
	return nil, nil
}

// disconnected takes a connection out of the tables and notifies the endpoints. Its turn is held.
func (e *Env) disconnected(c *conn, why error) {
	e.mu.Lock()
	delete(e.conns, c.id)
	if e.peers[c.peer] = without(e.peers[c.peer], c); len(e.peers[c.peer]) == 0 {
		delete(e.peers, c.peer)
	}
	e.mu.Unlock()
	e.metrics.Disconnected()
	e.recordConn(c, "disconnected", why.Error())
	c.reportEnd()
}

// refused is the end of a connection whose handshake failed.
func (e *Env) refused(c *conn, why error) {
	e.metrics.Refused()
	if c.dialled != nil { // its Outbox fails with the reason, and endpoints hear of a network error
		c.dialled(fmt.Errorf("%w: %w", ErrHandshake, why))
		return
	}
	e.log.WithError(why).Warnf("refused a connection from %s", c.link.Remote())
}

// enter notes a connection from the moment that its link is open; false once the Env closes its connections.
func (e *Env) enter(c *conn) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closing {
		return false
	}
	e.opened++
	c.seq = e.opened
	e.links[c] = struct{}{}
	return true
}

func (e *Env) isClosing() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.closing
}

// left notes the end of a connection's link. The last one ends Shutdown.
func (e *Env) left(c *conn) {
	e.mu.Lock()
	delete(e.links, c)
	last := e.closing && len(e.links) == 0
	e.mu.Unlock()
	if last {
		e.complete()
	}
}

func inOrder(a, b *conn) int { return cmp.Compare(a.seq, b.seq) }

// networkError notifies the endpoints that a peer could not be reached.
func (e *Env) networkError(to Address, err error) {
	e.metrics.NotReached()
	e.recordUnreachable(to, err)
	e.notify(item{kind: itemNetworkError, name: "unreachable", addr: to, err: err})
}

// notify posts a connection event to all endpoints that have a method for it.
func (e *Env) notify(it item) {
	e.mu.Lock()
	all := slices.Clone(e.order) // in the order of registration, the same in each run of a simulation
	e.mu.Unlock()
	for _, in := range all {
		ok := false
		if it.kind == itemNetworkError {
			_, ok = in.ep.(NetworkErrorWatcher)
		} else {
			_, ok = in.ep.(ConnectionWatcher)
		}
		if ok {
			it.id = e.nextID()
			in.post(it) // false if it has stopped since: then nobody is left to hear of it
		}
	}
}

// closeGrace is how long the end of an Env waits for its connections.
const closeGrace = 1500 * time.Millisecond

// closeConnections is the last part of Shutdown: what was sent is written, then the connections end, those in their
// handshake too. What still waits for a connection fails.
func (e *Env) closeConnections() {
	e.mu.Lock()
	e.closing = true // from here on enter takes no link and outbox makes no Outbox: the lists below are complete
	links := slices.SortedFunc(maps.Keys(e.links), inOrder)
	boxes := slices.SortedFunc(maps.Values(e.outboxes), func(a, b *Outbox) int {
		return cmp.Or(cmp.Compare(a.to.Host, b.to.Host), cmp.Compare(a.to.Port, b.to.Port))
	})
	e.mu.Unlock()
	why := fmt.Errorf("%w: Message is dropped because Outbox is stopped: the Env was shut down", ErrStopped)
	for _, ob := range boxes {
		ob.fail(why)
	}
	// The end of the last link completes the Shutdown (left), or this does when no link is open, or the clock when a peer takes
	// nothing.
	if len(links) == 0 {
		e.complete()
		return
	}
	e.OnDone(e.host.After(closeGrace, e.complete))
	for _, c := range links {
		c.close(why) // the Link first writes what is queued
	}
}

// exit ends the process after what was sent is written. No OnStop runs: items that wait are refused.
func (e *Env) exit(code int, reason string, cause trace.ID, endpoint string) {
	if !e.exiting.CompareAndSwap(false, true) {
		return
	}
	e.mu.Lock()
	e.stopping, e.running = true, 0 // no endpoint is waited for
	e.mu.Unlock()
	e.recordState(endpoint, cause, change{"process", e.cfg.Name, "", fmt.Sprintf("exited %d", code), reason})
	e.log.Infof("exit %d: %s", code, reason)
	// The trace is written after the connections have ended: their ends are in it.
	e.OnDone(func() {
		if err := e.recorder.Flush(); err != nil {
			e.log.Error(err)
		}
		e.discard()
		e.host.Exit(code)
	})
	e.closeConnections()
}

// refIn is the reference in a message that came from sender, in client mode by the connection conn. One that names a connection which
// this Env does not have is a third party's: it stays as it is, and a send by it fails with the reason.
func (e *Env) refIn(p *rpc.EndpointRef, sender Address, conn uint64) Ref {
	r := Ref{Address: AddressOf(p.GetAddress()), Name: p.GetName(), conn: p.GetConnection()}
	switch {
	case r.conn != 0:
		e.mu.Lock()
		c := e.conns[r.conn]
		e.mu.Unlock()
		if c != nil && c.dialler { // back at the Env that it is a reference to
			return Ref{Address: e.addr, Name: r.Name}
		}
		if c != nil {
			r.Address = c.peer
		}
	case p.GetAddress() == nil:
		r.conn, r.Address = conn, sender
	}
	return r
}

// Ref is the reference in a message that is being handled: one without an address means the Env that sent it.
func (c *Context) Ref(p *rpc.EndpointRef) Ref {
	if c.item == nil {
		return c.in.env.refIn(p, Address{}, 0)
	}
	return c.in.env.refIn(p, c.item.sender, c.item.conn)
}
