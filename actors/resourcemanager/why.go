package resourcemanager

import (
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
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
	rpcenv.Ask(c, s.scheduler, requestWhy{attempt: at.id}, func(w why, err error) {
		if err != nil {
			call.Fail(err)
			return
		}
		r.Used = w.used
		// In other states it waits for something else: a record, its NodeManager, its registration.
		if at.machine.State == machine.AttemptScheduled || at.machine.State == machine.AttemptRunning {
			r.Refusals = w.refusals
		}
		call.Reply(r)
	})
}

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
