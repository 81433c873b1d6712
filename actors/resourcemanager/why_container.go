package resourcemanager

import (
	"fmt"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/life"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// requestContainerPlace answers with a container's state and place.
func (s *ClientRMService) requestContainerPlace(c *rpcenv.Context, q *yarn.RequestContainerPlace) {
	if !s.ready {
		rpcenv.Fail(c, q, life.ErrNotReady())
		return
	}
	id, err := ids.ContainerFrom(q.GetContainerId())
	if err != nil {
		rpcenv.Fail(c, q, fmt.Errorf("%w: %w", exceptions.YARN, err))
		return
	}
	call := rpcenv.Defer(c, q)
	rpcenv.Ask(c, s.scheduler, requestContainer{id: id}, func(p containerPlace, err error) {
		switch {
		case err != nil:
			call.Fail(err)
		case !p.found:
			call.Fail(fmt.Errorf("%w: Container with id '%s' doesn't exist in RM: it ended, or never was", exceptions.YARN, id))
		default:
			call.Reply(&yarn.ContainerPlace{
				Id: id.Proto(), NodeId: p.node, Resource: p.resource, State: p.state.String(), Lacks: p.lacks, ApplicationMaster: p.am,
				PreemptedFor: p.preemptedFor, PreemptedIn: p.preemptedIn.Milliseconds(), Failure: p.failure,
			})
		}
	})
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
