package worker

import (
	"slices"
	"time"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

const (
	// firstDriverWait is how long a supervised driver waits after the first failure of its process; then twice as long
	// each time.
	firstDriverWait = time.Second
	// goodDriverRun is how long a process must have run for the waits to begin anew. It mirrors
	// DriverRunner's successfulRunDuration.
	goodDriverRun = 5 * time.Second
)

// driver is a driver in cluster mode that the Master ordered. It mirrors DriverRunner.
type driver struct {
	id        string
	desc      *deploy.DriverDescription
	resources []*deploy.ResourceInformation
	state     deploy.DriverState_State // RUNNING until it has ended
	exception string

	program string         // where its program is; empty until it was fetched
	fetch   func()         // ends the fetch; nil when none is under way
	process rpcenv.Process // the last one; nil before the first
	running bool           // process has not ended
	began   time.Time      // when process was started
	exit    *int32         // of the last process
	words   string         // its last ones, if it failed
	killed  bool           // its end was asked for
	wait    time.Duration  // how long it waits when its process fails next
	timer   rpcenv.Timer   // it waits
}

// failed says what follows a failure of the process, which ran for so long: a wait.
func (d *driver) failed(ran time.Duration) (wait time.Duration) {
	if ran > goodDriverRun || d.wait == 0 {
		d.wait = firstDriverWait
	}
	wait = d.wait
	d.wait *= 2
	return wait
}

// ended is the state of a driver whose last process ended with code, and that does not run again.
func (d *driver) ended(code int32) deploy.DriverState_State {
	switch {
	case code == 0:
		return deploy.DriverState_FINISHED
	case d.killed:
		return deploy.DriverState_KILLED
	}
	return deploy.DriverState_FAILED
}

// driverBooks are the drivers of a Worker.
type driverBooks struct {
	drivers         []*driver // those that have not ended, in the order of their launch
	endedDrivers    []*driver // oldest first
	retainedDrivers int       // how many of endedDrivers are kept
}

// driver is the driver of that id that has not ended, or nil.
func (b *driverBooks) driver(id string) *driver {
	if i := indexDriver(b.drivers, id); i >= 0 {
		return b.drivers[i]
	}
	return nil
}

func indexDriver(list []*driver, id string) int {
	return slices.IndexFunc(list, func(d *driver) bool { return d.id == id })
}

// addDriver enters a new driver.
func (b *books) addDriver(d *driver) {
	b.drivers = append(b.drivers, d)
	b.coresUsed += int(d.desc.GetCores())
	b.memoryUsedMB += int(d.desc.GetMem())
}

// endDriver moves d to those that ended and gives back what it had.
func (b *books) endDriver(d *driver) {
	i := slices.Index(b.drivers, d)
	if i < 0 {
		return
	}
	b.drivers = slices.Delete(b.drivers, i, i+1)
	b.coresUsed -= int(d.desc.GetCores())
	b.memoryUsedMB -= int(d.desc.GetMem())
	b.endedDrivers = trim(append(b.endedDrivers, d), b.retainedDrivers)
}
