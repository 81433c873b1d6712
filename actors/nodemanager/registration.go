package nodemanager

import (
	"errors"
	"fmt"
	"time"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// registration is how a node stands with its ResourceManager. It mirrors the fields of NodeStatusUpdaterImpl.
type registration struct {
	tracker    rpcenv.Ref
	registered bool
	asking     bool // to be registered: the answer brings the keys
	// identifier is the cluster timestamp of the ResourceManager that registered this node: tokens of another are refused.
	identifier int64
	containers keys // of container tokens
	nodes      keys // of NMTokens
	responseID int32

	// try counts the registrations: answers that belong to an earlier one are dropped.
	try uint64
	// failing is since when the ResourceManager cannot be reached; zero: it can.
	failing time.Time
	retry   rpcenv.Timer // Reconnect
	// asked is the heartbeat that is under way, or was not answered; it is repeated as it is, since the ResourceManager may
	// have taken note of it.
	asked *yarn.NodeHeartbeatRequest
	ends  []*container // those whose end it reports
	again bool         // a container ended meanwhile: the next heartbeat comes at once
}

// keys are a master key and the one before it, by which tokens may still be signed.
type keys struct{ current, previous *yarn.MasterKey }

// roll takes a newer key; nil, or the current one, changes nothing.
func (k *keys) roll(m *yarn.MasterKey) {
	if m == nil || k.current != nil && m.GetKeyId() == k.current.GetKeyId() && string(m.GetBytes()) == string(k.current.GetBytes()) {
		return
	}
	k.previous, k.current = k.current, m
}

// known says which key is the last that came, without its bytes: the ResourceManager, which made it, has them.
func (k *keys) known() *yarn.MasterKey {
	if k.current == nil {
		return nil
	}
	return &yarn.MasterKey{KeyId: k.current.GetKeyId()}
}

// find is the key of that id; nil if it is unknown.
func (k *keys) find(id int32) *yarn.MasterKey {
	for _, m := range []*yarn.MasterKey{k.current, k.previous} {
		if m != nil && m.GetKeyId() == id {
			return m
		}
	}
	return nil
}

// connect looks the ResourceManager up and registers.
func (n *ContainerManager) connect(c *rpcenv.Context) {
	n.reg.try++
	try := n.reg.try
	// The registration has all containers with their ends, so a heartbeat that was not answered need not be repeated.
	n.reg.registered, n.reg.asking, n.reg.asked, n.reg.ends = false, false, nil, nil
	c.Log().Infof("Connecting to ResourceManager at %s", n.cfg.ResourceManager)
	rpcenv.Resolve(c, rpcenv.Ref{Address: n.cfg.ResourceManager, Name: ids.ResourceTracker}.String(), func(tracker rpcenv.Ref, err error) {
		switch {
		case try != n.reg.try: // unregister, or a later connect, has ended this one
		case err != nil:
			n.unreachable(c, err)
		default:
			n.reg.tracker = tracker
			n.register(c, try)
		}
	})
}

// register asks the ResourceManager to take this node, with its containers and applications. It mirrors
// NodeStatusUpdaterImpl.registerWithRM.
func (n *ContainerManager) register(c *rpcenv.Context, try uint64) {
	m := &yarn.RegisterNodeManagerRequest{
		NodeId: n.nodeIDProto(), HttpPort: int32(n.cfg.HTTPPort), NmVersion: ids.HadoopVersion, Rack: n.cfg.Rack,
		Resource: &yarn.Resource{Memory: n.cfg.MemoryMB, VirtualCores: int32(n.cfg.VCores)},
	}
	for _, x := range n.books.containers {
		m.ContainerStatuses = append(m.ContainerStatuses, x.registered())
	}
	for _, a := range n.books.apps {
		m.RunningApplications = append(m.RunningApplications, a.id.Proto())
	}
	n.reg.asking = true
	rpcenv.Ask(c, n.reg.tracker, m, func(r *yarn.RegisterNodeManagerResponse, err error) {
		switch {
		case try != n.reg.try:
		case err != nil:
			n.reg.asking = false
			// The keys may not come for long: the requests that wait are refused.
			n.startEarly(c)
			n.notRegistered(c, err)
		default:
			n.registeredWith(c, r)
		}
	})
}

// registeredWith takes the answer to a registration, and begins the heartbeats.
func (n *ContainerManager) registeredWith(c *rpcenv.Context, r *yarn.RegisterNodeManagerResponse) {
	if r.GetNodeAction() == yarn.NodeAction_NODE_SHUTDOWN {
		why := fmt.Sprintf("Received SHUTDOWN signal from Resourcemanager, Registration of NodeManager failed, Message from ResourceManager: %s",
			r.GetDiagnosticsMessage())
		c.Log().Error(why)
		n.end(c, 1, why)
		return
	}
	g := &n.reg
	// Response ids begin anew with each registration.
	g.registered, g.asking, g.failing, g.responseID = true, false, time.Time{}, 0
	g.identifier = r.GetRmIdentifier()
	g.containers.roll(r.GetContainerTokenMasterKey())
	g.nodes.roll(r.GetNmTokenMasterKey())
	if size := r.GetResource(); size != nil {
		n.cfg.MemoryMB, n.cfg.VCores = size.GetMemory(), int(size.GetVirtualCores())
	}
	c.Log().Infof("Registered with ResourceManager as %s with total resource of <memory:%d, vCores:%d>", n.nodeID(), n.cfg.MemoryMB, n.cfg.VCores)
	// After the keys and the identifier, by which the requests are checked; before the first heartbeat, which has their
	// containers.
	n.startEarly(c)
	n.beatIn(c, 0)
}

// notRegistered handles a registration that failed. The ResourceManager would refuse the same node again, so a refusal ends the
// process with code 1.
func (n *ContainerManager) notRegistered(c *rpcenv.Context, err error) {
	if errors.Is(err, exceptions.YARN) {
		why := fmt.Sprintf("the ResourceManager at %s refuses this node: %v", n.cfg.ResourceManager, err)
		c.Log().Error(why)
		n.end(c, 1, why)
		return
	}
	n.unreachable(c, err)
}

// unreachable goes over to another ResourceManager, or tries again later. Once yarn.resourcemanager.connect.max-wait.ms are over, the process
// ends with code 1. Containers run on meanwhile.
func (n *ContainerManager) unreachable(c *rpcenv.Context, err error) {
	if n.reg.failing.IsZero() {
		n.reg.failing = c.Now()
	}
	if n.follow(c) {
		return
	}
	limit := rmproxy.YARNConnectMaxWait.Get(c.Conf())
	if limit >= 0 && c.Now().Sub(n.reg.failing) >= limit {
		n.end(c, 1, fmt.Sprintf("the ResourceManager at %s could not be reached for %s: %v", n.cfg.ResourceManager, limit, err))
		return
	}
	c.Log().WithError(err).Warnf("The ResourceManager at %s cannot be reached, will retry", n.cfg.ResourceManager)
	n.reg.retry = c.After(rmproxy.YARNConnectRetryInterval.Get(c.Conf()), Reconnect{})
}

// reconnect is the next try: of a heartbeat that was not answered, or of the registration.
func (n *ContainerManager) reconnect(c *rpcenv.Context) {
	switch {
	case n.leaving: // the node ends: the ResourceManager is asked nothing more
	case n.reg.registered:
		n.sendHeartbeat(c)
	default:
		n.connect(c)
	}
}

// resync registers again and keeps the containers: the ResourceManager does not know this node, or has lost its place.
func (n *ContainerManager) resync(c *rpcenv.Context, why string) {
	c.Log().Warnf("Node is out of sync with ResourceManager, hence resyncing. Message from ResourceManager: %s", why)
	n.connect(c)
}

// unregister takes leave of the ResourceManager. Without an answer nothing is lost: the ResourceManager misses the heartbeats.
func (n *ContainerManager) unregister(c *rpcenv.Context) {
	c.Cancel(n.beat)
	if n.reg.registered || n.reg.asking { // a registration that is under way comes first, and would leave a node that nobody ends
		rpcenv.Ask(c, n.reg.tracker, &yarn.UnRegisterNodeManagerRequest{NodeId: n.nodeIDProto()}, func(*yarn.UnRegisterNodeManagerResponse, error) {})
	}
	n.reg.registered = false
	n.reg.try++ // an answer that is still out must not register this node again
}

// end ends the process, after its containers. Meanwhile it sends nothing to the ResourceManager.
func (n *ContainerManager) end(c *rpcenv.Context, code int, why string) {
	n.reg.registered = false
	n.exit = &exit{code, why}
	n.leave(c, "Application killed on shutdown")
	n.checkShutdown(c)
}
