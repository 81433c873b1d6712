package scheduler

import (
	"maps"
	"time"

	"github.com/coherer/coherer/actors/hadoop/exitstatus"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// The Scheduler's memory of ended containers and applications.

// mostFailures bounds the failures that it remembers.
const mostFailures = 50

// preempted sums the containers that preemption took from an application.
type preempted struct {
	sum         fair.Resource
	over        usedOverTime
	others, ams int32
}

func (p *preempted) add(e fair.Event, had time.Duration) {
	p.sum = p.sum.Plus(e.Resource)
	p.over.add(e.Resource, had)
	if e.AM {
		p.ams++
	} else {
		p.others++
	}
}

// useOf is the resources that an application has used until now.
func (s *Scheduler) useOf(c *rpcenv.Context, a *scheduledApp) usedOverTime {
	use := a.use
	for _, live := range s.book.Live(a.attempt) {
		if k := s.containers[live.ID]; k != nil {
			use.add(live.Resource, c.Now().Sub(k.made))
		}
	}
	return use
}

// totalsOf sums an application's life until now. It mirrors RMAppMetrics.
func (s *Scheduler) totalsOf(c *rpcenv.Context, a *scheduledApp) *yarn.AppTotals {
	use := s.useOf(c, a)
	return &yarn.AppTotals{
		MemorySeconds: use.memory / 1000, VcoreSeconds: use.vcores / 1000, Preempted: a.lost.sum.Proto(),
		PreemptedContainers: a.lost.others, PreemptedAmContainers: a.lost.ams,
		PreemptedMemorySeconds: a.lost.over.memory / 1000, PreemptedVcoreSeconds: a.lost.over.vcores / 1000,
	}
}

// pastApps are totals of applications that ended.
type pastApps struct {
	order  []ids.Application // the oldest first
	totals map[ids.Application]*yarn.AppTotals
}

// add remembers an application and forgets the oldest beyond most.
func (p *pastApps) add(id ids.Application, t *yarn.AppTotals, most int) {
	if p.totals == nil {
		p.totals = map[ids.Application]*yarn.AppTotals{}
	}
	p.order, p.totals[id] = append(p.order, id), t
	for len(p.order) > most {
		delete(p.totals, p.order[0])
		p.order = p.order[1:]
	}
}

func (p *pastApps) all() map[ids.Application]*yarn.AppTotals {
	all := make(map[ids.Application]*yarn.AppTotals, len(p.totals))
	maps.Copy(all, p.totals)
	return all
}

// fault reports whether a container ended by a fault: its process's, its node's, or because something was taken from it.
func fault(e fair.Event) bool {
	switch {
	// Success and ends by order are no faults, whatever the cause.
	case e.ExitStatus == 0, e.ExitStatus == exitstatus.KilledByAppMaster, e.ExitStatus == exitstatus.KilledAfterAppCompletion, e.ExitStatus == exitstatus.KilledByResourceManager:
		return false
	case e.Cause == fair.Killed: // also when its attempt or application ended, which is no fault of the container
		return e.ExitStatus == exitstatus.Preempted || e.Diagnostics == fair.DiagnosticsLost
	}
	return e.Cause != fair.Released
}

// noteFailure remembers the end of a container by a fault.
func (s *Scheduler) noteFailure(c *rpcenv.Context, e fair.Event) {
	if !fault(e) {
		return
	}
	f := &yarn.ContainerFailure{
		ContainerId: e.Container.Proto(), TimeMs: c.Now().UnixMilli(), ExitStatus: e.ExitStatus, Diagnostics: e.Diagnostics,
	}
	if n := s.nodes[e.Node]; n != nil {
		f.NodeId = n.id.Proto()
	}
	s.failures = append(s.failures, f)
	if len(s.failures) > mostFailures {
		s.failures = s.failures[1:]
	}
}
