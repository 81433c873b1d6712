package invariant

import (
	"slices"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
)

// orphans is I5: processes that no book counts end.
type orphans struct {
	*Monitor
	since   since
	givenUp map[string]string // executors that their drivers removed, and which driver
}

func newOrphans(m *Monitor) *orphans {
	return &orphans{Monitor: m, since: since{}, givenUp: map[string]string{}}
}

func (c *orphans) see(r *tracepb.Record) {
	if r.GetKind() != tracepb.Kind_STATE || r.GetEndpoint() != "CoarseGrainedScheduler" || r.GetName() != "executor" {
		return
	}
	app := c.past.apps[r.GetEnv()]
	if app == "" {
		return
	}
	if full := app + "/" + r.GetSubject(); r.GetTo() == "LOST" {
		c.givenUp[full] = c.past.name(r.GetEnv())
	} else {
		delete(c.givenUp, full)
	}
}

func (c *orphans) look(s *Snapshot) {
	lost := map[string]string{}
	m := s.leader()
	for i := range s.Processes {
		p := &s.Processes[i]
		c.judged[ToldToStop]++
		driver, removed := c.givenUp[p.name()]
		switch {
		case p.Paused: // it cannot end before it goes on
		case removed && p.Driver == "":
			lost[p.name()] = driver + " has given up " + p.name() + ", and it lives"
		case !slices.Contains(s.Workers, p.Worker):
			lost[p.name()] = "the Worker of " + p.name() + " at " + p.Worker.String() + " is gone, and it lives"
		case m != nil && !m.counts(p):
			lost[p.name()] = m.Name + " does not count " + p.name() + " on the Worker at " + p.Worker.String() + ", and it lives"
		}
	}
	c.overdue(ToldToStop, s, c.since, lost, c.cfg.WorkerTimeout)
}

// counts reports whether a process is in the books, on its Worker.
func (m *Master) counts(p *Process) bool {
	if p.Driver != "" {
		return m.addressOf(m.Drivers[p.Driver]) == p.Worker
	}
	for _, a := range m.Apps {
		if a.ID != p.App {
			continue
		}
		return slices.ContainsFunc(a.Executors, func(e Executor) bool { return e.ID == p.ID && m.addressOf(e.Worker) == p.Worker })
	}
	return false
}

// addressOf is where a Worker is.
func (m *Master) addressOf(id string) rpcenv.Address {
	for _, w := range m.Workers {
		if w.ID == id {
			return w.Address
		}
	}
	return rpcenv.Address{}
}
