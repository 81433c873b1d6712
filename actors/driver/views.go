package driver

import (
	"slices"

	"github.com/coherer/coherer/actors/driver/heartbeat"
	"github.com/coherer/coherer/actors/storage"
)

// Views are the executors in each book of the driver, by the endpoint that keeps it; in quiet they are the same. A driver
// that ends has none. It is for observers outside a simulation, which call it while nothing runs.
func (d *Driver) Views() map[string][]string {
	// From StopExecutors on the Scheduler no longer removes executors that disconnect, so the books would differ.
	if d.scheduler.stopping {
		return nil
	}
	var ids []string
	for _, e := range d.scheduler.executors.sorted {
		ids = append(ids, e.id)
	}
	slices.Sort(ids)
	return map[string][]string{Name: ids, heartbeat.Name: d.receiver.Executors(), storage.MasterName: d.blocks.Executors()}
}

// Wants is how many executors the waiting and running tasks need, and how many a driver with dynamic allocation asks for; ok is
// false without dynamic allocation. Like Views it is for observers outside a simulation.
func (d *Driver) Wants() (needed, target int, ok bool) {
	if d.allocation == nil || d.scheduler.stopping {
		return 0, 0, false
	}
	needed, target = d.allocation.Wants()
	return needed, target, true
}
