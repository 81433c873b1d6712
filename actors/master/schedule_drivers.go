package master

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// driverPolicy is how drivers are given to Workers.
type driverPolicy struct {
	spreadOut  bool    // spark.deploy.spreadOutDrivers
	maxDrivers int     // spark.deploy.maxDrivers
	maxShare   float64 // coherer.master.maxDriverShare; 1 is no cap
}

// driverPlacer gives Workers to the waiting drivers of one call of schedule, which launches each of them before it asks for
// the next. It mirrors the first part of Master.schedule.
type driverPlacer struct {
	driverPolicy
	workers []*workerInfo // the ALIVE ones
	at      int           // where the next driver begins to look, with spreadOut
	full    needs         // what no Worker could take: within one call Workers only fill up
	never   needs         // what no Worker could take even if it were idle
}

// needs are those that found no Worker. Of thousands of drivers that wait, most of them for the same, only the first looks at
// all Workers.
type needs []*need

// below reports whether one of them is no more than n, so that n finds no Worker either. One that wants resources proves
// nothing: it may have failed for those alone.
func (f needs) below(n *need) bool {
	return slices.ContainsFunc(f, func(f *need) bool {
		return f.cores <= n.cores && f.memory <= n.memory && len(f.resources) == 0
	})
}

// newDriverPlacer takes those of workers that are ALIVE: with spreadOut in an order that shuffle makes, once, else by id.
func newDriverPlacer(workers []*workerInfo, policy driverPolicy, shuffle func(n int, swap func(i, j int))) *driverPlacer {
	p := &driverPlacer{driverPolicy: policy}
	for _, w := range workers {
		if w.State == WorkerAlive {
			p.workers = append(p.workers, w)
		}
	}
	if policy.spreadOut {
		shuffle(len(p.workers), func(i, j int) { p.workers[i], p.workers[j] = p.workers[j], p.workers[i] })
	} else {
		slices.SortFunc(p.workers, func(a, b *workerInfo) int { return cmp.Compare(a.ID, b.ID) })
	}
	return p
}

// place is the Worker for d, nil when none can take it now. launched is how many drivers have a Worker already.
func (p *driverPlacer) place(d *driverInfo, launched int) *workerInfo {
	if launched >= p.maxDrivers || overShare(d, p.workers, p.maxShare) != "" {
		return nil
	}
	n := d.need()
	if p.full.below(n) { // a look at all of them would end where it began, too
		return nil
	}
	for range p.workers {
		w := p.workers[p.at]
		p.at = (p.at + 1) % len(p.workers)
		if fits(w, n) {
			if !p.spreadOut { // the next driver begins with the first Worker again, which fills it up
				p.at = 0
			}
			return w
		}
	}
	p.full = append(p.full, n)
	return nil
}

// neverFits reports whether no Worker could take d even if it were idle; without Workers it is false.
func (p *driverPlacer) neverFits(d *driverInfo) bool {
	if len(p.workers) == 0 {
		return false
	}
	n := d.need()
	if p.never.below(n) {
		return true
	}
	if slices.ContainsFunc(p.workers, func(w *workerInfo) bool { return fits(w.idle(), n) }) {
		return false
	}
	p.never = append(p.never, n)
	return true
}

// overShare is why d would make the drivers' share of the ALIVE Workers too large, or "". Drivers that wait for
// executors while drivers have all cores wait for ever (SPARK-27750); Spark has no such cap.
func overShare(d *driverInfo, alive []*workerInfo, share float64) string {
	if share >= 1 {
		return ""
	}
	cores, memory, allCores, allMemory := int(d.Desc.GetCores()), int(d.Desc.GetMem()), 0, 0
	for _, w := range alive {
		allCores += w.Cores
		allMemory += w.Memory
		for _, other := range w.drivers {
			cores += int(other.Desc.GetCores())
			memory += int(other.Desc.GetMem())
		}
	}
	switch {
	case float64(cores) > share*float64(allCores):
		return fmt.Sprintf("with it drivers would have %d of %d cores: coherer.master.maxDriverShare allows %g of them", cores, allCores, share)
	case float64(memory) > share*float64(allMemory):
		return fmt.Sprintf("with it drivers would have %d of %d MiB: coherer.master.maxDriverShare allows %g of them", memory, allMemory, share)
	}
	return ""
}

// driverBlockers is why a driver that waits does: what holds for all Workers first.
func driverBlockers(d *driverInfo, workers []*workerInfo, launched int, policy driverPolicy) []*deploy.Blocker {
	var alive []*workerInfo
	var refused []workerRefusal
	n := d.need()
	for _, w := range workers {
		if w.State == WorkerAlive {
			alive = append(alive, w)
		}
		if r, no := refusal(w, n); no {
			refused = append(refused, r)
		}
	}
	var out []*deploy.Blocker
	if launched >= policy.maxDrivers {
		out = append(out, &deploy.Blocker{
			Filter: "drivers", Reason: fmt.Sprintf("%d drivers run, which is all that spark.deploy.maxDrivers allows", launched),
			Help: "wait for one to end, kill one, or raise spark.deploy.maxDrivers",
		})
	}
	if over := overShare(d, alive, policy.maxShare); over != "" && len(alive) > 0 {
		out = append(out, &deploy.Blocker{
			Filter: "drivers", Reason: over, Help: "wait for a driver to end, add Workers, or raise coherer.master.maxDriverShare",
		})
	}
	if len(refused) > 0 || len(workers) == 0 {
		out = append(out, blockers(refused)...)
	}
	return out
}

// driverPolicy is what the settings say.
func (m *Master) driverPolicy(c *conf.Conf) driverPolicy {
	return driverPolicy{
		spreadOut: spreadOutDrivers.Get(c), maxDrivers: maxDrivers.Get(c), maxShare: masterMaxDriverShare.Get(c),
	}
}

// scheduleDrivers gives Workers to the drivers that wait, first come, first served; one that does not fit does not block
// those behind it.
func (m *Master) scheduleDrivers(c *rpcenv.Context) {
	if len(m.drivers.waiting) == 0 {
		return
	}
	policy := m.driverPolicy(c.Conf())
	placer := newDriverPlacer(m.workers.all(), policy, func(n int, swap func(i, j int)) { c.Rand().Shuffle(n, swap) })
	for _, d := range m.drivers.waiting { // launchDriver makes a new list, so this one stays whole
		if w := placer.place(d, m.drivers.launched()); w != nil {
			m.launchDriver(c, d, w)
			continue
		}
		if !d.warned && placer.neverFits(d) {
			d.warned = true
			c.Log().WithField("refused", blockerTexts(driverBlockers(d, m.workers.all(), m.drivers.launched(), policy))).
				Warnf("Driver %s requires more resource than any of Workers could have.", d.ID)
		}
	}
}

// blockerTexts are the reasons in words.
func blockerTexts(blockers []*deploy.Blocker) (out []string) {
	for _, b := range blockers {
		text := b.GetReason()
		if b.GetWorkers() > 0 {
			text = fmt.Sprintf("%s: %s", b.GetWorkerId(), text)
		}
		if b.GetWorkers() > 1 {
			text += fmt.Sprintf(" (and %d more workers)", b.GetWorkers()-1)
		}
		out = append(out, text)
	}
	return out
}

// launchDriver orders a driver. Its Worker confirms nothing, so the driver is RUNNING at once.
func (m *Master) launchDriver(c *rpcenv.Context, d *driverInfo, w *workerInfo) {
	c.Log().Infof("Launching driver %s on worker %s", d.ID, w.ID)
	m.drivers.assign(d, w)
	m.persistDriver(c, d, true) // before the order, which waits for it: else a new Master would launch the driver once more
	c.Send(w.Ref, &deploy.LaunchDriver{DriverId: d.ID, DriverDesc: d.Desc, Resources: d.Resources, MasterTerm: m.cfg.Term})
	m.setDriver(c, d, deploy.DriverState_RUNNING, "launched")
}
