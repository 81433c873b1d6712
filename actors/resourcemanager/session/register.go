package session

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/input"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// errNotInCache has Hadoop's words for a registration or an end of an attempt without a live session.
func errNotInCache(what fmt.Stringer) error {
	return fmt.Errorf("%w: Application doesn't exist in cache %s", exceptions.InvalidApplicationMasterRequest, what)
}

// errNoAttempt has Hadoop's words for the ApplicationMaster of an unknown attempt, or of one that is over: it has to end.
func errNoAttempt(id ids.Attempt) error {
	return fmt.Errorf("%w: Application attempt %s doesn't exist in ApplicationMasterService cache.", exceptions.ApplicationAttemptNotFound, id)
}

func (s *ApplicationMasterService) registerApplicationMaster(c *rpcenv.Context, q *yarn.RegisterApplicationMasterRequest) {
	e, id, err := s.session(q.GetApplicationAttemptId(), q.GetAmRmToken())
	switch {
	case err != nil:
	case e == nil || e.over:
		err = errNotInCache(id)
	case e.responseID > 0 || e.finished: // at 0 the answer to the first one was lost
		err = fmt.Errorf("%w: Application Master is already registered : %s", exceptions.InvalidApplicationMasterRequest, id.App)
	case len(q.GetHost()) > input.MaxText || len(q.GetTrackingUrl()) > input.MaxText || q.GetRpcPort() < -1 || q.GetRpcPort() > 65535:
		err = fmt.Errorf("%w: %s registers with a host or an address of more than %d bytes, or port %d",
			exceptions.InvalidApplicationMasterRequest, id, input.MaxText, q.GetRpcPort())
	}
	holds, wrong := heldBy(id, q.GetContainers())
	if err = cmp.Or(err, wrong); err != nil {
		rpcenv.Fail(c, q, err)
		return
	}
	if e.responseID < 0 { // not at a repetition: a second REGISTERED would be illegal for a RUNNING attempt
		c.Log().Infof("AM registration %s", id)
		c.Send(s.client, AMRegistered{Attempt: id, Host: q.GetHost(), Port: q.GetRpcPort(), URL: q.GetTrackingUrl()})
	}
	e.watched, e.heard, e.responseID = true, c.Now(), 0
	call := rpcenv.Defer(c, q)
	rpcenv.Ask(c, s.scheduler, scheduler.DescribeAttempt{Attempt: id, Holds: holds}, func(d scheduler.AttemptDescription, err error) {
		if err != nil {
			call.Fail(err)
			return
		}
		r := &yarn.RegisterApplicationMasterResponse{
			MaximumCapability: d.Maximum, Queue: d.Queue,
			SchedulerResourceTypes: []yarn.SchedulerResourceTypes{yarn.SchedulerResourceTypes_MEMORY, yarn.SchedulerResourceTypes_CPU},
		}
		if e.keep {
			// With their tokens: the last attempt's NMTokens died with it, and no allocate will return these containers.
			r.ContainersFromPreviousAttempts = d.Previous
			r.NmTokensFromPreviousAttempts = s.tokensFor(c, e, d.Previous)
		}
		call.Reply(r)
	})
}

// heldBy are the containers that an attempt says it has, which have to be of its application.
func heldBy(id ids.Attempt, all []*yarn.ContainerId) ([]ids.Container, error) {
	var held []ids.Container
	for _, m := range all {
		k, err := ids.ContainerFrom(m)
		if err == nil && k.Attempt.App != id.App {
			err = fmt.Errorf("%s is not of %s", k, id.App)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %s registers with a container: %w", exceptions.InvalidApplicationMasterRequest, id, err)
		}
		held = append(held, k)
	}
	slices.SortFunc(held, ids.CompareContainers)
	return slices.Compact(held), nil
}

// tokensFor makes the tokens for those nodes of containers that the attempt has no token for yet.
func (s *ApplicationMasterService) tokensFor(c *rpcenv.Context, e *session, containers []*yarn.Container) []*yarn.NMToken {
	var tokens []*yarn.NMToken
	for _, k := range containers {
		n, err := ids.NodeFrom(k.GetNodeId())
		if err != nil || e.nodes == nil || e.nodes[n] { // nil: the attempt is over
			continue
		}
		t, err := s.life.NMToken(e.attempt, n, e.user)
		if err != nil {
			c.Log().Errorf("%s: %v", e.attempt, err)
			continue
		}
		e.nodes[n] = true
		tokens = append(tokens, &yarn.NMToken{NodeId: n.Proto(), Token: t})
	}
	return tokens
}

func (s *ApplicationMasterService) finishApplicationMaster(c *rpcenv.Context, q *yarn.FinishApplicationMasterRequest) {
	e, id, err := s.session(q.GetApplicationAttemptId(), q.GetAmRmToken())
	switch {
	case err != nil:
		rpcenv.Fail(c, q, err)
		return
	case e == nil:
		rpcenv.Fail(c, q, errNotInCache(id))
		return
	case e.stored: // before e.over: the attempt may be over by the time that its ApplicationMaster asks again
		rpcenv.Reply(c, q, &yarn.FinishApplicationMasterResponse{IsUnregistered: true})
		return
	case e.over:
		rpcenv.Fail(c, q, errNoAttempt(id))
		return
	case e.responseID < 0:
		rpcenv.Fail(c, q, fmt.Errorf("%w: Application Master is trying to unregister before registering for: %s",
			exceptions.ApplicationMasterNotRegistered, id.App))
		return
	}
	e.heard = c.Now()
	// The ApplicationMaster repeats the call every 100 ms until the end is durable: the first one counts.
	if !e.finished {
		e.finished = true
		c.Send(s.client, AMUnregistered{
			Attempt: id, Final: q.GetFinalApplicationStatus(), Diagnostics: input.Cut(q.GetDiagnostics(), maxDiagnostics), URL: input.Cut(q.GetTrackingUrl(), input.MaxText),
		})
	}
	rpcenv.Reply(c, q, &yarn.FinishApplicationMasterResponse{})
}

// maxDiagnostics bounds an ApplicationMaster's diagnostics, in characters. Hadoop's bound is
// yarn.app.attempt.diagnostics.limit.kc, of the same size.
const maxDiagnostics = 64 << 10
