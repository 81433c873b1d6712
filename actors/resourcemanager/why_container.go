package resourcemanager

import (
	"fmt"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/life"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
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
	rpcenv.Ask(c, s.scheduler, scheduler.RequestContainer{ID: id}, func(p scheduler.ContainerPlace, err error) {
		switch {
		case err != nil:
			call.Fail(err)
		case !p.Found:
			call.Fail(fmt.Errorf("%w: Container with id '%s' doesn't exist in RM: it ended, or never was", exceptions.YARN, id))
		default:
			call.Reply(&yarn.ContainerPlace{
				Id: id.Proto(), NodeId: p.Node, Resource: p.Resource, State: p.State.String(), Lacks: p.Lacks, ApplicationMaster: p.AM,
				PreemptedFor: p.PreemptedFor, PreemptedIn: p.PreemptedIn.Milliseconds(), Failure: p.Failure,
			})
		}
	})
}
