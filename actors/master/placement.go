package master

import (
	"fmt"
	"slices"
)

// Placement decides on which Workers the executors of an application go. Spark's two are [SpreadOut] and [Consolidate];
// [CoreByCore] is that of Spark before 1.4. A Master takes another one by [Config]: first come, first served among
// applications, and which Workers are usable at all, stay as they are.
type Placement interface {
	// Place returns how many cores each of offers gives, in their order: multiples of d.Cores when that is set, each of which
	// becomes an executor; else all of them become one executor. offers are the Workers that can take an executor of d at
	// least, in the order of spark.deploy.workerSelectionPolicy. An answer beyond d or an offer is not followed.
	//
	// It must depend on nothing else than its arguments, so that a run can be repeated.
	Place(d Demand, offers []Offer) []int
}

// Demand is what an application wants of one resource profile.
type Demand struct {
	App       string // its id
	Profile   int
	Cores     int // of each executor; 0: one executor a Worker, with all cores that it can get
	Memory    int // MiB of each executor
	CoresLeft int // how many cores the application may still get
	Executors int // how many more executors it wants at most
}

// Step is how many cores are given at a time.
func (d Demand) Step() int { return max(d.Cores, 1) }

// Offer is a Worker that can take an executor at least.
type Offer struct {
	Worker             string // its id
	Host               string
	Cores, CoresFree   int
	Memory, MemoryFree int // MiB
	Room               int // how many executors its free memory and resources are enough for
	Executors          int // how many executors it has, of all applications
}

// SpreadOut gives one executor, or one core, to each Worker in turn. It is the default, spark.deploy.spreadOutApps=true.
type SpreadOut struct{}

// Place fulfils Placement.
func (SpreadOut) Place(d Demand, offers []Offer) []int { return place(d, offers, true, false) }

func (SpreadOut) enough(d Demand) int { return enough(d) }

// Consolidate fills a Worker before the next: spark.deploy.spreadOutApps=false.
type Consolidate struct{}

// Place fulfils Placement.
func (Consolidate) Place(d Demand, offers []Offer) []int { return place(d, offers, false, false) }

func (Consolidate) enough(d Demand) int { return enough(d) }

// frugal is a Placement that looks at the first offers only: those behind enough of them get nothing, whatever they are. So the
// Master need not look for them.
type frugal interface{ enough(d Demand) int }

// enough: each offer can take a step at least, and gets one before any behind it does. So no more are needed than there
// are steps, or executors, to be given.
func enough(d Demand) int { return min(d.CoresLeft/d.Step(), d.Executors) }

// place gives cores in steps of an executor's size (SPARK-8881: core by core, executors of 16 cores would never start);
// without a size core by core to one executor a Worker. spreadOut gives one step to each offer in turn, else an offer is
// filled before the next. The application's maximum and the profile's limit hold; an executor that was begun may grow at
// the limit. It mirrors Master.scheduleExecutorsOnWorkers. memoryPerCore is the fault SPARK-9731.
func place(d Demand, offers []Offer, spreadOut, memoryPerCore bool) []int {
	step := d.Step()
	onePerWorker := d.Cores == 0
	cores := make([]int, len(offers))
	executors := make([]int, len(offers))
	total := 0 // running: a sum inside canLaunch costs 40 times as much on 5,000 workers
	left := 0
	for _, o := range offers {
		left += o.CoresFree
	}
	left = min(left, d.CoresLeft)

	canLaunch := func(i int) bool {
		if left < step || offers[i].CoresFree-cores[i] < step {
			return false
		}
		// The executor that was begun here grows by a core: it has its memory and its place in the limits already.
		if onePerWorker && executors[i] > 0 && !memoryPerCore {
			return true
		}
		return executors[i] < offers[i].Room && total < d.Executors
	}
	assign := func(i int) {
		left -= step
		cores[i] += step
		if !onePerWorker || executors[i] == 0 || memoryPerCore {
			executors[i]++
			total++
		}
	}

	free := make([]int, len(offers))
	for i := range free {
		free[i] = i
	}
	for {
		// An offer that can launch nothing never can again: within one decision everything only fills up.
		free = slices.DeleteFunc(free, func(i int) bool { return !canLaunch(i) })
		if len(free) == 0 {
			return cores
		}
		for _, i := range free {
			for canLaunch(i) {
				assign(i)
				if spreadOut {
					break
				}
			}
		}
	}
}

// checkPlacement reports why the Master cannot follow an answer of a Placement.
func checkPlacement(d Demand, offers []Offer, cores []int) error {
	if len(cores) != len(offers) {
		return fmt.Errorf("master: the placement answered %d numbers for %d offers", len(cores), len(offers))
	}
	sum, executors := 0, 0
	for i, n := range cores {
		size := len(executorSizes(d.Cores, n))
		if n < 0 || n > offers[i].CoresFree || size > offers[i].Room {
			return fmt.Errorf("master: the placement gives %d cores of worker %s, which has %d free and room for %d executors",
				n, offers[i].Worker, offers[i].CoresFree, offers[i].Room)
		}
		sum += n
		executors += size
	}
	if sum > d.CoresLeft || executors > d.Executors {
		return fmt.Errorf("master: the placement gives %d cores in %d executors, the application may get %d in %d",
			sum, executors, d.CoresLeft, d.Executors)
	}
	return nil
}

// executorSizes are the cores of each executor that assigned cores on one Worker become: as many of size as there are
// whole ones, or one when there is no size.
func executorSizes(size, assigned int) []int {
	switch {
	case assigned <= 0:
		return nil
	case size == 0:
		return []int{assigned}
	}
	return slices.Repeat([]int{size}, assigned/size)
}

// offer is what w has for an executor of p.
func (w *workerInfo) offer(p resourceProfile) Offer {
	return Offer{
		Worker: w.ID, Host: w.Host, Cores: w.Cores, CoresFree: w.CoresFree(), Memory: w.Memory, MemoryFree: w.MemoryFree(),
		Room: w.resources.room(p.Resources, w.MemoryFree()/p.Memory), Executors: len(w.executors),
	}
}

// demand is what the application still wants of p.
func (a *applicationInfo) demand(p resourceProfile) Demand {
	return Demand{
		App: a.ID, Profile: p.ID, Cores: p.Cores, Memory: p.Memory, CoresLeft: a.CoresLeft(), Executors: max(p.Limit-a.executorsOf(p.ID), 0),
	}
}
