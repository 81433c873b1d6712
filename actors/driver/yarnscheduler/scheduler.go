package yarnscheduler

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// errNotRegistered fails the question why an executor is gone while no ApplicationMaster is registered.
var errNotRegistered = fmt.Errorf("%w: AM is not yet registered.", rpcenv.ErrRefused)

// Scheduler is the endpoint.
type Scheduler struct {
	driver  rpcenv.Ref // CoarseGrainedScheduler
	am      rpcenv.Ref // zero: none has registered
	stopped bool
	warned  string // the last warning of what needs an ApplicationMaster, until one registers
	// out is on its way to the ApplicationMaster; next came meanwhile.
	out, next *request
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
		s.decommissionExecutorsOnHost(c, m)
	case *app.AddWebUIFilter:
		s.addWebUIFilter(c, m)
	case *app.MiscellaneousProcessAdded:
		s.miscellaneousProcessAdded(c, m)

	// Of CoarseGrainedScheduler and the program.
	case *app.RequestExecutors:
		s.requestExecutors(c, m)
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

// registerClusterManager replaces the ApplicationMaster. CoarseGrainedScheduler hears of it before the asks that the former one
// has not answered fail: their failures then change nothing.
func (s *Scheduler) registerClusterManager(c *rpcenv.Context, m *app.RegisterClusterManager) {
	am := c.Ref(m.GetAm())
	if am.IsZero() {
		c.Log().Warnf("Ignored an ApplicationMaster of %s that does not say where it is", c.Sender())
		return
	}
	c.Log().Infof("ApplicationMaster registered as %s", am)
	s.am, s.warned = am, ""
	c.Send(s.driver, ClusterManagerRegistered{})
	s.giveUp(c)
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

// warn logs once what cannot be asked without an ApplicationMaster: ExecutorAllocationManager asks again each 100 ms.
func (s *Scheduler) warn(c *rpcenv.Context, text string) {
	if s.warned != text {
		s.warned = text
		c.Log().Warn(text)
	}
}

// finish ends a call as another ended.
func finish[R rpcenv.Message](call rpcenv.Call[R], r R, err error) {
	if err != nil {
		call.Fail(err)
		return
	}
	call.Reply(r)
}

func (s *Scheduler) decommissionExecutorsOnHost(c *rpcenv.Context, m *app.DecommissionExecutorsOnHost) {
	c.Send(s.driver, DecommissionHost{Host: m.GetHostName()})
}

func (s *Scheduler) addWebUIFilter(c *rpcenv.Context, m *app.AddWebUIFilter) {
	c.Log().Debugf("No pages to put the filter %.200q before", m.GetFilterName())
}

func (s *Scheduler) miscellaneousProcessAdded(c *rpcenv.Context, m *app.MiscellaneousProcessAdded) {
	c.Log().Infof("The ApplicationMaster is %.200q at %.200q", m.GetProcessId(), m.GetHostPort())
}

func (s *Scheduler) killExecutors(c *rpcenv.Context, m *app.KillExecutors) {
	if s.am.IsZero() {
		s.warn(c, "Attempted to kill executors before the AM has registered!")
		rpcenv.Reply(c, m, &rpc.Bool{})
		return
	}
	call := rpcenv.Defer(c, m)
	rpcenv.Ask(c, s.am, m, func(r *rpc.Bool, err error) { finish(call, r, err) })
}

func (s *Scheduler) getExecutorLossReason(c *rpcenv.Context, m *app.GetExecutorLossReason) {
	if s.am.IsZero() {
		s.warn(c, "Attempted to check for an executor loss reason before the AM has registered!")
		rpcenv.Fail(c, m, errNotRegistered)
		return
	}
	call := rpcenv.Defer(c, m)
	rpcenv.Ask(c, s.am, m, func(r *app.ExecutorExited, err error) {
		if err != nil {
			c.Log().WithError(err).Warnf("Attempted to get executor loss reason for executor id %s, but got no response. Marking as agent lost.", m.GetExecutorId())
		}
		finish(call, r, err)
	})
}

// endWait is how long a driver that ends waits for its ApplicationMaster: the driver stops its executors after that, within the
// time that the end of an application may take.
const endWait = 3 * time.Second

// stopBackend sends Shutdown to the ApplicationMaster first, then a request for no executors, so that it starts none in place of
// those that the driver ends. A request that waited is dropped.
func (s *Scheduler) stopBackend(c *rpcenv.Context, m StopBackend) {
	s.stopped = true
	// It asks for executors, which the ApplicationMaster would start for a driver that is gone.
	s.next.refuse()
	s.next = nil
	if s.am.IsZero() {
		rpcenv.Reply(c, m, &rpc.Bool{})
		return
	}
	c.Send(s.am, &app.Shutdown{ExitCode: int32(m.Code)})
	call := rpcenv.Defer(c, m)
	// Its answer shows that Shutdown has arrived, too: messages to one endpoint keep their order.
	rpcenv.Ask(c, s.am, &app.RequestExecutors{}, func(_ *rpc.Bool, err error) {
		if errors.Is(err, rpcenv.ErrUnreachableTimeout) { // it is connected and may stand still: the messages wait for it
			c.Log().Warnf("The ApplicationMaster does not answer that the application is over; it ends when it goes on, or YARN ends it after %s",
				rmproxy.AMExpiry.Key())
			err = nil
		}
		if err != nil {
			c.Log().WithError(err).Debug("The ApplicationMaster did not hear that nothing is wanted")
		}
		call.Reply(&rpc.Bool{Value: err == nil})
	}, rpcenv.Timeout("the patience of a driver that ends", endWait))
}

// OnConnected is a callback of the endpoint.
func (s *Scheduler) OnConnected(*rpcenv.Context, rpcenv.Address) {}

// OnDisconnected is a callback of the endpoint: an ApplicationMaster that is gone gets no asks; another one may come.
func (s *Scheduler) OnDisconnected(c *rpcenv.Context, peer rpcenv.Address) {
	if s.am.Address == peer {
		c.Log().Warnf("ApplicationMaster has disassociated: %s", peer)
		s.am = rpcenv.Ref{}
	}
}
