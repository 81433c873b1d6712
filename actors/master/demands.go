package master

import (
	"time"

	"github.com/coherer/coherer/messages/deploy"
)

// demandsExplained is how many demands a state explains: each costs a look at every Worker.
const demandsExplained = 20

// demands are the drivers that wait and what applications want and cannot have now, with what blocks them, in the order of
// scheduling; more is how many there are besides. The reasons are those of the filters that schedule, and the pause after early
// ends.
func (m *Master) demands(drivers driverPolicy, now time.Time) (out []*deploy.Demand, more int32) {
	for _, d := range m.drivers.waiting {
		if len(out) == demandsExplained {
			more++
			continue
		}
		out = append(out, &deploy.Demand{
			DriverId: d.ID, Cores: d.Desc.GetCores(), Memory: d.Desc.GetMem(),
			Blockers: driverBlockers(d, m.workers.all(), m.drivers.launched(), drivers),
		})
	}
	for _, a := range m.apps {
		for _, p := range a.Profiles() {
			switch {
			case !a.wants(p):
			case len(out) == demandsExplained:
				more++
			default:
				if blocked := m.blocked(a, p, now); len(blocked) > 0 {
					out = append(out, &deploy.Demand{
						AppId: a.ID, Name: a.Desc.GetName(), RpId: int32(p.ID), Cores: int32(p.Step()), Memory: int32(p.Memory),
						Blockers: blocked,
					})
				}
			}
		}
	}
	return out, more
}

// blocked is what blocks executors of p that an application wants; empty: nothing does.
func (m *Master) blocked(a *applicationInfo, p resourceProfile, now time.Time) (out []*deploy.Blocker) {
	if reason := a.pause(now); reason != "" {
		out = append(out, &deploy.Blocker{Filter: byWait, Reason: reason, Help: pauseHelp})
	}
	if usable, refused := usableFor(m.workers.all(), p); len(usable) == 0 {
		out = append(out, blockers(refused)...)
	}
	return out
}

// blockers joins the refusals of each filter: how many Workers, and the words of the first. Without Workers there is one
// that says so.
func blockers(refused []workerRefusal) (out []*deploy.Blocker) {
	byFilter := map[string]*deploy.Blocker{}
	for _, r := range refused {
		b := byFilter[r.Filter]
		if b == nil {
			b = &deploy.Blocker{Filter: r.Filter, Reason: r.Reason, WorkerId: r.Worker, Help: r.Help}
			byFilter[r.Filter] = b
			out = append(out, b)
		}
		b.Workers++
	}
	if len(out) == 0 {
		out = append(out, &deploy.Blocker{Filter: "workers", Reason: "no Worker is registered", Help: "start one: coherer worker"})
	}
	return out
}
