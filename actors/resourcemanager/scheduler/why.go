package scheduler

import (
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// RequestWhy asks the scheduler why an attempt has no more containers.
type RequestWhy struct {
	rpcenv.Local
	Attempt ids.Attempt
}

// Why is the resources of an attempt, and the reasons why it has no more.
type Why struct {
	rpcenv.Local
	Used     *yarn.Resource
	Refusals []*yarn.ApplicationRefusal
}

// ReplyType makes the answer's type known to the compiler.
func (RequestWhy) ReplyType() (r Why) { return r }

func (s *Scheduler) requestWhy(c *rpcenv.Context, m RequestWhy) {
	st, _ := s.policy.App(m.Attempt) // nothing, before it has the attempt
	rpcenv.Reply(c, m, Why{Used: st.Usage.Proto(), Refusals: s.refusals(c, m.Attempt)})
}

// refusals are the reasons why an attempt has no more containers, by the filters of an offer. The FifoScheduler gives none.
func (s *Scheduler) refusals(c *rpcenv.Context, attempt ids.Attempt) (all []*yarn.ApplicationRefusal) {
	if !s.ready(c) {
		all = append(all, &yarn.ApplicationRefusal{
			Filter: "restart", Reason: "the ResourceManager was started again and gives no containers before " + s.readyAt.UTC().Format("15:04:05.000"),
			Help: "wait, or lower yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms",
		})
	}
	if !s.fifo {
		reasons, _ := s.book.Why(s.now(c), attempt)
		for _, r := range reasons {
			all = append(all, &yarn.ApplicationRefusal{
				Filter: r.Filter, Priority: r.Priority, Nodes: int32(r.Nodes), Reason: r.Reason, Help: r.Help,
			})
		}
	}
	return all
}

// RequestContainer asks the scheduler for a container's state.
type RequestContainer struct {
	rpcenv.Local
	ID ids.Container
}

// ContainerPlace is the answer: the books' entry, or the failure of one that has ended.
type ContainerPlace struct {
	rpcenv.Local
	Found        bool // else the container never was, or ended without a failure, or long ago
	Node         *yarn.NodeId
	Resource     *yarn.Resource
	State        machine.ContainerState
	AM           bool
	Lacks        *yarn.Resource // of a reservation: the room that its node lacks
	PreemptedFor string         // the application for which it is to be preempted
	PreemptedIn  time.Duration
	Failure      *yarn.ContainerFailure
}

// ReplyType makes the answer's type known to the compiler.
func (RequestContainer) ReplyType() (r ContainerPlace) { return r }

func (s *Scheduler) requestContainer(c *rpcenv.Context, m RequestContainer) {
	rpcenv.Reply(c, m, s.placeOf(c, m.ID))
}

func (s *Scheduler) placeOf(c *rpcenv.Context, id ids.Container) (p ContainerPlace) {
	k := s.containers[id]
	if k == nil { // ended: the last failures are remembered
		i := slices.IndexFunc(s.failures, func(f *yarn.ContainerFailure) bool { return proto.Equal(f.GetContainerId(), id.Proto()) })
		if i >= 0 {
			p = ContainerPlace{Found: true, Node: s.failures[i].GetNodeId(), State: machine.ContainerCompleted, Failure: s.failures[i]}
		}
		return p
	}
	p = ContainerPlace{Found: true, Resource: k.Resource.Proto(), State: k.machine.State, AM: k.AM}
	if n := s.nodes[k.Node]; n != nil {
		p.Node = n.id.Proto()
	}
	if !s.fifo {
		v, _ := s.book.WhyContainer(id)
		if v.Reserved {
			p.Lacks = v.Lacks.Proto()
		}
		if v.Marked {
			p.PreemptedFor, p.PreemptedIn = v.For, v.KillAt-s.now(c)
		}
	}
	return p
}
