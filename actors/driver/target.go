package driver

import (
	"github.com/coherer/coherer/actors/appclient"
	"github.com/coherer/coherer/actors/driver/allocation"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// requestTotalExecutors passes on how many executors are wanted in all. The endpoint handles other messages until the
// answer comes. It mirrors CoarseGrainedSchedulerBackend.requestTotalExecutors.
func (s *Scheduler) requestTotalExecutors(c *rpcenv.Context, m allocation.RequestTotalExecutors) {
	call := rpcenv.Defer(c, m)
	totals := []*deploy.ProfileTarget{{Profile: defaultProfile(c.Conf()), Total: int32(m.Total)}}
	s.askTotals(c, totals, func(ok *rpc.Bool, err error) {
		if err != nil {
			call.Fail(err)
			return
		}
		call.Reply(ok)
	})
}

// askTotals asks the cluster for executors: the Master, or on YARN the ApplicationMaster.
func (s *Scheduler) askTotals(c *rpcenv.Context, totals []*deploy.ProfileTarget, then func(*rpc.Bool, error)) {
	if s.cfg.YARN != nil {
		rpcenv.Ask(c, s.yarn, &app.RequestExecutors{ResourceProfileToTotalExecs: totals, ExcludedNodes: s.tasks.ExcludedNodes()}, then)
		return
	}
	if s.notLocal(then) {
		rpcenv.Ask(c, s.appClient, appclient.RequestExecutors{Totals: totals}, then)
	}
}

// askKill asks the cluster to end executors.
func (s *Scheduler) askKill(c *rpcenv.Context, ids []string, then func(*rpc.Bool, error)) {
	if s.cfg.YARN != nil {
		rpcenv.Ask(c, s.yarn, &app.KillExecutors{ExecutorIds: ids}, then)
		return
	}
	if s.notLocal(then) {
		rpcenv.Ask(c, s.appClient, appclient.KillExecutors{IDs: ids}, then)
	}
}

// defaultProfile is what an executor takes by the settings (ResourceProfile.getOrCreateDefaultProfile).
func defaultProfile(s *conf.Conf) *deploy.ResourceProfile {
	p := &deploy.ResourceProfile{ExecutorMemoryMb: int32(submit.ExecutorMemory.Get(s))}
	if n, set := submit.ExecutorCores.Find(s); set {
		p.ExecutorCores = new(int32(n))
	}
	return p
}

// killExecutors ends executors that run nothing. They get no more tasks; their end is nobody's fault. It mirrors
// CoarseGrainedSchedulerBackend.killExecutors without force.
func (s *Scheduler) killExecutors(c *rpcenv.Context, m allocation.KillExecutors) {
	var ids []string
	for _, id := range m.IDs {
		if e := s.executors.byID[id]; e != nil && e.usable() && e.freeCores == e.totalCores {
			// Before the cluster decides, so that no task starts there meanwhile.
			e.removing = true
			ids = append(ids, id)
		}
	}
	call := rpcenv.Defer(c, m)
	if len(ids) == 0 {
		call.Reply(allocation.Removed{})
		return
	}
	c.Log().Infof("Requesting to kill executor(s) %v", ids)
	s.askKill(c, ids, func(ok *rpc.Bool, err error) {
		// After a failure, too: ok is nil then.
		if !ok.GetValue() {
			s.keep(c, ids)
		}
		switch {
		case err != nil:
			call.Fail(err)
		case ok.GetValue():
			call.Reply(allocation.Removed{IDs: ids})
		default:
			call.Reply(allocation.Removed{})
		}
	})
}

// keep offers executors again whose end was refused.
func (s *Scheduler) keep(c *rpcenv.Context, ids []string) {
	for _, id := range ids {
		if e := s.executors.byID[id]; e != nil { // nil: it went while its kill was asked for
			e.removing = false
		}
	}
	s.offerAll(c)
}
