package master

import (
	"slices"
	"time"

	"github.com/coherer/coherer/rpcenv"
)

// schedule gives the free cores first to the drivers that wait, then to the applications, first come, first served, and
// of each to its profiles by id. It mirrors Master.schedule and startExecutorsOnWorkers.
//
// An application that wants nothing costs nothing; one that wants something costs a look at what has changed since the last
// decision, and at as many Workers as it can get executors on. In front of these it meets only Workers that have enough of what
// the order goes by and too little of something else; an order by id makes it meet all. Drivers that wait cost a shuffle of all
// Workers, which is Spark's rule. A test compares the decisions with the plain algorithm's.
func (m *Master) schedule(c *rpcenv.Context) {
	if m.state != RecoveryAlive {
		return
	}
	m.scheduleDrivers(c)
	var next time.Time // when the first of those that must wait may go on
	for _, app := range slices.Clone(m.apps) {
		for _, p := range app.Profiles() {
			if !app.wants(p) {
				continue
			}
			if wait := app.health.notBefore; wait.After(c.Now()) { // it does not block those behind it
				if next.IsZero() || wait.Before(next) {
					next = wait
				}
				continue
			}
			m.startExecutors(c, app, p)
		}
	}
	m.scheduleAgainAt(c, next)
}

// wanted reports whether a Worker that is new changes what schedule would do. Nothing else has changed since it ran: what
// the other Workers could not take they cannot take now. So a Worker that no application wants costs no look at the others.
func (m *Master) wanted(w *workerInfo) bool {
	if len(m.drivers.waiting) > 0 {
		return true
	}
	for _, app := range m.apps {
		for _, p := range app.Profiles() {
			if app.wants(p) && fits(w, p.need()) {
				return true
			}
		}
	}
	return false
}

func (m *Master) startExecutors(c *rpcenv.Context, app *applicationInfo, p resourceProfile) {
	placement := m.placement(c)
	usable := m.usable(app, p, placement, workerSelectionPolicy.Get(c.Conf()))
	if len(usable) == 0 {
		// With other applications, or executors of its own, the cores may only be in use: then no warning, as in Spark.
		if len(m.apps) == 1 && len(app.executors) == 0 {
			_, refused := usableFor(m.workers.all(), p)
			c.Log().WithField("refused", refused).
				Warnf("App %s requires more resource than any of Workers could have.", app.ID)
		}
		return
	}
	cores, err := decide(app, p, placement, usable)
	if err != nil { // a user's Placement is at fault: what it answered must not take more than a Worker has
		c.Log().WithError(err).Errorf("No executors for app %s", app.ID)
		return
	}
	m.launchExecutors(c, app, p, usable, cores)
}

// launchesLogged is how many launches of one decision are logged: a line costs as much as the order itself.
const launchesLogged = 10

// launchExecutors orders what was decided.
func (m *Master) launchExecutors(c *rpcenv.Context, app *applicationInfo, p resourceProfile, usable []*workerInfo, cores []int) {
	launched, workers := 0, 0
	for i, n := range cores {
		w := usable[i]
		sizes := executorSizes(p.Cores, n)
		if len(sizes) > 0 {
			workers++
		}
		for _, size := range sizes {
			e := app.addExecutor(w, size, p)
			if launched++; launched <= launchesLogged {
				c.Log().Infof("Launching executor %s on worker %s", e.FullID(), w.ID)
			}
			m.launchExecutor(c, e)
		}
	}
	if more := launched - launchesLogged; more > 0 {
		c.Log().Infof("Launching %d more executors of %s on %d workers in all", more, app.ID, workers)
	}
}

// placement is the one that the Master was made with, else that of its settings.
func (m *Master) placement(c *rpcenv.Context) Placement {
	if m.cfg.Placement != nil {
		return m.cfg.Placement
	}
	return placementOf(spreadOutApps.Get(c.Conf()), faultsOf(c.Conf()))
}

// usable are Workers that can take an executor of p, in the order of policy: all of them, or as many as placement looks
// at.
func (m *Master) usable(app *applicationInfo, p resourceProfile, placement Placement, policy string) []*workerInfo {
	most := noLimit
	if f, ok := placement.(frugal); ok {
		most = f.enough(app.demand(p))
	}
	n := p.need()
	var out []*workerInfo
	m.ranking.update(&m.workers, policy)
	for _, w := range m.ranking.able(p) {
		if len(out) == most {
			break
		}
		m.workers.seen++
		if fits(w, n) {
			out = append(out, w)
		}
	}
	return out
}

// decide asks placement how many cores of each usable Worker the application gets.
func decide(app *applicationInfo, p resourceProfile, placement Placement, usable []*workerInfo) ([]int, error) {
	d := app.demand(p)
	offers := make([]Offer, len(usable))
	for i, w := range usable {
		offers[i] = w.offer(p)
	}
	cores := placement.Place(d, offers)
	return cores, checkPlacement(d, offers, cores)
}

// scheduleAgainAt keeps one timer, for the earliest time; zero is never.
func (m *Master) scheduleAgainAt(c *rpcenv.Context, at time.Time) {
	if at.Equal(m.relaunchAt) {
		return
	}
	c.Cancel(m.relaunch)
	m.relaunch, m.relaunchAt = rpcenv.Timer{}, at
	if !at.IsZero() {
		m.relaunch = c.After(at.Sub(c.Now()), RelaunchExecutors{})
	}
}
