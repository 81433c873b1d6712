package nodemanager

import (
	"github.com/coherer/coherer/actors/hadoop/exitstatus"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// stopContainers ends containers of the caller's application. It answers the same for one that has ended.
func (n *ContainerManager) stopContainers(c *rpcenv.Context, m *yarn.StopContainersRequest) {
	caller, err := n.caller(m.GetNmToken())
	if err != nil {
		rpcenv.Fail(c, m, err)
		return
	}
	r := &yarn.StopContainersResponse{}
	for _, id := range m.GetContainerId() {
		x, wrong := n.find(caller, id, "stop")
		if wrong != nil {
			r.FailedRequests = append(r.FailedRequests, wrong.of(id))
			continue
		}
		// nil has ended and was forgotten: the caller wanted its end, so this is no error.
		if x != nil {
			c.Log().Infof("Stopping container with container Id: %s", x.id)
			n.killContainer(c, x, exitstatus.KilledByAppMaster, "Container killed by the ApplicationMaster.\n")
		}
		r.SucceededRequests = append(r.SucceededRequests, id)
	}
	rpcenv.Reply(c, m, r)
}

// getContainerStatuses returns the statuses of containers of the caller's application.
func (n *ContainerManager) getContainerStatuses(c *rpcenv.Context, m *yarn.GetContainerStatusesRequest) {
	caller, err := n.caller(m.GetNmToken())
	if err != nil {
		rpcenv.Fail(c, m, err)
		return
	}
	r := &yarn.GetContainerStatusesResponse{}
	for _, id := range m.GetContainerId() {
		switch x, wrong := n.find(caller, id, "get status for"); {
		case wrong != nil:
			r.FailedRequests = append(r.FailedRequests, wrong.of(id))
		case x == nil:
			known, _ := ids.ContainerFrom(id) // it was found
			r.FailedRequests = append(r.FailedRequests, refuse(yarnException, "Container %s was recently stopped on node manager.", known).of(id))
		default:
			r.Status = append(r.Status, x.status())
		}
	}
	rpcenv.Reply(c, m, r)
}

// find is the container of an id; nil when it has ended and was forgotten.
func (n *ContainerManager) find(caller ids.Attempt, m *yarn.ContainerId, what string) (*container, *refusal) {
	id, err := ids.ContainerFrom(m)
	if err != nil {
		return nil, refuse(yarnException, "%v", err)
	}
	if caller.App != id.Attempt.App {
		return nil, refuse(yarnException, "%s attempted to %s non-application container : %s", caller, what, id)
	}
	if x := n.books.container(id); x != nil {
		return x, nil
	}
	if _, stopped := n.books.stopped[id]; stopped {
		return nil, nil
	}
	return nil, refuse(yarnException, "Container %s is not handled by this NodeManager", id)
}
