package session

import (
	"fmt"
	"slices"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/actors/resourcemanager/input"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// pendingAllocate is a call that waits for the one before it.
type pendingAllocate struct {
	q    *yarn.AllocateRequest
	call rpcenv.Call[*yarn.AllocateResponse]
}

func (s *ApplicationMasterService) allocate(c *rpcenv.Context, q *yarn.AllocateRequest) {
	e, id, err := s.session(q.GetApplicationAttemptId(), q.GetAmRmToken())
	switch {
	case err != nil:
	case e == nil || e.over:
		err = errNoAttempt(id)
	case len(e.waiting) == maxWaiting:
		err = fmt.Errorf("%w: %d calls of %s wait already", exceptions.Retriable, maxWaiting, id)
	}
	if err != nil {
		rpcenv.Fail(c, q, err)
		return
	}
	e.heard = c.Now() // also a call that waits, or fails below, shows that the ApplicationMaster lives
	p := pendingAllocate{q, rpcenv.Defer(c, q)}
	// The response id of a call can be checked only when the one before it is answered: one at a time, in the order of arrival.
	if e.asking {
		e.waiting = append(e.waiting, p)
		return
	}
	s.process(c, e, p)
}

// process handles a call; no other call of the attempt is being handled.
func (s *ApplicationMasterService) process(c *rpcenv.Context, e *session, p pendingAllocate) {
	r := p.q.GetResponseId()
	switch {
	case e.over: // allocate checked it, but the call may have waited since
		p.call.Fail(errNoAttempt(e.attempt))
		return
	case e.responseID < 0:
		p.call.Fail(fmt.Errorf("%w: AM is not registered for known application attempt: %s or RM had restarted after AM registered.  AM should re-register.",
			exceptions.ApplicationMasterNotRegistered, e.attempt))
		return
	case e.last != nil && input.NextResponse(r) == e.responseID:
		// The answer was lost, and its containers and ends are gone from the books: only e.last still has them.
		p.call.Reply(e.last)
		return
	case r != e.responseID:
		p.call.Fail(fmt.Errorf("%w: Invalid responseId in AllocateRequest from application attempt: %s expect responseId to be %d but get %d",
			exceptions.InvalidApplicationMasterRequest, e.attempt, e.responseID, r))
		return
	}
	want, err := e.demand(p.q)
	if err != nil {
		p.call.Fail(err)
		return
	}
	if e.finished { // it has unregistered: the answer is empty, but response ids go on, as in Hadoop
		e.last = s.answer(c, e, scheduler.Allocation{})
		e.responseID = e.last.GetResponseId()
		p.call.Reply(e.last)
		return
	}
	e.asking = true
	rpcenv.Ask(c, s.scheduler, want, func(got scheduler.Allocation, err error) {
		e.asking = false
		switch {
		case err != nil:
			p.call.Fail(err) // the response id is not used up
		case e.over: // unregisterAttempt came while the scheduler worked; its AppAttemptRemoved ends these containers too
			p.call.Fail(errNoAttempt(e.attempt))
		default:
			e.last = s.answer(c, e, got)
			e.responseID = e.last.GetResponseId()
			c.Send(s.client, AMProgress{Attempt: e.attempt, Progress: progressOf(p.q.GetProgress())})
			p.call.Reply(e.last)
		}
		s.next(c, e)
	})
}

// next handles calls that waited, until one of them asks the scheduler; the rest go on when that is answered. The loop, not a
// recursion by way of process, answers several at once that need no scheduler.
func (s *ApplicationMasterService) next(c *rpcenv.Context, e *session) {
	for len(e.waiting) > 0 && !e.asking {
		p := e.waiting[0]
		e.waiting = e.waiting[1:]
		s.process(c, e, p)
	}
}

// progressOf is a progress from 0 to 1.
func progressOf(p float32) float32 {
	if p != p { // NaN
		return 0
	}
	return max(0, min(p, 1))
}

// demand translates a call for the scheduler and checks it as far as that needs no books.
func (e *session) demand(q *yarn.AllocateRequest) (scheduler.Allocate, error) {
	blacklist := q.GetBlacklistRequest()
	want := scheduler.Allocate{
		Attempt: e.attempt, Asks: q.GetAsk(), Add: blacklist.GetBlacklistAdditions(), Remove: blacklist.GetBlacklistRemovals(), Drain: true,
	}
	if slices.Contains(want.Add, fair.Any) {
		return want, fmt.Errorf("%w: Cannot add %s to the blacklist!", exceptions.InvalidResourceBlacklistRequest, fair.Any)
	}
	for _, ask := range q.GetAsk() {
		if len(ask.GetResourceName()) > input.MaxText || ask.GetResourceName() == "" {
			return want, fmt.Errorf("%w: an ask names no place, or one of more than %d bytes", exceptions.InvalidResourceRequest, input.MaxText)
		}
		if err := input.CheckLabel(ask.GetNodeLabelExpression()); err != nil {
			return want, err
		}
	}
	for _, m := range q.GetRelease() {
		id, err := ids.ContainerFrom(m)
		if err != nil {
			return want, fmt.Errorf("%w: %w", exceptions.InvalidContainerRelease, err)
		}
		// The attempt in a container's id is the one that got it first: with keep, a later attempt inherits and may release it.
		if id.Attempt != e.attempt && (!e.keep || id.Attempt.App != e.attempt.App) {
			return want, fmt.Errorf("%w: Cannot release container : %s not belonging to this application attempt : %s",
				exceptions.InvalidContainerRelease, id, e.attempt)
		}
		want.Release = append(want.Release, id)
	}
	return want, nil
}

// answer is the response to a processed call.
func (s *ApplicationMasterService) answer(c *rpcenv.Context, e *session, got scheduler.Allocation) *yarn.AllocateResponse {
	r := &yarn.AllocateResponse{
		ResponseId: input.NextResponse(e.responseID), AllocatedContainers: got.Containers, CompletedContainerStatuses: got.Completed,
		Limit: got.Headroom, UpdatedNodes: e.changed, NumClusterNodes: got.Nodes, NmTokens: s.tokensFor(c, e, got.Containers),
		ApplicationPriority: e.priority,
		Preempt:             &yarn.PreemptionMessage{StrictContract: &yarn.StrictPreemptionContract{}},
	}
	for _, id := range got.Preempt {
		r.Preempt.StrictContract.Container = append(r.Preempt.StrictContract.Container, &yarn.PreemptionContainer{Id: id.Proto()})
	}
	e.changed = nil // a lost answer loses no change: the repetition gets e.last, which has them
	return r
}
