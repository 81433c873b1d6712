package invariant

import (
	"fmt"
	"slices"
	"time"
)

// patience is how long demand may wait that could be met.
const patience = time.Second

// progress is I4: demand that a Worker can meet by the leader's own books is met. What an application wants is known from
// its registration, and from the targets that a Master handled: one that is on its way, or lost, is nobody's demand yet.
type progress struct {
	*Monitor
	seen
	since since
}

func newProgress(m *Monitor) *progress { return &progress{Monitor: m, since: since{}} }

func (c *progress) look(s *Snapshot) {
	m := s.leader()
	if m == nil { // the next leader gets its own time
		clear(c.since)
		return
	}
	waiting := map[string]string{}
	for i := range m.Apps {
		a := &m.Apps[i]
		w := c.past.wants[a.ID]
		c.judged[Progress]++
		// Nothing is due to an application whose demand is not known here, that has its executors or cores, or that waits after
		// early ends.
		if w == nil || w.other || a.NotBefore.After(s.Now) || a.CoresLeft < max(w.cores, 1) || w.limit >= 0 && len(a.Executors) >= w.limit {
			continue
		}
		if at := slices.IndexFunc(m.Workers, func(x Worker) bool { return x.Alive && !x.Resources && fits(&x, w) }); at >= 0 {
			x := &m.Workers[at]
			waiting[a.ID+" "+x.ID] = fmt.Sprintf("%s wants executors of %s and gets none, though %s has %d cores and %d MiB free",
				a.ID, w, x.ID, x.Cores-x.CoresUsed, x.Memory-x.MemoryUsed)
		}
	}
	// Whatever went wrong, a leader that has a demand and a fitting Worker in its own books needs no quiet to decide.
	c.since.hold(s.Now, waiting, func(what string, d time.Duration) {
		if d > patience {
			c.fail(Progress, "%s", waiting[what])
		}
	})
}

func fits(w *Worker, want *want) bool {
	return w.Cores-w.CoresUsed >= max(want.cores, 1) && w.Memory-w.MemoryUsed >= want.memory
}
