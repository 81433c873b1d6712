package yarnscheduler

import (
	"fmt"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// errReplaced fails a request of which the ApplicationMaster said nothing before another one registered.
var errReplaced = fmt.Errorf("%w: another ApplicationMaster has registered", rpcenv.ErrRefused)

// request is how many executors are wanted, and who waits for the answer.
type request struct {
	message *app.RequestExecutors
	callers []rpcenv.Call[*rpc.Bool]
}

// finish answers all who wait.
func (r *request) finish(b *rpc.Bool, err error) {
	for _, call := range r.callers {
		finish(call, b, err)
	}
}

// refuse answers all who wait false; a request that there is not has none.
func (r *request) refuse() {
	if r != nil {
		r.finish(&rpc.Bool{}, nil)
	}
}

// requestExecutors tells the ApplicationMaster how many executors are wanted: the counts are absolute, so of several that
// wait the newest is enough. A driver that ends wants none.
func (s *Scheduler) requestExecutors(c *rpcenv.Context, m *app.RequestExecutors) {
	r := &request{message: m, callers: []rpcenv.Call[*rpc.Bool]{rpcenv.Defer(c, m)}}
	switch {
	case s.stopped:
		r.refuse()
	case s.am.IsZero():
		s.warn(c, "Attempted to request executors before the AM has registered!")
		r.refuse()
	case s.out == nil:
		s.tell(c, r)
	default:
		if s.next != nil {
			r.callers = append(s.next.callers, r.callers...)
		}
		s.next = r
	}
}

// tell sends a request, and after its answer the one that came meanwhile.
func (s *Scheduler) tell(c *rpcenv.Context, r *request) {
	s.out = r
	rpcenv.Ask(c, s.am, r.message, func(b *rpc.Bool, err error) {
		if s.out != r { // given up
			return
		}
		s.out = nil
		r.finish(b, err)
		s.tellNext(c)
	})
}

func (s *Scheduler) tellNext(c *rpcenv.Context) {
	r := s.next
	s.next = nil
	switch {
	case r == nil:
	case s.am.IsZero():
		r.refuse()
	default:
		s.tell(c, r)
	}
}

// giveUp waits no longer for the answer of an ApplicationMaster that was replaced, which may never come: its connection can be
// half open. What waited is told to the new one.
func (s *Scheduler) giveUp(c *rpcenv.Context) {
	if s.out == nil {
		return
	}
	r := s.out
	s.out = nil
	r.finish(nil, errReplaced)
	s.tellNext(c)
}
