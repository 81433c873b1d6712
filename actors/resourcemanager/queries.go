package resourcemanager

import (
	"math"
	"slices"
	"strings"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/actors/resourcemanager/tracker"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

func (s *ClientRMService) getClusterMetrics(c *rpcenv.Context, q *yarn.GetClusterMetricsRequest) {
	call := rpcenv.Defer(c, q)
	rpcenv.Ask(c, s.tracker, tracker.RequestNodes{}, func(l tracker.NodeList, err error) {
		if err != nil {
			call.Fail(err)
			return
		}
		call.Reply(&yarn.GetClusterMetricsResponse{ClusterMetrics: metricsOf(l.Reports)})
	})
}

// metricsOf counts nodes by their states. NumNodeManagers counts running ones only.
func metricsOf(nodes []*yarn.NodeReport) *yarn.YarnClusterMetrics {
	m := &yarn.YarnClusterMetrics{}
	for _, n := range nodes {
		switch n.GetNodeState() {
		case yarn.NodeState_NS_RUNNING:
			m.NumNodeManagers++
			m.NumActiveNms++
		case yarn.NodeState_NS_UNHEALTHY:
			m.NumUnhealthyNms++
		case yarn.NodeState_NS_DECOMMISSIONED:
			m.NumDecommissionedNms++
		case yarn.NodeState_NS_DECOMMISSIONING:
			m.NumDecommissioningNms++
		case yarn.NodeState_NS_LOST:
			m.NumLostNms++
		case yarn.NodeState_NS_REBOOTED:
			m.NumRebootedNms++
		case yarn.NodeState_NS_SHUTDOWN:
			m.NumShutdownNms++
		}
	}
	return m
}

func (s *ClientRMService) getClusterNodes(c *rpcenv.Context, q *yarn.GetClusterNodesRequest) {
	call := rpcenv.Defer(c, q)
	s.nodesAndBooks(c, func(nodes []*yarn.NodeReport, _ scheduler.Books, err error) {
		if err != nil {
			call.Fail(err)
			return
		}
		r := &yarn.GetClusterNodesResponse{}
		for _, n := range nodes {
			if len(q.GetNodeStates()) == 0 || slices.Contains(q.GetNodeStates(), n.GetNodeState()) {
				r.NodeReports = append(r.NodeReports, n)
			}
		}
		call.Reply(r)
	})
}

// nodesAndBooks asks the ResourceTracker for nodes and the Scheduler for their use.
func (s *ClientRMService) nodesAndBooks(c *rpcenv.Context, then func([]*yarn.NodeReport, scheduler.Books, error)) {
	rpcenv.Ask(c, s.tracker, tracker.RequestNodes{}, func(l tracker.NodeList, err error) {
		if err != nil {
			then(nil, scheduler.Books{}, err)
			return
		}
		rpcenv.Ask(c, s.scheduler, scheduler.RequestBooks{}, func(b scheduler.Books, err error) {
			for _, n := range l.Reports {
				id, _ := ids.NodeFrom(n.GetNodeId())
				used := b.Nodes[id] // nothing, if the scheduler does not have it
				n.Used, n.NumContainers = used.Total.Minus(used.Free).Proto(), int32(used.Containers)
			}
			then(l.Reports, b, err)
		})
	})
}

func (s *ClientRMService) getQueueInfo(c *rpcenv.Context, q *yarn.GetQueueInfoRequest) {
	call := rpcenv.Defer(c, q)
	rpcenv.Ask(c, s.scheduler, scheduler.RequestBooks{}, func(b scheduler.Books, err error) {
		if err != nil {
			call.Fail(err)
			return
		}
		t := queueTree{
			queues: b.Queues, apps: s.apps, use: b,
			children: q.GetIncludeChildQueues(), recursive: q.GetRecursive(), withApps: q.GetIncludeApplications(),
		}
		// Clients may leave out "root.", as in Hadoop.
		for _, name := range []string{q.GetQueueName(), fair.Root + "." + q.GetQueueName()} {
			if info := t.info(name, true); info != nil {
				call.Reply(&yarn.GetQueueInfoResponse{QueueInfo: info})
				return
			}
		}
		call.Reply(&yarn.GetQueueInfoResponse{}) // Hadoop's answer for an unknown queue
	})
}

// queueTree makes QueueInfos.
type queueTree struct {
	queues                        []fair.QueueState // by name
	apps                          []*application
	use                           scheduler.Books
	children, recursive, withApps bool
}

// info is a queue; nil: no queue has that name. asked: the request named this queue, not one above it.
func (t *queueTree) info(name string, asked bool) *yarn.QueueInfo {
	i := slices.IndexFunc(t.queues, func(q fair.QueueState) bool { return q.Name == name })
	if i < 0 {
		return nil
	}
	q := t.queues[i]
	info := &yarn.QueueInfo{
		QueueName: q.Name, State: yarn.QueueState_Q_RUNNING, CurrentCapacity: part(q.Usage.Memory, q.FairShare.Memory),
		Capacity: part(q.FairShare.Memory, t.use.Use.GetTotal().GetMemory()), MaximumCapacity: min(1, part(q.MaxShare.Memory, t.use.Use.GetTotal().GetMemory())),
		Used: q.Usage.Proto(), Demand: q.Demand.Proto(), FairShare: q.FairShare.Proto(), SteadyFairShare: q.SteadyFairShare.Proto(),
		MinimumShare: q.MinShare.Proto(), MaximumShare: q.MaxShare.Proto(), Policy: q.Policy,
		RunningApps: int32(q.Running), WaitingApps: int32(q.Waiting), MaxRunningApps: int32(min(q.MaxRunningApps, math.MaxInt32)),
	}
	if t.withApps {
		for _, a := range t.apps {
			if a.queue == q.Name && !a.machine.State.Over() {
				info.Applications = append(info.Applications, a.report(scheduler.Usage{ByApp: t.use.ByApp}))
			}
		}
	}
	if t.recursive || t.children && asked {
		for _, child := range t.queues {
			if strings.HasPrefix(child.Name, q.Name+".") && !strings.Contains(child.Name[len(q.Name)+1:], ".") {
				info.ChildQueues = append(info.ChildQueues, t.info(child.Name, false))
			}
		}
	}
	return info
}

// part is a of b; 0 of nothing.
func part(a, b int64) float32 {
	if b == 0 {
		return 0
	}
	return float32(float64(a) / float64(b))
}
