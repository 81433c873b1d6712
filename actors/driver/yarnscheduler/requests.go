package yarnscheduler

import (
	"fmt"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// errReplaced fails a request that the ApplicationMaster had not answered when another one registered.
var errReplaced = fmt.Errorf("%w: another ApplicationMaster has registered", rpcenv.ErrRefused)

// request is how many executors are wanted, and the calls that wait for the answer.
type request struct {
	message *app.RequestExecutors
	callers []rpcenv.Call[*rpc.Bool]
}

// finish answers all calls that wait.
func (r *request) finish(b *rpc.Bool, err error) {
	for _, call := range r.callers {
		finish(call, b, err)
	}
}

// refuse answers false to all calls that wait; a nil request has none.
func (r *request) refuse() {
	if r != nil {
		r.finish(&rpc.Bool{}, nil)
	}
}

// requestExecutors asks the ApplicationMaster for executors. The counts are absolute, so of several requests that wait the newest
// is enough. A driver that ends wants none.
func (s *Scheduler) requestExecutors(c *rpcenv.Context, m *app.RequestExecutors) {
	r := &request{message: m, callers: []rpcenv.Call[*rpc.Bool]{rpcenv.Defer(c, m)}}
	switch {
	case s.stopped:
		r.refuse()
	case s.am.IsZero():
		s.warn(c, "Attempted to request executors before the AM has registered!")
		r.refuse()
	case s.out == nil:
		s.send(c, r)
	default:
		if s.next != nil { // r replaces it: its callers get the answer to r
			r.callers = append(s.next.callers, r.callers...)
		}
		s.next = r
	}
}

// send sends a request, and after its answer the one that came meanwhile.
func (s *Scheduler) send(c *rpcenv.Context, r *request) {
	s.out = r
	rpcenv.Ask(c, s.am, r.message, func(b *rpc.Bool, err error) {
		if s.out != r { // given up: its calls have failed, and s.out may be a request to the next ApplicationMaster
			return
		}
		s.out = nil
		r.finish(b, err)
		s.sendNext(c)
	})
}

func (s *Scheduler) sendNext(c *rpcenv.Context) {
	r := s.next
	s.next = nil
	switch {
	case r == nil:
	case s.am.IsZero():
		r.refuse()
	default:
		s.send(c, r)
	}
}

// giveUp waits no longer for the answer of an ApplicationMaster that was replaced, which may never come: its connection can be
// half open. The request that waited goes to the new one.
func (s *Scheduler) giveUp(c *rpcenv.Context) {
	if s.out == nil {
		return
	}
	r := s.out
	s.out = nil
	r.finish(nil, errReplaced)
	s.sendNext(c)
}
