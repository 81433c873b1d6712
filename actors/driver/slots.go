package driver

import (
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/rpcenv"
)

// requestSlots answers how many tasks the executors can run at once, whatever they run now. It mirrors
// CoarseGrainedSchedulerBackend.maxNumConcurrentTasks.
func (s *Scheduler) requestSlots(c *rpcenv.Context, m tasks.RequestSlots) {
	n := 0
	for _, e := range s.executors.sorted {
		if e.launched && e.usable() {
			n += e.totalCores / s.cpus
		}
	}
	rpcenv.Reply(c, m, tasks.Slots{N: n})
}
