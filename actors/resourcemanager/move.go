package resourcemanager

import (
	"fmt"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/resourcemanager/input"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// moveApplicationAcrossQueues takes an application that the scheduler has into another queue. The answer comes when its record
// says so too. It mirrors ClientRMService and RMAppManager.
func (s *ClientRMService) moveApplicationAcrossQueues(c *rpcenv.Context, q *yarn.MoveApplicationAcrossQueuesRequest) {
	a, err := s.known(q.GetApplicationId())
	if err == nil && len(q.GetTargetQueue()) > input.MaxText {
		err = fmt.Errorf("%w: the name of the queue has %d bytes, at most %d can be", exceptions.YARN, len(q.GetTargetQueue()), input.MaxText)
	}
	if err == nil && a.machine.State != machine.AppAccepted && a.machine.State != machine.AppRunning {
		err = fmt.Errorf("%w: App in %s state cannot be moved.", exceptions.YARN, a.machine.State)
	}
	if err != nil {
		rpcenv.Fail(c, q, err)
		return
	}
	call := rpcenv.Defer(c, q)
	rpcenv.Ask(c, s.scheduler, scheduler.MoveApp{App: a.id, Target: q.GetTargetQueue()}, func(r scheduler.AppAccepted, err error) {
		if err != nil {
			call.Fail(err)
			return
		}
		if a.queue != r.Queue && !a.machine.State.Over() { // ended meanwhile: its record may be removed, and must not come back
			a.queue, a.context.Queue = r.Queue, r.Queue
			s.persistApp(c, a)
		}
		call.Reply(&yarn.MoveApplicationAcrossQueuesResponse{})
	})
}
