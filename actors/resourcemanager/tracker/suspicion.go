package tracker

import (
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/rpcenv"
)

// notAnswering gives a node up before its time-out: package membership decides when.
func (t *ResourceTracker) notAnswering(c *rpcenv.Context, at rpcenv.Address, why string) {
	n := t.live(at)
	c.Log().Infof("Expired:%s before its time-out: %s", n.id, why)
	t.step(c, n, machine.NodeExpire, machine.Always, why)
}

// live is the node that listens at an address; nil: none, or one that is over.
func (t *ResourceTracker) live(at rpcenv.Address) *node {
	if n := t.byID[ids.Node{Host: at.Host, Port: int32(at.Port)}]; n != nil && !n.machine.State.Over() {
		return n
	}
	return nil
}
