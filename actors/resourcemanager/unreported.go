package resourcemanager

import (
	"maps"
	"slices"

	"github.com/coherer/coherer/actors/exitstatus"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// A ResourceManager has no record of nodes and containers: nodes report what they run when it was restarted. A node that was lost
// meanwhile reports nothing, and nobody would ever tell the ApplicationMaster of the containers that it had there.

// expect keeps which containers an ApplicationMaster says it has and no node has reported. When nodes have had the time to come they
// are lost.
func (s *Scheduler) expect(c *rpcenv.Context, a *scheduledApp, held []ids.Container) {
	a.missing = nil
	if !s.life.recovered {
		return
	}
	for _, id := range held {
		if s.containers[id] == nil && !s.untold(id) {
			a.missing = append(a.missing, id)
		}
	}
	if c.Now().Sub(s.start) >= conf.NMExpiry.Get(c.Conf()) {
		s.lose(c, a)
	}
}

// unreportedTick gives up what no node has reported since the restart.
func (s *Scheduler) unreportedTick(c *rpcenv.Context) {
	for _, id := range slices.SortedFunc(maps.Keys(s.apps), ids.CompareApplications) {
		s.lose(c, s.apps[id])
	}
}

// lose tells an ApplicationMaster of containers that are missing, as of those of a lost node.
func (s *Scheduler) lose(c *rpcenv.Context, a *scheduledApp) {
	for _, id := range a.missing {
		c.Log().Infof("%s is on no node that has come since the restart: it is lost", id)
		a.done = append(a.done, doneContainer{status: &yarn.ContainerStatus{
			ContainerId: id.Proto(), State: yarn.ContainerState_C_COMPLETE, Diagnostics: fair.DiagnosticsLost, ExitStatus: exitstatus.Aborted,
		}})
	}
	a.missing = nil
}
