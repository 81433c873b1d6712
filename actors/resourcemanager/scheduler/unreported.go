package scheduler

import (
	"maps"
	"slices"

	"github.com/coherer/coherer/actors/hadoop/exitstatus"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// A ResourceManager has no records of nodes and containers: after a restart nodes report the containers that they run. A node that
// was lost meanwhile reports nothing, and its ApplicationMasters would wait for their containers there for ever.

// expect keeps those containers of an ApplicationMaster that no node has reported. Once the nodes have had time to register, they
// count as lost.
func (s *Scheduler) expect(c *rpcenv.Context, a *scheduledApp, held []ids.Container) {
	a.missing = nil // a repeated registration replaces the list
	if !s.life.Recovered {
		return
	}
	// One whose end is on its way to the ApplicationMaster is not missing: it would be reported twice.
	for _, id := range held {
		if s.containers[id] == nil && !s.unheard(id) {
			a.missing = append(a.missing, id)
		}
	}
	if c.Now().Sub(s.start) >= NMExpiry.Get(c.Conf()) {
		s.lose(c, a)
	}
}

// unreportedTick gives up the containers that no node has reported since the restart.
func (s *Scheduler) unreportedTick(c *rpcenv.Context) {
	for _, id := range slices.SortedFunc(maps.Keys(s.apps), ids.CompareApplications) {
		s.lose(c, s.apps[id])
	}
}

// lose reports the missing containers to their ApplicationMaster like those of a lost node.
func (s *Scheduler) lose(c *rpcenv.Context, a *scheduledApp) {
	for _, id := range a.missing {
		c.Log().Infof("%s is on no node that has come since the restart: it is lost", id)
		a.done = append(a.done, doneContainer{status: &yarn.ContainerStatus{
			ContainerId: id.Proto(), State: yarn.ContainerState_C_COMPLETE, Diagnostics: fair.DiagnosticsLost, ExitStatus: exitstatus.Aborted,
		}})
	}
	a.missing = nil
}
