package gossip

import (
	"strings"

	"github.com/hashicorp/memberlist"

	"github.com/coherer/coherer/rpcenv"
)

// delegate is a Member as memberlist sees it. Its methods are called under memberlist's lock, with nodes that memberlist
// changes later: they copy, and return soon.
type delegate Member

var (
	_ memberlist.Delegate      = (*delegate)(nil)
	_ memberlist.EventDelegate = (*delegate)(nil)
)

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
	name := n.Name
	at := rpcenv.Address{Host: n.Addr.String(), Port: int(n.Port)}
	d.change(func(b *books) bool {
		// The goodbye of a member that leaves has taken it out of the books before. So one that is still there failed, and upkeep
		// calls on its address.
		failed := b.remove(name, name == d.name)
		if failed && name != d.name {
			(*Member)(d).lose(at)
		}
		return failed
	})
}

// seen notes what a member says of itself. A member whose metadata cannot be read is none of ours.
func (d *delegate) seen(n *memberlist.Node) {
	info := Info{Name: n.Name, Gossip: rpcenv.Address{Host: n.Addr.String(), Port: int(n.Port)}}
	meta, err := decodeMeta(n.Meta)
	info.Meta = meta
	d.change(func(b *books) bool {
		if err != nil { // as if it had left: upkeep does not look for it
			return b.remove(info.Name, true)
		}
		return b.put(info)
	})
}

// change changes the books and wakes the waiters.
func (d *delegate) change(f func(*books) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f(d.books) {
		close(d.changed)
		d.changed = make(chan struct{})
	}
}

// NotifyMsg hears goodbyes. Anything else is of another release, and not understood.
func (d *delegate) NotifyMsg(message []byte) {
	if name, ok := strings.CutPrefix(string(message), goodbyePrefix); ok && name != d.name {
		d.change(func(b *books) bool { return b.remove(name, true) })
	}
}

// GetBroadcasts, LocalState and MergeRemoteState are for state of memberlist's user: this package has none.
func (d *delegate) GetBroadcasts(int, int) [][]byte { return nil }
func (d *delegate) LocalState(bool) []byte          { return nil }
func (d *delegate) MergeRemoteState([]byte, bool)   {}
