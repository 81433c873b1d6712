package rpcenv

import "fmt"

// opened is the beginning of a connection after its handshake: endpoints hear of it, greet sends the last message of the handshake, and
// the peer's outbox may use the connection. A new incarnation at the peer's address ends the connections of the old one first. If it
// returns rivals, which have that address, it has done nothing: the caller asks them. c.receiving is held.
func (c *conn) opened(greet func()) (rivals []*conn, err error) {
	e := c.env
	c.mu.Lock() // until c is open: an ask to its peer, as to a rival, waits for it
	// The handshake's clock may have given c up meanwhile.
	if c.life.stage() == connRefused {
		defer c.mu.Unlock()
		return nil, c.why
	}
	old, rivals, err := e.connections.add(c)
	if err != nil || len(rivals) > 0 {
		c.mu.Unlock()
		return rivals, err
	}
	e.connections.watch(c)
	// From here on a send to the peer waits for c: an endpoint that hears of c, or of the end of an older connection, may send before
	// attach.
	var ob *outbox
	if c.listening {
		ob = e.outboxes.await(c.peer)
	}
	// c.mu is held while older connections end, but no outbox has c yet. Endpoints hear of their ends before they hear of c.
	for _, o := range old {
		o.supersede()
	}
	e.metrics.Opened()
	e.recordConn(c.itemID(true, 0), c.way.peer, c.peer, "connected", "")
	e.endpoints.notify(item{kind: itemConnected, rare: &rare{name: "connected", addr: c.peer}})
	// Posted first, so that OnConnected comes before the first message: the peer sends nothing before the Welcome that greet sends.
	c.link.Open()
	greet()
	c.announceFull() // behind the greeting: until then the peer sends no messages
	c.to(connOpen)
	c.stop()
	c.mu.Unlock()
	if ob != nil {
		ob.attach(c)
	}
	return nil, nil
}

// Closed is the end, as the Link reports it.
func (c *conn) Closed(err error) {
	c.end(err)
	c.env.connections.left(c)
}

// end ends the connection for this side, once: endpoints hear of it, its outboxes lose it, asks without an answer fail. Nothing
// of it is received any more. A connection that ends in its handshake was refused.
func (c *conn) end(err error) {
	c.receiving.Lock()
	defer c.receiving.Unlock()
	c.mu.Lock()
	was, ok := c.life.to(connEnded, afterConn)
	if !ok {
		c.mu.Unlock()
		return
	}
	if c.why != nil { // the Link knows only that it was closed
		err = c.why
	}
	users := c.users
	c.stop()
	waited, wakes := c.giveUpLocked()
	c.mu.Unlock()
	c.abandon() // before the end is known: a peer that comes back at once meets the new count
	// The order matters. Endpoints hear of this end before the outboxes lose the connection and dial the next, so that
	// OnDisconnected comes before the next OnConnected.
	open := was == connOpen || was == connCloses
	if open {
		c.closed(err)
	}
	for _, detach := range users {
		detach(c)
	}
	c.env.lost(waited, fmt.Errorf("%w: the connection to %s ended before it was sent: %w", ErrUnreachableDisconnected, c.peer, err))
	wakeAll(wakes)
	for _, p := range c.env.asks.all(c.waiting) { // all that there will be: nothing is sent any more
		c.env.asks.fail(p, fmt.Errorf("%w: the connection to %s ended before the answer: %w", ErrUnreachableDisconnected, c.peer, err))
	}
	if !open {
		c.refused(err)
	}
}

// closed notifies the endpoints of the end of a connection that was open, and takes it out of the table. c.receiving is held.
func (c *conn) closed(why error) {
	c.env.recordConn(c.itemID(true, 0), c.way.peer, c.peer, "disconnected", why.Error())
	c.reportEnd()
	// Not earlier: while it is in the table, a new process at the peer's address finds it there and waits for its end. Else endpoints could
	// hear of the new one first, and take the end of the old one for that of a second connection.
	c.env.connections.remove(c)
	c.env.connections.unwatch()
	c.env.metrics.Disconnected()
}

// reportEnd notifies the endpoints of the end of c, unless another process opened it, or may have: then prove reports it, or nobody
// does. c.receiving is held.
func (c *conn) reportEnd() {
	if !c.impostor && c.doubts <= 0 { // below 0: it was superseded, and answers came after
		c.env.endpoints.notify(item{kind: itemDisconnected, rare: &rare{name: "disconnected", addr: c.peer}})
	}
}

// supersede ends a connection of a process that is gone.
func (c *conn) supersede() {
	why := fmt.Errorf("a new process listens at %s", c.peer)
	c.receiving.Lock()
	c.doubts = 0 // the endpoints hear of its end before they hear of the new process
	c.receiving.Unlock()
	c.end(why) // now, and not when the Link reports it: the new process is announced next
	c.close(why)
}

// refused is the end of a connection whose handshake failed.
func (c *conn) refused(why error) {
	c.env.metrics.Refused()
	if c.dialled != nil { // its outbox fails with the reason, and endpoints hear of a network error
		c.dialled(fmt.Errorf("%w: %w", ErrHandshake, why))
		return
	}
	c.env.log.WithError(why).Warnf("refused a connection from %s", c.link.Remote())
}
