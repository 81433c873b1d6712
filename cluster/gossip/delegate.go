package gossip

import (
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

// NotifyJoin is told of members that are new or came back.
func (d *delegate) NotifyJoin(n *memberlist.Node) { d.seen(n) }

// NotifyUpdate is told of members whose metadata changed.
func (d *delegate) NotifyUpdate(n *memberlist.Node) { d.seen(n) }

// NotifyLeave is told of members that left, which are in the books no more, and of those that failed. Of this member itself
// it is told when it leaves.
func (d *delegate) NotifyLeave(n *memberlist.Node) {
	name := n.Name
	at := rpcenv.Address{Host: n.Addr.String(), Port: int(n.Port)}
	d.change(func(b *books) bool {
		failed := b.remove(name, name == d.name)
		if failed && name != d.name {
			(*Member)(d).lose(at)
		}
		return failed
	})
}

// seen notes what a member says of itself. One that cannot be understood is no member of ours.
func (d *delegate) seen(n *memberlist.Node) {
	info := Info{Name: n.Name, Gossip: rpcenv.Address{Host: n.Addr.String(), Port: int(n.Port)}}
	meta, leaving, err := decodeMeta(n.Meta)
	info.Meta = meta
	d.change(func(b *books) bool {
		if leaving || err != nil {
			return b.remove(info.Name, true)
		}
		return b.put(info)
	})
}

// change changes the books and wakes who waits for that.
func (d *delegate) change(f func(*books) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f(d.books) {
		close(d.changed)
		d.changed = make(chan struct{})
	}
}

// NotifyMsg, GetBroadcasts, LocalState and MergeRemoteState are for messages of memberlist's user, of which there are none.
func (d *delegate) NotifyMsg([]byte)                {}
func (d *delegate) GetBroadcasts(int, int) [][]byte { return nil }
func (d *delegate) LocalState(bool) []byte          { return nil }
func (d *delegate) MergeRemoteState([]byte, bool)   {}
