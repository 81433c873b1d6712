package tracker

import (
	"fmt"
	"time"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/resourcemanager/life"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// Hosts are the files behind yarn.resourcemanager.nodes.include-path and exclude-path. Its method is a body of
// [rpcenv.Run]: it may do I/O.
type Hosts interface {
	// Read returns the hosts that the files list. An empty include list admits all. An error says which file and why.
	Read(b *rpcenv.Blocking) (include, exclude []string, err error)
}

// hostLists say which hosts may be nodes. It mirrors HostsFileReader and NodesListManager.isValidNode.
type hostLists struct{ include, exclude map[string]bool }

func newHostLists(include, exclude []string) hostLists {
	set := func(hosts []string) map[string]bool {
		m := map[string]bool{}
		for _, h := range hosts {
			m[h] = true
		}
		return m
	}
	return hostLists{set(include), set(exclude)}
}

// allows reports whether a host may be a node. An empty include list admits all.
func (h hostLists) allows(host string) bool {
	return (len(h.include) == 0 || h.include[host]) && !h.exclude[host]
}

// ReadHosts are the lists as they are now.
func ReadHosts(b *rpcenv.Blocking, hosts Hosts) (BeginTracker, error) {
	if hosts == nil {
		return BeginTracker{}, nil
	}
	include, exclude, err := hosts.Read(b)
	return BeginTracker{include: include, exclude: exclude}, err
}

func (t *ResourceTracker) refreshNodes(c *rpcenv.Context, q *yarn.RefreshNodesRequest) {
	if !t.ready {
		rpcenv.Fail(c, q, life.ErrNotReady())
		return
	}
	patience := scheduler.DecommissioningTimeout.Get(c.Conf())
	if s := q.GetDecommissionTimeout(); s != 0 { // below 0: for ever
		patience = time.Duration(s) * time.Second
	}
	call := rpcenv.Defer(c, q)
	rpcenv.Run(c, "hosts", func(b *rpcenv.Blocking) (BeginTracker, error) { return ReadHosts(b, t.lists) },
		func(read BeginTracker, err error) {
			if err != nil {
				call.Fail(fmt.Errorf("%w: the lists of hosts stay as they were: %w", exceptions.YARN, err))
				return
			}
			t.hosts = newHostLists(read.include, read.exclude)
			for _, n := range t.nodes {
				t.listed(c, n, q.GetGraceful(), patience)
			}
			call.Reply(&yarn.RefreshNodesResponse{})
		})
}

// listed lets new lists happen to a node.
func (t *ResourceTracker) listed(c *rpcenv.Context, n *node, graceful bool, patience time.Duration) {
	allowed := t.hosts.allows(n.id.Host)
	switch {
	case n.machine.State.Over(): // the lists count again when it registers
	case allowed && n.machine.State == machine.NodeDecommissioning:
		t.step(c, n, machine.NodeRecommission, machine.Always, "it is listed again")
	case allowed:
	case graceful: // of a node that is DECOMMISSIONING already the patience begins anew
		n.since, n.patience = c.Now(), patience
		t.step(c, n, machine.NodeGracefulDecommission, machine.Always, "it is excluded")
	default:
		t.step(c, n, machine.NodeDecommission, machine.Always, "it is excluded")
	}
}
