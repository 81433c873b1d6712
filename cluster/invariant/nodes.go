package invariant

import (
	"fmt"
	"slices"
	"time"

	"github.com/coherer/coherer/actors/nodemanager"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
)

// nodes are I1, I2 and I5 of containers on YARN: each has one process at most, those that run are counted, the others end.
type nodes struct {
	*Monitor
	live                 map[string]uint32 // by container: the NodeManager's Env
	uncounted, unwatched since             // I2
	orphans, abandoned   since             // I5
	givenUp              map[string]string // executors that their drivers removed, and which driver
}

func newNodes(m *Monitor) *nodes {
	return &nodes{
		Monitor: m, live: map[string]uint32{}, uncounted: since{}, unwatched: since{}, orphans: since{}, abandoned: since{},
		givenUp: map[string]string{},
	}
}

func (c *nodes) see(r *tracepb.Record) {
	switch {
	case r.GetKind() != tracepb.Kind_STATE:
	case r.GetEndpoint() == nodemanager.Name && r.GetName() == "container":
		c.container(r)
	case r.GetEndpoint() == "CoarseGrainedScheduler" && r.GetName() == "executor":
		c.executor(r)
	}
}

// container: a NodeManager begins or ends one.
func (c *nodes) container(r *tracepb.Record) {
	id := r.GetSubject()
	switch {
	case r.GetFrom() == "":
		c.judged[OneLive]++
		if other, ok := c.live[id]; ok && !c.past.gone(other) {
			c.fail(OneLive, "%s starts %s, which %s has", c.past.name(r.GetEnv()), id, c.past.name(other))
		}
		c.live[id] = r.GetEnv()
	case r.GetTo() == "DONE" && c.live[id] == r.GetEnv():
		delete(c.live, id)
	}
}

// executor: a driver gives one up, or hears of it.
func (c *nodes) executor(r *tracepb.Record) {
	e := c.past.envs[r.GetEnv()]
	if e == nil {
		return
	}
	if name := executorAt(r.GetSubject(), e.address); r.GetTo() == "LOST" {
		c.givenUp[name] = e.name
	} else {
		delete(c.givenUp, name)
	}
}

// executorAt is an executor's name among all, as Container has it.
func executorAt(id, driver string) string {
	return "executor " + id + " of spark://CoarseGrainedScheduler@" + driver
}

func (c *nodes) look(s *Snapshot) {
	c.oneLive(s)
	for i := range s.Managers {
		c.sums(&s.Managers[i])
	}
	c.ledger(s)
	c.stopped(s)
}

// oneLive: no two processes have one name.
func (c *nodes) oneLive(s *Snapshot) {
	at := map[string]string{}
	for i := range s.Containers {
		x := &s.Containers[i]
		c.judged[OneLive]++
		for _, name := range []string{x.ID, x.Executor} {
			if other, twice := at[name]; twice && name != "" {
				c.fail(OneLive, "%s has two processes, of the NodeManagers at %s and %s", name, other, x.Node)
			}
			at[name] = x.Node
		}
	}
}

// sums: the memory that a ResourceManager counts as used on a node is that of the containers it gave there. Both are in one book,
// so this needs no quiet.
func (c *nodes) sums(m *Manager) {
	given := map[string]int64{}
	for _, g := range m.Given {
		given[g.Node] += g.Memory
	}
	for _, at := range sorted(m.Nodes) {
		c.judged[Ledger]++
		if used := m.Nodes[at].Used; used != given[at] {
			c.fail(Ledger, "%s counts %d MiB as used on %s, where it gave %d", m.Name, used, at, given[at])
		}
	}
}

// ledger: containers that a ResourceManager counts as running live, and containers it gave that live it counts as running.
func (c *nodes) ledger(s *Snapshot) {
	live := map[string]string{}
	for _, x := range s.Containers {
		live[x.ID] = x.Node
	}
	unwatched, uncounted := map[string]string{}, map[string]string{}
	at := map[string]place{}
	for i := range s.Managers {
		m := &s.Managers[i]
		for _, id := range sorted(m.Given) {
			g := m.Given[id]
			node, lives := live[id]
			lives = lives && node == g.Node
			if lives || g.Running {
				c.judged[Ledger]++
			}
			switch at[id] = (place{m.Name, g.Node}); {
			case lives && !g.Running:
				unwatched[id] = fmt.Sprintf("%s lives on %s with %d MiB, and %s does not count it as running", id, g.Node, g.Memory, m.Name)
			case g.Running && !lives:
				uncounted[id] = fmt.Sprintf("%s counts %s as running on %s with %d MiB, and it does not live", m.Name, id, g.Node, g.Memory)
			}
		}
	}
	c.unwatched.hold(s.Now, unwatched, func(id string, d time.Duration) {
		if heard, ok := c.past.heard(at[id].manager, at[id].node); ok && min(d, heard, s.Quiet) > c.cfg.YARN.counted() {
			c.fail(Ledger, "%s", unwatched[id])
		}
	})
	// A node that is not heard of cannot report an end: what ran there counts until the node is given up.
	c.uncounted.hold(s.Now, uncounted, func(id string, d time.Duration) {
		limit := c.cfg.YARN.lost()
		if heard, ok := c.past.heard(at[id].manager, at[id].node); ok {
			d, limit = min(d, heard), c.cfg.YARN.counted()
		}
		if min(d, s.Quiet) > limit {
			c.fail(Ledger, "%s", uncounted[id])
		}
	})
}

// stopped: a container that is not counted, or was given up, ends as soon as the order can reach its node.
func (c *nodes) stopped(s *Snapshot) {
	orphans, abandoned := map[string]string{}, map[string]string{}
	reached := map[string]time.Duration{}
	for i := range s.Containers {
		x := &s.Containers[i]
		c.judged[ToldToStop]++
		if x.Paused { // it cannot end before it goes on
			continue
		}
		if !slices.ContainsFunc(s.Workers, func(w rpcenv.Address) bool { return w.String() == x.Node }) {
			orphans[x.ID], reached[x.ID] = "the NodeManager of "+x.ID+" at "+x.Node+" is gone, and it lives", s.Quiet
			continue
		}
		m, heard := c.manager(s, x.Node)
		if m == nil {
			continue // no ResourceManager can send it an order
		}
		reached[x.ID] = min(heard, s.Quiet)
		driver, removed := c.givenUp[x.Executor]
		switch g, ok := m.Given[x.ID]; {
		case !ok || g.Node != x.Node:
			orphans[x.ID] = m.Name + " does not count " + x.ID + " on the node at " + x.Node + ", and it lives"
		case removed:
			abandoned[x.ID] = driver + " has given up the executor in " + x.ID + ", and it lives"
		}
	}
	c.orphans.hold(s.Now, orphans, func(id string, d time.Duration) {
		if min(d, reached[id]) > c.cfg.YARN.ended() {
			c.fail(ToldToStop, "%s", orphans[id])
		}
	})
	c.abandoned.hold(s.Now, abandoned, func(id string, d time.Duration) {
		if min(d, reached[id]) > c.cfg.YARN.givenUp() {
			c.fail(ToldToStop, "%s", abandoned[id])
		}
	})
}

// manager is the ResourceManager that has a node and hears of it, and for how long; nil: none does.
func (c *nodes) manager(s *Snapshot, node string) (*Manager, time.Duration) {
	for i := range s.Managers {
		m := &s.Managers[i]
		if _, has := m.Nodes[node]; !has {
			continue
		}
		if d, ok := c.past.heard(m.Name, node); ok {
			return m, d
		}
	}
	return nil, 0
}
