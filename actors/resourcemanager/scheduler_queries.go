package resourcemanager

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// requestLimits asks for the largest container that the cluster can give.
type requestLimits struct{ rpcenv.Local }

type limits struct {
	rpcenv.Local
	maximum *yarn.Resource
}

// ReplyType makes the answer's type known to the compiler.
func (requestLimits) ReplyType() (r limits) { return r }

func (s *Scheduler) requestLimits(c *rpcenv.Context, m requestLimits) {
	rpcenv.Reply(c, m, limits{maximum: s.book.MaximumAllocation(s.now(c), "").Proto()})
}

// requestUsage asks for the resources that applications hold.
type requestUsage struct {
	rpcenv.Local
	apps []ids.Application
}

// usage has an entry for each application that the scheduler has.
type usage struct {
	rpcenv.Local
	byApp map[ids.Application]*yarn.ApplicationResourceUsageReport
}

// ReplyType makes the answer's type known to the compiler.
func (requestUsage) ReplyType() (r usage) { return r }

func (s *Scheduler) requestUsage(c *rpcenv.Context, m requestUsage) {
	u := usage{byApp: map[ids.Application]*yarn.ApplicationResourceUsageReport{}}
	for _, id := range m.apps {
		if a := s.apps[id]; a != nil {
			u.byApp[id] = s.usageOf(c, a)
		}
	}
	rpcenv.Reply(c, m, u)
}

func (s *Scheduler) usageOf(c *rpcenv.Context, a *scheduledApp) *yarn.ApplicationResourceUsageReport {
	use := s.useOf(c, a)
	st, _ := s.book.App(a.attempt) // nothing, between two attempts
	return &yarn.ApplicationResourceUsageReport{
		NumUsedContainers: int32(st.Containers), NumReservedContainers: int32(len(st.Reservations)),
		UsedResources: st.Usage.Proto(), ReservedResources: st.Reserved.Proto(), NeededResources: st.Usage.Plus(st.Reserved).Proto(),
		MemorySeconds: use.memory / 1000, VcoreSeconds: use.vcores / 1000,
	}
}

// mostDemands bounds the number of applications whose demands the books contain: each costs a search over all nodes.
const mostDemands = 50

// requestBooks asks for queues, nodes and sums.
type requestBooks struct{ rpcenv.Local }

// books is the answer.
type books struct {
	rpcenv.Local
	queues           []fair.QueueState
	nodes            map[ids.Node]fair.NodeState
	byApp            map[ids.Application]*yarn.ApplicationResourceUsageReport
	totals           map[ids.Application]*yarn.AppTotals // of those that ended too
	demands          []*yarn.AppDemand
	demandsMore      int32
	failures         []*yarn.ContainerFailure
	use              *yarn.ClusterUse
	minimum, maximum *yarn.Resource
	scheduler, info  string // the scheduler's name, and the queues in Hadoop's JSON
}

// ReplyType makes the answer's type known to the compiler.
func (requestBooks) ReplyType() (r books) { return r }

func (s *Scheduler) requestBooks(c *rpcenv.Context, m requestBooks) {
	b := books{
		queues: s.book.Queues(), nodes: map[ids.Node]fair.NodeState{}, byApp: map[ids.Application]*yarn.ApplicationResourceUsageReport{},
		minimum: s.conf.Minimum.Proto(), maximum: s.conf.Maximum.Proto(), scheduler: schedulerName(s.book),
	}
	b.info, b.totals, b.failures = s.info(c), s.past.all(), slices.Clone(s.failures)
	var total, allocated, reserved, pending fair.Resource
	u := &yarn.ClusterUse{}
	for _, n := range s.book.Nodes() {
		b.nodes[s.nodes[n.ID].id] = n
		total = total.Plus(n.Total)
		allocated = allocated.Plus(n.Total.Minus(n.Free))
	}
	for _, id := range slices.SortedFunc(maps.Keys(s.apps), ids.CompareApplications) {
		a := s.apps[id]
		b.byApp[id], b.totals[id] = s.usageOf(c, a), s.totalsOf(c, a)
		st, _ := s.book.App(a.attempt) // nothing, between two attempts
		reserved = reserved.Plus(st.Reserved)
		count, sum := waits(st)
		u.ContainersPending += int32(count)
		pending = pending.Plus(sum)
		switch {
		case count == 0:
		case len(b.demands) == mostDemands:
			b.demandsMore++
		default:
			b.demands = append(b.demands, &yarn.AppDemand{
				ApplicationId: id.Proto(), Queue: st.Queue, Containers: count, Pending: sum.Proto(), Reasons: s.refusals(c, a.attempt),
			})
		}
	}
	for _, k := range s.containers {
		if k.machine.State == machine.ContainerReserved {
			u.ContainersReserved++
		} else {
			u.ContainersAllocated++
		}
	}
	u.Total, u.Allocated, u.Reserved, u.Pending = total.Proto(), allocated.Proto(), reserved.Proto(), pending.Proto()
	b.use = u
	rpcenv.Reply(c, m, b)
}

// info is the FairScheduler's queues as Hadoop's REST server shows them.
func (s *Scheduler) info(c *rpcenv.Context) string {
	b, ok := s.book.(ticking)
	if !ok {
		return ""
	}
	most := func(queue string) fair.Resource { return s.book.MaximumAllocation(s.now(c), queue) }
	text, _ := json.Marshal(fair.QueueTree(s.book.Queues(), b.Cluster(), most)) // "" for values that JSON lacks
	return string(text)
}

// schedulerName is the scheduler's name on pages.
func schedulerName(b book) string {
	if _, ok := b.(ticking); ok {
		return "fairScheduler"
	}
	return "fifoScheduler"
}

// waits counts and sums the containers that an attempt asks for and has not got.
func waits(a fair.AppState) (count int64, sum fair.Resource) {
	// An ask for a host or a rack is repeated in that for anywhere.
	for _, p := range a.Pending {
		if p.Name == fair.Any {
			count += p.Count
			sum = sum.Plus(fair.Resource{Memory: p.Capability.Memory * p.Count, VCores: p.Capability.VCores * p.Count})
		}
	}
	return count, sum
}
