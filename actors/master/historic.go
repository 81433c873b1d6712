package master

import (
	"time"

	"github.com/coherer/coherer/actors/compat"
	"github.com/coherer/coherer/rpcenv/conf"
)

// faults are the historic faults of Spark that this Master has, for study: coherer.compat. Each is as in the version that
// had it; two that contradict each other (SPARK-2425 and SPARK-27510 count failures in two ways) are not meant together.
type faults struct {
	lifetimeFailures bool // SPARK-2425: each failed executor counts for ever, and the tenth ends a healthy application
	coreByCore       bool // SPARK-8881: cores are given one by one, so that big executors do not start
	memoryPerCore    bool // SPARK-9731: each further core of an executor is taken for another executor's memory
	silentExit       bool // SPARK-16925: what an executor with exit code 0 leaves is not scheduled again
	ghosts           bool // SPARK-13604: what a Worker runs that was given up is not killed when it comes back
	refusesKnown     bool // SPARK-4592, SPARK-23191: a Worker that registers again is refused, and exits
	launchLoop       bool // SPARK-27510: RUNNING sets the count of failures back, and nothing waits
	recoveredRunning bool // MASTER-RECOVERY: an application that answered a new Master is RUNNING, also without executors
}

func faultsOf(c *conf.Conf) faults {
	has := func(id string) bool { return compat.Has(c, id) }
	return faults{
		lifetimeFailures: has("SPARK-2425"),
		coreByCore:       has("SPARK-8881") || deployScheduler.Get(c) == "core-by-core",
		memoryPerCore:    has("SPARK-9731"),
		silentExit:       has("SPARK-16925"),
		ghosts:           has("SPARK-13604"),
		refusesKnown:     has("SPARK-23191"),
		launchLoop:       has("SPARK-27510"),
		recoveredRunning: has("MASTER-RECOVERY"),
	}
}

// placementOf is Spark's placement, with its faults.
func placementOf(spreadOut bool, f faults) Placement {
	switch {
	case f.coreByCore:
		return CoreByCore{SpreadOut: spreadOut}
	case f.memoryPerCore:
		return memoryPerCore{spreadOut}
	case spreadOut:
		return SpreadOut{}
	}
	return Consolidate{}
}

// CoreByCore is the placement of Spark before 1.4: it gives a core at a time to each Worker in turn, or all of a Worker's,
// and looks at the size of executors only afterwards. Four Workers of 16 cores give 12 each to an application that wants
// 48 in executors of 16: none starts (SPARK-8881). coherer.deploy.scheduler=core-by-core.
type CoreByCore struct{ SpreadOut bool }

// Place fulfils Placement: what it answers may not be whole executors.
func (p CoreByCore) Place(d Demand, offers []Offer) []int {
	cores := make([]int, len(offers))
	left := 0
	for _, o := range offers {
		left += o.CoresFree
	}
	left = min(left, d.CoresLeft)
	if !p.SpreadOut {
		for i, o := range offers {
			cores[i] = min(o.CoresFree, left)
			left -= cores[i]
		}
		return bounded(d, offers, cores)
	}
	// left is no more than all that is free, so the rounds end.
	for pos := 0; left > 0; pos = (pos + 1) % len(offers) {
		if offers[pos].CoresFree > cores[pos] {
			cores[pos]++
			left--
		}
	}
	return bounded(d, offers, cores)
}

// bounded cuts what was given core by core to the executors that there may be and that their Workers' memory is enough for,
// as the launching did that came behind it.
func bounded(d Demand, offers []Offer, cores []int) []int {
	left := d.Executors
	for i := range cores {
		n := len(executorSizes(d.Cores, cores[i]))
		switch most := min(left, offers[i].Room); {
		case n <= most:
		case d.Cores == 0: // all cores are one executor, so it is that or nothing
			cores[i], n = 0, 0
		default:
			cores[i], n = most*d.Cores, most
		}
		left -= n
	}
	return cores
}

// memoryPerCore is SPARK-9731: on a Worker with 4 GiB an executor of 3 GiB without a size gets one core of ten, since a
// second one is taken for a second executor's.
type memoryPerCore struct{ spreadOut bool }

// Place fulfils Placement.
func (p memoryPerCore) Place(d Demand, offers []Offer) []int {
	return place(d, offers, p.spreadOut, d.Cores == 0)
}

// historicEnd counts the end of an executor as Spark did, when this Master has one of the two faults (counted). It reports
// whether the application is to be removed.
func (a *applicationInfo) historicEnd(f faults, normal bool, limit int, now time.Time) (remove, counted bool) {
	if !f.lifetimeFailures && !f.launchLoop {
		return false, false
	}
	a.health.early++
	a.health.last = now
	if normal {
		return false, true
	}
	a.health.failures++
	if limit < 0 || a.health.failures < limit {
		return false, true
	}
	if f.lifetimeFailures {
		return true, true
	}
	// SPARK-27510: any executor that is RUNNING saves the application, however often the others fail.
	for _, e := range a.executors {
		if !e.runningSince.IsZero() {
			return false, true
		}
	}
	return true, true
}

// historicRunning sets the count of failures back with the first sign of life of an executor (SPARK-27510).
func (a *applicationInfo) historicRunning(f faults) {
	if f.launchLoop {
		a.health.failures = 0
	}
}
