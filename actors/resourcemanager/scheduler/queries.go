package scheduler

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

// RequestLimits asks for the largest container that the cluster can give.
type RequestLimits struct{ rpcenv.Local }

// Limits has its size.
type Limits struct {
	rpcenv.Local
	Maximum *yarn.Resource
}

// ReplyType makes the answer's type known to the compiler.
func (RequestLimits) ReplyType() (r Limits) { return r }

func (s *Scheduler) requestLimits(c *rpcenv.Context, m RequestLimits) {
	rpcenv.Reply(c, m, Limits{Maximum: s.book.MaximumAllocation(s.now(c), "").Proto()})
}

// RequestUsage asks for the resources that applications hold.
type RequestUsage struct {
	rpcenv.Local
	Apps []ids.Application
}

// Usage has an entry for each application that the scheduler has.
type Usage struct {
	rpcenv.Local
	ByApp map[ids.Application]*yarn.ApplicationResourceUsageReport
}

// ReplyType makes the answer's type known to the compiler.
func (RequestUsage) ReplyType() (r Usage) { return r }

func (s *Scheduler) requestUsage(c *rpcenv.Context, m RequestUsage) {
	u := Usage{ByApp: map[ids.Application]*yarn.ApplicationResourceUsageReport{}}
	for _, id := range m.Apps {
		if a := s.apps[id]; a != nil {
			u.ByApp[id] = s.usageOf(c, a)
		}
	}
	rpcenv.Reply(c, m, u)
}

func (s *Scheduler) usageOf(c *rpcenv.Context, a *scheduledApp) *yarn.ApplicationResourceUsageReport {
	use := s.useOf(c, a)
	st, _ := s.policy.App(a.attempt) // nothing, between two attempts
	return &yarn.ApplicationResourceUsageReport{
		NumUsedContainers: int32(st.Containers), NumReservedContainers: int32(len(st.Reservations)),
		UsedResources: st.Usage.Proto(), ReservedResources: st.Reserved.Proto(), NeededResources: st.Usage.Plus(st.Reserved).Proto(),
		MemorySeconds: use.memory / 1000, VcoreSeconds: use.vcores / 1000,
	}
}

// mostDemands bounds the number of applications whose demands the books contain: each costs a search over all nodes.
const mostDemands = 50

// RequestBooks asks for queues, nodes and sums.
type RequestBooks struct{ rpcenv.Local }

// Books is the answer.
type Books struct {
	rpcenv.Local
	Queues           []fair.QueueState
	Nodes            map[ids.Node]fair.NodeState
	ByApp            map[ids.Application]*yarn.ApplicationResourceUsageReport
	Totals           map[ids.Application]*yarn.AppTotals // of those that ended too
	Demands          []*yarn.AppDemand
	DemandsMore      int32
	Failures         []*yarn.ContainerFailure
	Use              *yarn.ClusterUse
	Minimum, Maximum *yarn.Resource
	Scheduler, Info  string // the scheduler's name, and the queues in Hadoop's JSON
}

// ReplyType makes the answer's type known to the compiler.
func (RequestBooks) ReplyType() (r Books) { return r }

func (s *Scheduler) requestBooks(c *rpcenv.Context, m RequestBooks) {
	b := Books{
		Queues: s.policy.Queues(), Nodes: map[ids.Node]fair.NodeState{}, ByApp: map[ids.Application]*yarn.ApplicationResourceUsageReport{},
		Minimum: s.conf.Minimum.Proto(), Maximum: s.conf.Maximum.Proto(), Scheduler: s.name(),
	}
	b.Info, b.Totals, b.Failures = s.info(c), s.past.all(), slices.Clone(s.failures)
	var total, allocated, reserved, pending fair.Resource
	u := &yarn.ClusterUse{}
	for _, n := range s.book.Nodes() {
		b.Nodes[s.nodes[n.ID].id] = n
		total = total.Plus(n.Total)
		allocated = allocated.Plus(n.Total.Minus(n.Free))
	}
	for _, id := range slices.SortedFunc(maps.Keys(s.apps), ids.CompareApplications) {
		a := s.apps[id]
		b.ByApp[id], b.Totals[id] = s.usageOf(c, a), s.totalsOf(c, a)
		st, _ := s.policy.App(a.attempt) // nothing, between two attempts
		reserved = reserved.Plus(st.Reserved)
		count, sum := waits(st)
		u.ContainersPending += int32(count)
		pending = pending.Plus(sum)
		switch {
		case count == 0:
		case len(b.Demands) == mostDemands:
			b.DemandsMore++
		default:
			b.Demands = append(b.Demands, &yarn.AppDemand{
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
	b.Use = u
	rpcenv.Reply(c, m, b)
}

// info is the FairScheduler's queues as Hadoop's REST server shows them.
func (s *Scheduler) info(c *rpcenv.Context) string {
	if s.fifo {
		return ""
	}
	most := func(queue string) fair.Resource { return s.book.MaximumAllocation(s.now(c), queue) }
	text, _ := json.Marshal(fair.QueueTree(s.policy.Queues(), s.book.Cluster(), most)) // "" for values that JSON lacks
	return string(text)
}

// name is the scheduler's name on pages.
func (s *Scheduler) name() string {
	if s.fifo {
		return "fifoScheduler"
	}
	return "fairScheduler"
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
