package invariant

import (
	"fmt"
	"slices"
	"time"

	"github.com/coherer/coherer/rpcenv"
)

// ledger is I2: what the leader counts on a Worker is what lives there.
type ledger struct {
	*Monitor
	seen
	since since
}

func newLedger(m *Monitor) *ledger { return &ledger{Monitor: m, since: since{}} }

func (c *ledger) look(s *Snapshot) {
	wrong := map[string]string{}
	m := s.leader()
	if m == nil { // nobody counts, so nobody counts wrong; the next leader gets its own time
		clear(c.since)
		return
	}
	drivers := sorted(c.past.drivers)
	for i := range m.Workers {
		w := &m.Workers[i]
		if !w.Alive {
			continue
		}
		c.judged[Ledger]++
		cores, memory, names := c.alive(s, drivers, w.Address)
		if cores != w.CoresUsed || memory != w.MemoryUsed {
			wrong[w.ID] = fmt.Sprintf("%s counts %d cores and %d MiB on %s, where %v lives with %d cores and %d MiB",
				m.Name, w.CoresUsed, w.MemoryUsed, w.ID, names, cores, memory)
		}
	}
	c.since.hold(s.Now, wrong, func(id string, d time.Duration) {
		if c.late(s, m, id, min(d, s.Quiet)) {
			c.fail(Ledger, "%s", wrong[id])
		}
	})
}

// late reports whether the Master had the time to learn better: of a Worker that is there two heartbeats, of one that
// vanished its time-out, which is looked for as often.
func (c *ledger) late(s *Snapshot, m *Master, id string, d time.Duration) bool {
	i := slices.IndexFunc(m.Workers, func(w Worker) bool { return w.ID == id })
	if slices.Contains(s.Workers, m.Workers[i].Address) {
		return d > 2*c.heartbeat()+time.Second
	}
	return d > 2*c.cfg.WorkerTimeout+c.heartbeat()
}

// alive are the processes of the Worker at an address, and those of the drivers that run there.
func (c *ledger) alive(s *Snapshot, drivers []string, at rpcenv.Address) (cores, memory int, names []string) {
	for i := range s.Processes {
		p := &s.Processes[i]
		if p.Worker != at {
			continue
		}
		names = append(names, p.name())
		// An executor takes what its order says, which is what the Master counts.
		if o, ok := c.past.orders[p.name()]; ok && p.Driver == "" {
			cores, memory = cores+o.cores, memory+o.memory
			continue
		}
		cores, memory = cores+p.Cores, memory+p.Memory
	}
	for _, id := range drivers {
		if d := c.past.drivers[id]; !c.past.gone(d.env) && c.past.envs[d.env].address == at.String() {
			names = append(names, id)
			cores, memory = cores+d.cores, memory+d.memory
		}
	}
	return cores, memory, names
}
