package session

import (
	"testing"

	"github.com/coherer/coherer/actors/hadoop/token"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/rmtest"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// sessions is an ApplicationMasterService that serves, with a scheduler that a test plays.
type sessions struct {
	*rmtest.Rig
	s *ApplicationMasterService
	*sessionScheduler
}

// sessionScheduler answers an ApplicationMasterService, when it is let.
type sessionScheduler struct {
	gives     scheduler.Allocation
	describes scheduler.AttemptDescription
	fails     error

	asked     []scheduler.Allocate
	described []scheduler.DescribeAttempt
	holds     bool
	held      []func()
}

func newSessions(t *testing.T, settings ...string) sessions {
	t.Helper()
	s := New()
	v := sessions{rmtest.New(t, ids.ApplicationMasterService, s, settings...), s, &sessionScheduler{}}
	v.Scheduler.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		switch m := m.(type) {
		case scheduler.Allocate:
			v.asked = append(v.asked, m)
			answered(c, m, v.sessionScheduler, func() scheduler.Allocation { return v.gives })
		case scheduler.DescribeAttempt:
			v.described = append(v.described, m)
			answered(c, m, v.sessionScheduler, func() scheduler.AttemptDescription { return v.describes })
		}
		return false
	})
	v.Send(BeginService{Life: rmtest.Life(5)})
	return v
}

// answered answers with what there is then, at once or when the scheduler is let.
func answered[Q rpcenv.Asks[R], R rpcenv.Message](c *rpcenv.Context, q Q, s *sessionScheduler, with func() R) {
	call := rpcenv.Defer(c, q)
	answer := func() {
		if s.fails != nil {
			call.Fail(s.fails)
			return
		}
		call.Reply(with())
	}
	if !s.holds {
		answer()
		return
	}
	s.held = append(s.held, answer)
}

// answer lets the scheduler answer what it holds.
func (v sessions) answer() {
	v.T.Helper()
	held := v.held
	v.held = nil
	v.Scheduler.Do(func(*rpcenv.Context) {
		for _, f := range held {
			f()
		}
	})
	v.Settle()
}

// begin begins an attempt of ada.
func (v sessions) begin(id ids.Attempt, keep bool) {
	v.T.Helper()
	v.Send(RegisterAttempt{Attempt: id, User: "ada", Keep: keep, Priority: &yarn.Priority{Priority: 3}})
}

// secret is the token of an attempt.
func (v sessions) secret(id ids.Attempt) *yarn.Token {
	v.T.Helper()
	t, err := token.Make(token.AMRM, "", rmtest.Life(5).AMRM, &yarn.AMRMTokenIdentifier{AppAttemptId: id.Proto(), KeyId: 1})
	if err != nil {
		v.T.Fatal(err)
	}
	return t
}

func (v sessions) register(id ids.Attempt, holds ...*yarn.ContainerId) (*yarn.RegisterApplicationMasterResponse, error) {
	v.T.Helper()
	r, err := rpctest.Ask[*yarn.RegisterApplicationMasterResponse](v.Peer, v.Of, &yarn.RegisterApplicationMasterRequest{
		ApplicationAttemptId: id.Proto(), AmRmToken: v.secret(id), Containers: holds,
	})
	v.Settle()
	return r, err
}

// running begins an attempt and registers its ApplicationMaster.
func (v sessions) running(id ids.Attempt, keep bool) {
	v.T.Helper()
	v.begin(id, keep)
	if _, err := v.register(id); err != nil {
		v.T.Fatal(err)
	}
}

func (v sessions) allocate(id ids.Attempt, q *yarn.AllocateRequest) (*yarn.AllocateResponse, error) {
	v.T.Helper()
	q.ApplicationAttemptId, q.AmRmToken = id.Proto(), v.secret(id)
	r, err := rpctest.Ask[*yarn.AllocateResponse](v.Peer, v.Of, q)
	v.Settle()
	return r, err
}

// call is an allocate call whose answer is not waited for.
type call struct {
	answer *yarn.AllocateResponse
	err    error
	done   bool
}

// calls makes allocate calls with these response ids, one after the other, and does not wait for their answers.
func (v sessions) calls(id ids.Attempt, responses ...int32) []*call {
	v.T.Helper()
	all := make([]*call, len(responses))
	v.Peer.Do(func(c *rpcenv.Context) {
		for i, r := range responses {
			q := &yarn.AllocateRequest{ApplicationAttemptId: id.Proto(), AmRmToken: v.secret(id), ResponseId: r}
			all[i] = &call{}
			rpcenv.Ask(c, v.Of, q, func(r *yarn.AllocateResponse, err error) { *all[i] = call{r, err, true} })
		}
	})
	v.Settle()
	return all
}

func (v sessions) finish(id ids.Attempt, q *yarn.FinishApplicationMasterRequest) (bool, error) {
	v.T.Helper()
	q.ApplicationAttemptId, q.AmRmToken = id.Proto(), v.secret(id)
	r, err := rpctest.Ask[*yarn.FinishApplicationMasterResponse](v.Peer, v.Of, q)
	v.Settle()
	return r.GetIsUnregistered(), err
}
