package nodemanager

import (
	"slices"
	"time"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/rpcenv"
)

// memberJoined takes note of a ResourceManager, to which the node may go over. If it is the node's own, and could not be reached, the node
// does not wait for the next try.
func (n *ContainerManager) memberJoined(c *rpcenv.Context, m membership.MemberJoined) {
	if m.Member.Role != membership.RoleResourceManager {
		return
	}
	n.managers = append(n.managers, m.Member)
	if m.Member.RPC == n.cfg.ResourceManager && n.reg.retry.Active() {
		c.Cancel(n.reg.retry)
		n.reconnect(c)
		return
	}
	n.follow(c)
}

// memberGone forgets a ResourceManager that has left or failed.
func (n *ContainerManager) memberGone(c *rpcenv.Context, gone membership.Member) {
	n.managers = slices.DeleteFunc(n.managers, func(m membership.Member) bool { return m == gone })
	n.follow(c)
}

// follow makes the node go over to a ResourceManager that is a member, if its own is none and does not answer: that a member is gone
// is a hint, and one that answers is there. A node that was given the address of its ResourceManager stays with that.
func (n *ContainerManager) follow(c *rpcenv.Context) (followed bool) {
	own := func(m membership.Member) bool { return m.RPC == n.cfg.ResourceManager }
	answers := n.reg.registered && n.reg.failing.IsZero()
	if !n.cfg.Membership || n.leaving || answers || len(n.managers) == 0 || slices.ContainsFunc(n.managers, own) {
		return false
	}
	n.cfg.ResourceManager, n.reg.failing = n.managers[0].RPC, time.Time{}
	c.Cancel(n.reg.retry)
	n.connect(c)
	return true
}
