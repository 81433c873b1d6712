package rpcenv

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/coherer/coherer/messages/rpc"
)

// connections are those of an Env.
type connections struct {
	env *Env

	mu     sync.Mutex          // see the lock order in outbox.go
	links  map[*conn]struct{}  // all, those in their handshake too
	byID   map[uint64]*conn    // those whose handshake is done
	peers  map[Address][]*conn // those of byID whose peer listens
	opened uint64
	dials  uint64
	last   func() // for the end of the last one, after drain
	stop   func() // of the timer of keepalive.go; nil: none is set
	armed  uint64 // how often it was set
	round  time.Duration
}

// enter notes a connection from the moment that its link is open; false once the Env closes its connections.
func (t *connections) enter(c *conn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.env.life.stage() >= envCloses {
		return false
	}
	t.opened++
	c.seq = t.opened
	t.links[c] = struct{}{}
	return true
}

// left notes the end of a connection's link.
func (t *connections) left(c *conn) {
	t.mu.Lock()
	delete(t.links, c)
	last := t.last
	if len(t.links) > 0 {
		last = nil
	}
	t.mu.Unlock()
	if last != nil {
		last()
	}
}

// drain is for when enter takes no more: it returns those that are left. last is called when the last of them has left.
func (t *connections) drain(last func()) []*conn {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = last
	return slices.SortedFunc(maps.Keys(t.links), inOrder)
}

func inOrder(a, b *conn) int { return cmp.Compare(a.seq, b.seq) }

// add enters c, whose handshake is done. old are the connections of an older process to the peer's address, which c replaces. If
// there are rivals, which have to be asked before, add has done nothing. c.receiving is held.
func (t *connections) add(c *conn) (old, rivals []*conn, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	old, rivals, beside := t.rivalsLocked(c)
	switch {
	case t.byID[c.id] != nil || c.id == 0:
		return nil, nil, fmt.Errorf("connection id %x is taken", c.id)
	case t.env.life.stage() >= envStops:
		return nil, nil, fmt.Errorf("%w: RpcEnv has been stopped", ErrStopped)
	case len(rivals) > 0:
		return nil, rivals, nil
	}
	if c.listening {
		t.peers[c.peer] = append(t.peers[c.peer], c)
	}
	t.byID[c.id] = c
	c.beside = beside
	return old, nil, nil
}

// rivalsLocked sorts the connections to the address that c claims: those of an older process, which c replaces; the rivals,
// which have to be asked before; and those of the same incarnation. mu is held.
func (t *connections) rivalsLocked(c *conn) (old, rivals, beside []*conn) {
	if !c.listening {
		return nil, nil, nil
	}
	for _, o := range t.peers[c.peer] {
		switch {
		case o.incarnation == c.incarnation: // a second connection of the same process
			beside = append(beside, o)
		case c.reached || slices.Contains(c.silent, o): // the process that answers a dial to an address has it
			old = append(old, o)
		default:
			rivals = append(rivals, o)
		}
	}
	return old, rivals, beside
}

// remove takes out what add entered.
func (t *connections) remove(c *conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.byID, c.id)
	left := slices.DeleteFunc(t.peers[c.peer], func(o *conn) bool { return o == c })
	if t.peers[c.peer] = left; len(left) == 0 {
		delete(t.peers, c.peer)
	}
}

// find is the connection of that id whose handshake is done, or nil.
func (t *connections) find(id uint64) *conn {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[id]
}

// open are those whose handshake is done, in the order of their opening.
func (t *connections) open() []*conn {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.byID) == 0 {
		return nil
	}
	return slices.SortedFunc(maps.Values(t.byID), inOrder)
}

// forget closes the ledgers of an endpoint that has ended.
func (t *connections) forget(name string) {
	for _, c := range t.open() {
		c.forget(name)
	}
}

// dial is the number of the next dial.
func (t *connections) dial() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dials++
	return t.dials
}

// owns reports whether this Env opened the connection of that id, whose handshake may still be under way.
func (t *connections) owns(id uint64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for c := range t.links {
		if c.dialler && c.id == id {
			return true
		}
	}
	return false
}

// refIn is the reference in a message that came from sender, an item's. One that names a connection which this Env does not have is a
// third party's: it stays as it is, and a send by it fails with the reason.
func (t *connections) refIn(p *rpc.EndpointRef, sender *Ref) Ref {
	r := Ref{Address: AddressOf(p.GetAddress()), Name: p.GetName(), conn: p.GetConnection()}
	switch {
	case r.conn != 0:
		c := t.find(r.conn)
		if c != nil && c.dialler { // back at the Env that it is a reference to
			return Ref{Address: t.env.addr, Name: r.Name}
		}
		if c != nil {
			r.Address = c.peer
		}
	case p.GetAddress() == nil:
		r.conn, r.Address = sender.conn, sender.Address
	}
	return r
}

// Ref is the reference in a message that is being handled: one without an address means the Env that sent it.
func (c *Context) Ref(p *rpc.EndpointRef) Ref {
	sender := &Ref{}
	if c.item != nil && c.item.sender != nil {
		sender = c.item.sender
	}
	return c.in.env.connections.refIn(p, sender)
}

// Clients are references to the endpoint called name in each Env in client mode that is connected to this one, in the order of their
// connections. An Env may have no endpoint of that name: only an ask finds out.
func (e *Env) Clients(name string) []Ref {
	refs := []Ref{}
	for _, c := range e.connections.open() {
		if !c.listening {
			refs = append(refs, Ref{Address: c.peer, Name: name, conn: c.id})
		}
	}
	return refs
}
