package driver

import (
	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// CheckSpeculatableTasks is the timer that looks for slow tasks, each spark.speculation.interval.
type CheckSpeculatableTasks struct{ rpcenv.Local }

// AbortUnschedulable is the timer that gives up a set which nothing may run.
type AbortUnschedulable struct {
	rpcenv.Local
	Abort tasks.Abort
}

// apply does what a step of the task scheduler asks for.
func (s *Scheduler) apply(c *rpcenv.Context, e tasks.Effects) {
	for _, l := range e.Lines {
		if l.Warn {
			c.Log().Warn(l.Text)
		} else {
			c.Log().Info(l.Text)
		}
	}
	for _, x := range e.Exclusions {
		logExclusion(c, x)
		s.post(c, event.Exclusion{Event: x})
	}
	for _, m := range e.DAG {
		c.Send(s.dag, m)
	}
	for _, k := range e.Kills {
		// Registered: removeExecutor has ended the attempts of each executor that is gone.
		if x := s.executors.byID[k.Executor]; x != nil {
			c.Send(x.ref, &app.KillTask{TaskId: k.TaskID, Executor: k.Executor, InterruptThread: k.Interrupt, Reason: k.Reason})
		}
	}
	for _, k := range e.Executors {
		s.endExcluded(c, k)
	}
	for _, a := range e.Aborts {
		c.After(a.At.Sub(c.Now()), AbortUnschedulable{Abort: a})
	}
	if e.Revive {
		s.offerAll(c)
	}
}
