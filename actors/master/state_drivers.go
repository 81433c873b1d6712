package master

import (
	"slices"
	"time"

	"github.com/coherer/coherer/messages/deploy"
)

// driverInfo is what the Master knows of a driver in cluster mode. It mirrors
// org.apache.spark.deploy.master.DriverInfo.
type driverInfo struct {
	ID        string
	Desc      *deploy.DriverDescription
	State     deploy.DriverState_State
	Submitted time.Time
	Ended     time.Time                     // zero until then
	Worker    *workerInfo                   // it was ordered of; nil while it waits
	Resources []*deploy.ResourceInformation // the Worker's addresses that it has
	Exception string                        // why it has state ERROR; may be empty
	// ExitStatus of its process; nil until it has ended, and when it is unknown.
	ExitStatus *int32
	// LastWords is the last error that its process wrote to its stderr before it failed; empty when it wrote none.
	LastWords string
	// RelaunchedAs is the id under which a driver of state RELAUNCHING runs again.
	RelaunchedAs string

	reason   string // why it has ended
	warned   bool   // that no Worker could ever take it
	doubtful bool   // its Worker registered again since it was ordered, and has not said that it runs
}

// mainClass is the application's: the third argument of Spark's DriverWrapper.
func (d *driverInfo) mainClass() string {
	if args := d.Desc.GetCommand().GetArguments(); len(args) > 2 {
		return args[2]
	}
	return d.Desc.GetCommand().GetMainClass()
}

// driverBooks are the Master's books of drivers in cluster mode.
type driverBooks struct {
	active    []*driverInfo // those that have not ended, in the order of their submission
	waiting   []*driverInfo // those of them that have no Worker, in the order in which they get one
	completed []*driverInfo // the oldest first
	idToInfo  map[string]*driverInfo
	next      int // number of the next driver
}

func newDriverBooks() driverBooks { return driverBooks{idToInfo: map[string]*driverInfo{}} }

// add enters a driver, which waits.
func (b *driverBooks) add(d *driverInfo) {
	b.idToInfo[d.ID] = d
	b.active = append(b.active, d)
	b.waiting = append(b.waiting, d)
}

// recover enters a driver that may run somewhere: it does not wait.
func (b *driverBooks) recover(d *driverInfo) {
	b.idToInfo[d.ID] = d
	b.active = append(b.active, d)
}

// assign gives a driver that waits to a Worker, with resources of it.
func (b *driverBooks) assign(d *driverInfo, w *workerInfo) {
	b.waiting = without(b.waiting, d)
	d.Resources = w.resources.acquire(requirements(d.Desc.GetResourceReqs()))
	b.place(d, w)
}

// place enters that a Worker has a driver, which has its resources.
func (b *driverBooks) place(d *driverInfo, w *workerInfo) {
	d.Worker, d.doubtful = w, false
	w.drivers = append(w.drivers, d)
	w.take(int(d.Desc.GetCores()), int(d.Desc.GetMem()))
}

// end takes a driver out, gives back what it had, and remembers it among the last drivers that have ended, retained of them.
func (b *driverBooks) end(d *driverInfo, retained int) {
	delete(b.idToInfo, d.ID)
	b.active, b.waiting = without(b.active, d), without(b.waiting, d)
	b.completed = retain(b.completed, d, retained)
	if w := d.Worker; w != nil {
		w.drivers = without(w.drivers, d)
		if w.State == WorkerDead { // its record shows what was used of it
			return
		}
		w.take(-int(d.Desc.GetCores()), -int(d.Desc.GetMem()))
		w.resources.release(d.Resources)
	}
}

// find is a driver, also one that has ended and is remembered; nil: none has that id.
func (b *driverBooks) find(id string) *driverInfo {
	if d := b.idToInfo[id]; d != nil {
		return d
	}
	for _, d := range slices.Backward(b.completed) {
		if d.ID == id {
			return d
		}
	}
	return nil
}

// launched is how many drivers have a Worker.
func (b *driverBooks) launched() int { return len(b.active) - len(b.waiting) }

// without is a new list that lacks x: a loop over the old one goes on undisturbed.
func without[T comparable](list []T, x T) []T {
	return slices.DeleteFunc(slices.Clone(list), func(y T) bool { return y == x })
}
