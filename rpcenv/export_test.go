package rpcenv

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/metrics"
)

// Held is what an Env keeps of its peers, for tests that it forgets them.
func (e *Env) Held() (outboxes, connections, asks int) {
	e.mu.Lock()
	outboxes, links := len(e.outboxes), slices.Collect(maps.Keys(e.links))
	e.mu.Unlock()
	for _, c := range links {
		c.mu.Lock()
		asks += len(c.waiting)
		c.mu.Unlock()
	}
	return outboxes, len(links), asks
}

// DialWait opens one more connection to an address.
func (e *Env) DialWait(b *Blocking, to Address) (err error) {
	if e := b.Wait(func(wake func()) {
		b.env.dial(to, func(outcome error) {
			err = outcome
			wake()
		})
	}); e != nil {
		return e
	}
	return err
}

// Racing finds an endpoint of this Env, and returns what a message does that found it then.
func (e *Env) Racing(name string) func(m Message) error {
	in := e.lookup(name)
	return func(m Message) error {
		return in.offer(item{kind: itemMessage, id: e.nextID(), msg: m, sender: e.addr})
	}
}

// Break ends all connections of an Env whose endpoints live on.
func (e *Env) Break() {
	e.mu.Lock()
	links := slices.Collect(maps.Keys(e.links))
	e.mu.Unlock()
	for _, c := range links {
		c.close(errors.New("broken by the test"))
	}
}

// EndAround ends the connection that the Outbox for an address has, and calls f between the moment when the endpoints
// may have heard of it and that when the Outbox does.
func (e *Env) EndAround(to Address, f func()) {
	ob := e.outbox(to)
	ob.mu.Lock()
	c := ob.conn
	ob.mu.Unlock()
	c.mu.Lock()
	c.state = connClosed
	c.mu.Unlock()
	e.disconnected(c, errors.New("ended by the test"))
	f()
	ob.detach(c)
	c.link.Close()
}

// NextActor is the id of the actor that the next endpoint of that name is.
func (e *Env) NextActor(name string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return fmt.Sprintf("%d/%s#%d", e.num, name, e.spawned+1)
}

// Depth is how many items wait in an inbox.
func (e *Env) Depth(name string) int { return e.lookup(name).UserMessageCount() }

// ResolvePID is what protoactor asks for a PID.
var ResolvePID = resolvePID

// DropReason is the family of an error.
func DropReason(err error) metrics.Reason { return dropReason(tracepb.Form_SEND, err) }

// HasPIDs reports whether an Env is kept for the PIDs that it gave out.
func HasPIDs(e *Env) bool {
	pids.Lock()
	defer pids.Unlock()
	return pids.envs[e.num] != nil
}
