package driver

import (
	"fmt"

	"github.com/coherer/coherer/actors/driver/exclude"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// ErrExcluded fails the registration of an executor on which, or on whose node, too many tasks failed.
var ErrExcluded = rpcenv.NewRefusal("driver.excluded-executor", "Executor is excluded due to failures")

// endExcluded ends an excluded executor, or all of an excluded node. The cluster starts others for them.
func (s *Scheduler) endExcluded(c *rpcenv.Context, k exclude.Kill) {
	c.Log().Info(k.Reason)
	var ids []string
	for _, e := range s.executors.sorted {
		if e.id != k.Executor && e.host != k.Node || e.removing {
			continue
		}
		if !k.Decommission {
			e.removing = true // so that the failures of its tasks do not count
			ids = append(ids, e.id)
		} else if s.decommission(c, e, false, fmt.Sprintf("%s: %s", k.Reason, e.id)) {
			c.Send(e.ref, &app.DecommissionExecutor{})
		}
	}
	if len(ids) > 0 {
		c.Log().Infof("Requesting to kill executor(s) %v", ids)
		s.endExecutors(c, ids)
	}
}

// logExclusion says what failures exclude from now on, or no longer.
func logExclusion(c *rpcenv.Context, e exclude.Event) {
	if e.Failures > 0 {
		c.Log().Warn(e.Text)
		return
	}
	c.Log().Info(e.Text)
}
