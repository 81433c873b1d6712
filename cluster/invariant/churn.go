package invariant

import (
	"fmt"
	"slices"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/fair"
	tracepb "github.com/coherer/coherer/messages/trace"
)

// What I15 is judged by.
const (
	// starvation is how long an attempt may wait, in quiet, while a node could give it a container and others get some.
	starvation = 2 * time.Minute
	// modesty is how long a driver may ask, in quiet, for fewer executors than its tasks need: it asks for twice as many each
	// second.
	modesty = time.Minute
	// returns is how often an application may lose containers to preemption and get others, while no other application gets any.
	returns = 3
)

// churn is I15: what is asked for is given when it can be, and what is taken goes to others; and I4 of a ResourceManager: a node
// could give a container that an attempt waits for, and no attempt gets any.
type churn struct {
	*Monitor
	hungry, starved, modest since
	// got are the containers that each attempt, and all of them, were given.
	got map[string]int
	all int
	// lost are applications that lost containers to preemption since another got some; back is how often each got one again.
	lost map[string]bool
	back map[string]int
}

func newChurn(m *Monitor) *churn {
	return &churn{
		Monitor: m, hungry: since{}, starved: since{}, modest: since{},
		got: map[string]int{}, lost: map[string]bool{}, back: map[string]int{},
	}
}

// see follows containers of a ResourceManager.
func (c *churn) see(r *tracepb.Record) {
	if r.GetKind() != tracepb.Kind_STATE || r.GetEndpoint() != ids.Scheduler || r.GetName() != "container" {
		return
	}
	id, err := ids.ParseContainer(r.GetSubject())
	if err != nil {
		return
	}
	of := id.Attempt.App.String()
	switch {
	case r.GetTo() == "ALLOCATED":
		c.all++
		c.got[id.Attempt.String()]++
		c.given(of)
	case r.GetWhy() == fair.DiagnosticsPreempted:
		c.lost[of] = true
	}
}

// able is the first of the nodes that could give a container and that the ResourceManager hears of: only those are offered.
func (c *churn) able(m *Manager, w *Waiting) (node string, ok bool) {
	i := slices.IndexFunc(w.On, func(node string) bool {
		_, heard := c.past.heard(m.Name, node)
		return heard
	})
	if i < 0 {
		return "", false
	}
	return w.On[i], true
}

// given: an application gets a container.
func (c *churn) given(of string) {
	c.judged[NoChurn]++
	// An application has got one, so what others lost was not taken for nothing: their counts begin anew.
	for _, other := range sorted(c.back) {
		if other != of {
			delete(c.back, other)
		}
	}
	for other := range c.lost {
		if other != of {
			delete(c.lost, other)
		}
	}
	if !c.lost[of] {
		return
	}
	delete(c.lost, of)
	if c.back[of]++; c.back[of] >= returns {
		c.fail(NoChurn, "%s has lost containers to preemption %d times and got others, and nobody else got any", of, c.back[of])
	}
}

func (c *churn) look(s *Snapshot) {
	hungry, starved, modest := map[string]string{}, map[string]string{}, map[string]string{}
	for i := range s.Managers {
		m := &s.Managers[i]
		for j := range m.Waiting {
			w := &m.Waiting[j]
			c.judged[NoChurn]++
			c.judged[Progress]++
			node, ok := c.able(m, w)
			if !ok {
				continue
			}
			key := m.Name + " " + w.Attempt
			text := fmt.Sprintf("%s waits for containers and gets none of %s: %s; %s is heard of", w.Attempt, m.Name, w.Could, node)
			// With the count in the key the wait begins anew when any attempt, or this one, gets a container.
			hungry[fmt.Sprint(key, " ", c.all)] = text
			starved[fmt.Sprint(key, " ", c.got[w.Attempt])] = text
		}
	}
	for _, d := range s.Drivers {
		if d.Needed > 0 {
			c.judged[NoChurn]++
		}
		if d.Target < d.Needed {
			modest[d.Name] = fmt.Sprintf("the tasks of %s need %d executors, and it asks for %d", d.Name, d.Needed, d.Target)
		}
	}
	c.overdue(Progress, s, c.hungry, hungry, c.cfg.YARN.hunger())
	c.overdue(NoChurn, s, c.starved, starved, starvation)
	c.overdue(NoChurn, s, c.modest, modest, modesty)
}
