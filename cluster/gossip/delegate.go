package gossip

import (
	"errors"
	"time"

	"github.com/hashicorp/memberlist"

	"github.com/coherer/coherer/rpcenv"
)

// delegate is a Member as memberlist sees it. Its methods are called under memberlist's lock, with nodes that memberlist
// changes later: they copy, and return soon.
type delegate Member

var (
	_ memberlist.Delegate      = (*delegate)(nil)
	_ memberlist.EventDelegate = (*delegate)(nil)
	_ memberlist.AliveDelegate = (*delegate)(nil)
)

// Why NotifyAlive refuses a member to memberlist.
var (
	errLooks = errors.New("it only looks")
	errOther = errors.New("it is of another cluster")
)

// NotifyAlive keeps those that only look out of the list of the others. They have all that they look for from the exchange of states that their
// Join begins. As members they would be probed, and news would go to them, for seconds after their end: commands that look again and again
// could so hold up the news of a real failure for minutes.
//
// It keeps out members of other clusters too, by whatever way memberlist has heard of them: books.takes says which.
func (d *delegate) NotifyAlive(n *memberlist.Node) error {
	// Each piece of news comes from many members, and memberlist asks for every copy. Nearly all can be told without being decoded.
	if d.has(n.Name) {
		return nil
	}
	i, err := infoOf(n)
	if err != nil { // seen drops it
		return nil
	}
	if i.Role == RoleLook && n.Name != d.name {
		return errLooks
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.books.takes(i) {
		return errOther
	}
	return nil
}

// has reports whether a member with that name is there, which its next news do not change.
func (d *delegate) has(name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, here := d.books.now[name]
	return here
}

// infoOf reads what memberlist has of a member. With the error the metadata is missing.
func infoOf(n *memberlist.Node) (Info, error) {
	meta, err := decodeMeta(n.Meta)
	return Info{n.Name, rpcenv.Address{Host: n.Addr.String(), Port: int(n.Port)}, meta}, err
}

// NodeMeta is what this member says of itself, which was measured against the limit before.
func (d *delegate) NodeMeta(int) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.meta
}

// NotifyJoin hears of members that are new or came back.
func (d *delegate) NotifyJoin(n *memberlist.Node) { d.seen(n) }

// NotifyUpdate hears of members whose metadata changed.
func (d *delegate) NotifyUpdate(n *memberlist.Node) { d.seen(n) }

// NotifyLeave hears of members that left or failed, and of this member when it leaves.
func (d *delegate) NotifyLeave(n *memberlist.Node) {
	m, name := (*Member)(d), n.Name
	at := rpcenv.Address{Host: n.Addr.String(), Port: int(n.Port)}
	m.change(func(b *books) bool {
		if name == m.name {
			return b.remove(name, true)
		}
		delete(b.strayed, name)
		// The goodbye of a member that leaves has mostly taken it out of the books before.
		if _, ok := b.now[name]; !ok {
			return false
		}
		if b.fail(name) {
			time.AfterFunc(goodbyeGrace, func() { m.settle(name, at) })
		} else {
			m.lose(at)
		}
		return true
	})
}

// goodbyeGrace is how long a goodbye may come after memberlist's own news that a member is gone.
const goodbyeGrace = 200 * time.Millisecond

// settle notes that no goodbye came: the member failed, and upkeep calls on its address.
func (m *Member) settle(name string, at rpcenv.Address) {
	m.change(func(b *books) bool {
		_, doubted := b.settle(name)
		if doubted {
			m.lose(at)
		}
		return doubted
	})
}

// seen notes what a member says of itself. A member whose metadata cannot be read is none of ours.
func (d *delegate) seen(n *memberlist.Node) {
	info, err := infoOf(n)
	(*Member)(d).change(func(b *books) bool {
		if err != nil { // as if it had left: upkeep does not look for it
			return b.remove(info.Name, true)
		}
		return b.note(info)
	})
}
