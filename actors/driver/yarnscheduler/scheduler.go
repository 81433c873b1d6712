package yarnscheduler

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// errNotRegistered fails the question why an executor is gone while there is no ApplicationMaster.
var errNotRegistered = fmt.Errorf("%w: AM is not yet registered.", rpcenv.ErrRefused)

// Scheduler is the endpoint.
type Scheduler struct {
	driver  rpcenv.Ref // CoarseGrainedScheduler
	am      rpcenv.Ref // zero: none has registered
	stopped bool

	// asking tells that a RequestExecutors is on its way; next is the newest one that came meanwhile, waiting are those who
	// wait for its answer.
	asking  bool
	next    *app.RequestExecutors
	waiting []rpcenv.Call[*rpc.Bool]
}

// New makes the endpoint; driver is CoarseGrainedScheduler of the same Env.
func New(driver rpcenv.Ref) *Scheduler { return &Scheduler{driver: driver} }

// Receive is a callback of the endpoint.
func (s *Scheduler) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	// Of the ApplicationMaster.
	case *app.RegisterClusterManager:
		s.registerClusterManager(c, m)
	case *app.RemoveExecutor:
		s.removeExecutor(c, m)
	case *app.RetrieveLastAllocatedExecutorId:
		s.retrieveLastAllocatedExecutorID(c, m)
	case *app.DecommissionExecutorsOnHost:
		c.Send(s.driver, DecommissionHost{Host: m.GetHostName()})
	case *app.AddWebUIFilter:
		c.Log().Debugf("No pages to put the filter %.200q before", m.GetFilterName())
	case *app.MiscellaneousProcessAdded:
		c.Log().Infof("The ApplicationMaster is %.200q at %.200q", m.GetProcessId(), m.GetHostPort())

	// Of CoarseGrainedScheduler and the program.
	case *app.RequestExecutors:
		s.requestExecutors(c, m, rpcenv.Defer(c, m))
	case *app.KillExecutors:
		s.killExecutors(c, m)
	case *app.GetExecutorLossReason:
		s.getExecutorLossReason(c, m)
	case StopBackend:
		s.stopBackend(c, m)
	default:
		c.Unsupported(m)
	}
}

func (s *Scheduler) registerClusterManager(c *rpcenv.Context, m *app.RegisterClusterManager) {
	am := c.Ref(m.GetAm())
	if am.IsZero() {
		c.Log().Warnf("Ignored an ApplicationMaster of %s that does not say where it is", c.Sender())
		return
	}
	c.Log().Infof("ApplicationMaster registered as %s", am)
	s.am = am
	c.Send(s.driver, ClusterManagerRegistered{})
}

func (s *Scheduler) removeExecutor(c *rpcenv.Context, m *app.RemoveExecutor) {
	if s.stopped {
		return
	}
	c.Log().Warnf("Executor %s: %s", m.GetExecutorId(), reasonOf(m))
	c.Send(s.driver, m)
}

// reasonOf is why an executor is gone, in words. An ApplicationMaster says it twice: in reason, and in exited beside the code.
func reasonOf(m *app.RemoveExecutor) string { return cmp.Or(m.GetReason(), m.GetExited().GetReason()) }

func (s *Scheduler) retrieveLastAllocatedExecutorID(c *rpcenv.Context, m *app.RetrieveLastAllocatedExecutorId) {
	call := rpcenv.Defer(c, m)
	rpcenv.Ask(c, s.driver, RetrieveLastExecutorID{}, func(r LastExecutorID, err error) {
		finish(call, &app.LastAllocatedExecutorId{Id: r.ID}, err)
	})
}

// finish ends a call as another ended.
func finish[R rpcenv.Message](call rpcenv.Call[R], r R, err error) {
	if err != nil {
		call.Fail(err)
		return
	}
	call.Reply(r)
}

// requestExecutors tells the ApplicationMaster how many executors are wanted: the counts are absolute, so of several that
// wait the newest is enough.
func (s *Scheduler) requestExecutors(c *rpcenv.Context, m *app.RequestExecutors, call rpcenv.Call[*rpc.Bool]) {
	switch {
	case s.am.IsZero():
		c.Log().Warn("Attempted to request executors before the AM has registered!")
		call.Reply(&rpc.Bool{})
	case s.asking:
		s.next, s.waiting = m, append(s.waiting, call)
	default:
		s.tell(c, m, []rpcenv.Call[*rpc.Bool]{call})
	}
}

func (s *Scheduler) tell(c *rpcenv.Context, m *app.RequestExecutors, calls []rpcenv.Call[*rpc.Bool]) {
	s.asking = true
	rpcenv.Ask(c, s.am, m, func(r *rpc.Bool, err error) {
		s.asking = false
		for _, call := range calls {
			finish(call, r, err)
		}
		if s.next == nil {
			return
		}
		m, calls := s.next, s.waiting
		s.next, s.waiting = nil, nil
		if s.am.IsZero() {
			for _, call := range calls {
				call.Reply(&rpc.Bool{})
			}
			return
		}
		s.tell(c, m, calls)
	})
}

func (s *Scheduler) killExecutors(c *rpcenv.Context, m *app.KillExecutors) {
	if s.am.IsZero() {
		c.Log().Warn("Attempted to kill executors before the AM has registered!")
		rpcenv.Reply(c, m, &rpc.Bool{})
		return
	}
	call := rpcenv.Defer(c, m)
	rpcenv.Ask(c, s.am, m, func(r *rpc.Bool, err error) { finish(call, r, err) })
}

func (s *Scheduler) getExecutorLossReason(c *rpcenv.Context, m *app.GetExecutorLossReason) {
	if s.am.IsZero() {
		c.Log().Warn("Attempted to check for an executor loss reason before the AM has registered!")
		rpcenv.Fail(c, m, errNotRegistered)
		return
	}
	call := rpcenv.Defer(c, m)
	rpcenv.Ask(c, s.am, m, func(r *app.ExecutorExited, err error) {
		if err != nil && !errors.Is(err, rpcenv.ErrStopped) {
			c.Log().WithError(err).Warnf("Attempted to get executor loss reason for executor id %s, but got no response. Marking as agent lost.", m.GetExecutorId())
		}
		finish(call, r, err)
	})
}

// stopBackend tells the ApplicationMaster of the end first, then that nothing is wanted, so that it asks for no executors in
// place of those that the driver ends.
func (s *Scheduler) stopBackend(c *rpcenv.Context, m StopBackend) {
	s.stopped = true
	if s.am.IsZero() {
		rpcenv.Reply(c, m, &rpc.Bool{})
		return
	}
	c.Send(s.am, &app.Shutdown{ExitCode: int32(m.Code)})
	call := rpcenv.Defer(c, m)
	rpcenv.Ask(c, s.am, &app.RequestExecutors{}, func(_ *rpc.Bool, err error) {
		if err != nil {
			c.Log().WithError(err).Debug("The ApplicationMaster did not hear that nothing is wanted")
		}
		call.Reply(&rpc.Bool{Value: err == nil})
	})
}

// OnConnected is a callback of the endpoint.
func (s *Scheduler) OnConnected(*rpcenv.Context, rpcenv.Address) {}

// OnDisconnected is a callback of the endpoint: an ApplicationMaster that is gone is asked nothing; another one may come.
func (s *Scheduler) OnDisconnected(c *rpcenv.Context, peer rpcenv.Address) {
	if s.am.Address == peer && !s.am.IsZero() {
		c.Log().Warnf("ApplicationMaster has disassociated: %s", peer)
		s.am = rpcenv.Ref{}
	}
}
