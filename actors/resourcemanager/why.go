package resourcemanager

import (
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// requestApplicationRefusals answers with the reasons why an application has no more containers.
func (s *ClientRMService) requestApplicationRefusals(c *rpcenv.Context, q *yarn.RequestApplicationRefusals) {
	a, err := s.known(q.GetApplicationId())
	if err != nil {
		rpcenv.Fail(c, q, err)
		return
	}
	call := rpcenv.Defer(c, q)
	r := &yarn.ApplicationRefusals{
		ApplicationId: a.id.Proto(), Name: a.context.GetApplicationName(), State: a.machine.State.String(), Queue: a.queue,
	}
	at := a.current()
	if at == nil || at.machine.State.Over() { // the scheduler has no attempt to explain
		call.Reply(r)
		return
	}
	r.AttemptState = at.machine.State.String()
	rpcenv.Ask(c, s.scheduler, scheduler.RequestWhy{Attempt: at.id}, func(w scheduler.Why, err error) {
		if err != nil {
			call.Fail(err)
			return
		}
		r.Used = w.Used
		// In other states it waits for something else: a record, its NodeManager, its registration.
		if at.machine.State == machine.AttemptScheduled || at.machine.State == machine.AttemptRunning {
			r.Refusals = w.Refusals
		}
		call.Reply(r)
	})
}
