package tracker

import (
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/rpcenv"
)

// notAnswering gives a node up before its time-out: [membership.Doubts] decides when.
func (t *ResourceTracker) notAnswering(c *rpcenv.Context, about membership.Member, why string) {
	n := t.live(about)
	c.Log().Infof("Expired:%s before its time-out: %s", n.id, why)
	t.step(c, n, machine.NodeExpire, machine.Always, why)
}

// live is the node that a member is, by the address at which both listen; nil: none, or one that is over.
func (t *ResourceTracker) live(m membership.Member) *node {
	if n := t.byID[ids.Node{Host: m.RPC.Host, Port: int32(m.RPC.Port)}]; n != nil && !n.machine.State.Over() {
		return n
	}
	return nil
}
