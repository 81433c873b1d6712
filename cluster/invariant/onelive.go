package invariant

import (
	tracepb "github.com/coherer/coherer/messages/trace"
)

// oneLive is I1: a Worker starts an executor or driver that runs elsewhere, or two processes have one name.
type oneLive struct {
	*Monitor
	live map[string]uint32 // by APP/ID or the driver's id: the Worker's Env
}

func newOneLive(m *Monitor) *oneLive { return &oneLive{m, map[string]uint32{}} }

func (c *oneLive) see(r *tracepb.Record) {
	if r.GetKind() != tracepb.Kind_STATE || r.GetEndpoint() != "Worker" || r.GetName() != "executor" && r.GetName() != "driver" {
		return
	}
	id := r.GetSubject()
	switch {
	case r.GetFrom() == "":
		c.judged[OneLive]++
		if other, ok := c.live[id]; ok && !c.past.gone(other) {
			c.fail(OneLive, "%s starts %s %s, which runs on %s", c.past.name(r.GetEnv()), r.GetName(), id, c.past.name(other))
		}
		c.live[id] = r.GetEnv()
	case finished(r.GetTo()) || r.GetTo() == "FINISHED" || r.GetTo() == "ERROR":
		if c.live[id] == r.GetEnv() { // else the report of an earlier Worker, about a process that is long replaced
			delete(c.live, id)
		}
	}
}

func (c *oneLive) look(s *Snapshot) {
	seen := map[string]*Process{}
	for i := range s.Processes {
		p := &s.Processes[i]
		c.judged[OneLive]++
		if other := seen[p.name()]; other != nil {
			c.fail(OneLive, "%s has two processes, of the Workers at %s and %s", p.name(), other.Worker, p.Worker)
		}
		seen[p.name()] = p
	}
}
