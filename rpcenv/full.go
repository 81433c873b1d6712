package rpcenv

import "github.com/coherer/coherer/messages/rpc"

// This file is a connection's part of the rules in orphans.go.

// announceFull sends rpc.Full, which names the endpoints that take nothing yet, if the greeting promised it. c.receiving and c.mu are held.
func (c *conn) announceFull() {
	if c.promised {
		names := c.env.orphans.shutOff(func(name string) *ledger { return c.ledgerOf(flow{endpoint: name}) })
		c.controlLocked(&rpc.Full{Endpoints: names})
	}
}

// full takes the peer's rpc.Full: the endpoints of these names take nothing yet. What waited for the others goes out.
func (c *conn) full(names []string) {
	c.mu.Lock()
	if !c.awaitsFull {
		c.mu.Unlock()
		return
	}
	c.awaitsFull = false
	waited := c.inOrderLocked()
	for _, s := range waited {
		s.shut = false
	}
	for _, name := range names[:min(len(names), mostFull)] {
		c.streamLocked(flow{endpoint: name}).shut = true
	}
	var wakes []func()
	for _, s := range waited {
		wakes = append(wakes, c.goOnLocked(s)...)
	}
	c.mu.Unlock()
	wakeAll(wakes)
}

// abandon makes orphans of what the connection has brought, after its end. c.receiving is held.
func (c *conn) abandon() {
	ledgers := make([]*ledger, 0, len(c.ledgers))
	for f, l := range c.ledgers { // in any order: adopt adds them up before it decides
		if f.endpoint != "" {
			ledgers = append(ledgers, l)
		}
	}
	c.env.orphans.adopt(ledgers...)
}
