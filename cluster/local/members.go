package local

import (
	"github.com/coherer/coherer/actors/election"
	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/cluster/gossip"
	"github.com/coherer/coherer/cluster/node"
	"github.com/coherer/coherer/rpcenv"
)

// enter makes a daemon a member of the cluster, by the gossip of real daemons.
func (c *Cluster) enter(h rpcenv.Host, n *node.Node, role string) {
	c.t.Helper()
	p, real := h.(*inProcess)
	if !real {
		return
	}
	var seek []rpcenv.Address
	for _, m := range c.masters() {
		if m != n.Env.Address() {
			seek = append(seek, m)
		}
	}
	meta := gossip.Meta{Role: role, Leads: role == membership.RoleMaster && c.Group == nil}
	if role == membership.RoleMaster {
		meta.Cluster = election.Digest(c.masters())
	}
	member, err := n.Enter(c.t.Context(), gossip.Of(c.Conf, meta), seek...)
	if err != nil {
		c.t.Fatal(err)
	}
	p.adopt(member.Close) // killed, as all processes of such a world are in the end
}
