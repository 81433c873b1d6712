package resourcemanager

import (
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// requestWhy asks the scheduler why an attempt has no more containers.
type requestWhy struct {
	rpcenv.Local
	attempt ids.Attempt
}

// why is the resources of an attempt, and the reasons why it has no more.
type why struct {
	rpcenv.Local
	used     *yarn.Resource
	refusals []*yarn.ApplicationRefusal
}

// ReplyType makes the answer's type known to the compiler.
func (requestWhy) ReplyType() (r why) { return r }

func (s *Scheduler) requestWhy(c *rpcenv.Context, m requestWhy) {
	st, _ := s.book.App(m.attempt) // nothing, before it has the attempt
	rpcenv.Reply(c, m, why{used: st.Usage.Proto(), refusals: s.refusals(c, m.attempt)})
}

// refusals are the reasons why an attempt has no more containers, by the filters of an offer. The FifoScheduler gives none.
func (s *Scheduler) refusals(c *rpcenv.Context, attempt ids.Attempt) (all []*yarn.ApplicationRefusal) {
	if !s.ready(c) {
		all = append(all, &yarn.ApplicationRefusal{
			Filter: "restart", Reason: "the ResourceManager was started again and gives no containers before " + s.readyAt.UTC().Format("15:04:05.000"),
			Help: "wait, or lower yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms",
		})
	}
	if b, ok := s.book.(ticking); ok {
		reasons, _ := b.Why(s.now(c), attempt)
		for _, r := range reasons {
			all = append(all, &yarn.ApplicationRefusal{
				Filter: r.Filter, Priority: r.Priority, Nodes: int32(r.Nodes), Reason: r.Reason, Help: r.Help,
			})
		}
	}
	return all
}

// requestContainer asks the scheduler for a container's state.
type requestContainer struct {
	rpcenv.Local
	id ids.Container
}

// containerPlace is the answer: the books' entry, or the failure of one that has ended.
type containerPlace struct {
	rpcenv.Local
	found        bool // else the container never was, or ended without a failure, or long ago
	node         *yarn.NodeId
	resource     *yarn.Resource
	state        machine.ContainerState
	am           bool
	lacks        *yarn.Resource // of a reservation: the room that its node lacks
	preemptedFor string         // the application for which it is to be preempted
	preemptedIn  time.Duration
	failure      *yarn.ContainerFailure
}

// ReplyType makes the answer's type known to the compiler.
func (requestContainer) ReplyType() (r containerPlace) { return r }

func (s *Scheduler) requestContainer(c *rpcenv.Context, m requestContainer) {
	rpcenv.Reply(c, m, s.placeOf(c, m.id))
}

func (s *Scheduler) placeOf(c *rpcenv.Context, id ids.Container) (p containerPlace) {
	k := s.containers[id]
	if k == nil { // ended: the last failures are remembered
		i := slices.IndexFunc(s.failures, func(f *yarn.ContainerFailure) bool { return proto.Equal(f.GetContainerId(), id.Proto()) })
		if i >= 0 {
			p = containerPlace{found: true, node: s.failures[i].GetNodeId(), state: machine.ContainerCompleted, failure: s.failures[i]}
		}
		return p
	}
	p = containerPlace{found: true, resource: k.Resource.Proto(), state: k.machine.State, am: k.AM}
	if n := s.nodes[k.Node]; n != nil {
		p.node = n.id.Proto()
	}
	if b, ok := s.book.(ticking); ok {
		v, _ := b.WhyContainer(id)
		if v.Reserved {
			p.lacks = v.Lacks.Proto()
		}
		if v.Marked {
			p.preemptedFor, p.preemptedIn = v.For, v.KillAt-s.now(c)
		}
	}
	return p
}
