package invariant

import (
	"fmt"
	"slices"
	"time"

	"github.com/coherer/coherer/actors/membership"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
)

// Gossip is who the members of a cluster are, as seen from outside.
type Gossip struct {
	// Members are those that are there, in a fixed order.
	Members []Member
	// Agreement is how soon all of so many know who is there, once nothing goes wrong (swim.Agreement).
	Agreement time.Duration
}

// Member is a process that takes part in gossip, in one run.
type Member struct {
	Name    string
	Address rpcenv.Address
}

// convergence is I14: what the endpoints Membership have heard is who is there. Of a member only what has changed is looked at again.
type convergence struct {
	*Monitor
	heard map[uint32]map[string]bool // by Env, the names of the members that it takes for present
	wrong map[uint32][]string        // by Env, which of these are wrong, when last looked at; absent: it has heard of something since
	all   []Member                   // who was there then
	since since
}

func newConvergence(m *Monitor) *convergence {
	return &convergence{Monitor: m, heard: map[uint32]map[string]bool{}, wrong: map[uint32][]string{}, since: since{}}
}

func (c *convergence) see(r *tracepb.Record) {
	if r.GetKind() != tracepb.Kind_STATE || r.GetName() != "member" || r.GetEndpoint() != membership.Name {
		return
	}
	env := r.GetEnv()
	delete(c.wrong, env)
	if c.heard[env] == nil {
		c.heard[env] = map[string]bool{}
	}
	switch r.GetTo() {
	case membership.Joined, membership.Suspected: // it stays a member until it is given up
		c.heard[env][r.GetSubject()] = true
	default:
		delete(c.heard[env], r.GetSubject())
	}
}

func (c *convergence) look(s *Snapshot) {
	all := s.Gossip.Members
	if len(all) == 0 {
		return
	}
	c.judged[Convergence]++
	if !slices.Equal(c.all, all) {
		c.all = slices.Clone(all)
		clear(c.wrong)
	}
	things := map[string]string{}
	for _, m := range all {
		env := c.past.at[m.Address.String()]
		wrong, ok := c.wrong[env]
		if !ok {
			wrong = c.differs(m, c.heard[env])
			c.wrong[env] = wrong
		}
		for _, what := range wrong {
			things[what] = fmt.Sprintf("%s, after %s in which nothing went wrong", what, s.Gossip.Agreement)
		}
	}
	c.overdue(Convergence, s, c.since, things, s.Gossip.Agreement)
}

// differs says in what a member is wrong about who is there.
func (c *convergence) differs(m Member, known map[string]bool) (wrong []string) {
	there := 0
	for _, other := range c.all {
		switch {
		case known[other.Name]:
			there++
		case other != m:
			wrong = append(wrong, m.Name+" does not know that "+other.Name+" is there")
		}
	}
	if there == len(known) {
		return wrong
	}
	for _, name := range sorted(known) {
		if !slices.ContainsFunc(c.all, func(x Member) bool { return x.Name == name }) {
			wrong = append(wrong, m.Name+" takes "+name+" for present, which is gone")
		}
	}
	return wrong
}
