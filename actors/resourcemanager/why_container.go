package resourcemanager

import (
	"fmt"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/life"
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
