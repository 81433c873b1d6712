package election

import (
	"fmt"
	"strings"
	"time"

	"go.etcd.io/raft/v3"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/rpcenv"
)

// quickest is the least time from a leader's silence to a campaign: by then the others have noticed it too.
const quickest = 100 * time.Millisecond

// watch notes changes of the leadership and reports them to the Master: ElectedLeader when an entry of the new term is
// committed and applied, and with it all that earlier leaders committed.
func (e *Election) watch(c *rpcenv.Context) {
	s := e.node.BasicStatus()
	role, term := s.RaftState, s.GetTerm()
	if role != e.role || term != e.term {
		c.State("election", e.cfg.Self.String(), roleName(e.role), roleName(role), fmt.Sprintf("term %d", term))
	}
	e.role, e.term, e.lead = role, term, s.Lead
	switch leads := role == raft.StateLeader; {
	case e.leading != 0 && !leads:
		e.lost(c)
	case e.leading == 0 && leads:
		e.won(c)
	}
	if e.leading != 0 && e.announced == 0 && e.machine.term == e.leading {
		e.announced = e.leading
		c.Log().Infof("This Master is elected leader of term %d.", e.announced)
		c.Send(e.master(c), master.ElectedLeader{Term: e.announced})
	}
}

// won begins a leadership.
func (e *Election) won(c *rpcenv.Context) {
	e.leading = e.term
	c.Cancel(e.campaign)
	e.beat = c.Every(e.cfg.Heartbeat, e.cfg.Heartbeat, Beat{})
}

// lost ends a leadership. What was proposed and is not committed may still be, by the next leader.
func (e *Election) lost(c *rpcenv.Context) {
	announced := e.announced
	e.leading, e.announced = 0, 0
	c.Cancel(e.beat)
	e.failProposals(ErrLeadershipLost)
	if announced != 0 {
		c.Log().Warnf("This Master no longer leads: it was the leader of term %d.", announced)
		c.Send(e.master(c), master.RevokedLeadership{})
	}
	e.standLater(c)
}

func (e *Election) master(c *rpcenv.Context) rpcenv.Ref {
	return rpcenv.Ref{Address: c.Self().Address, Name: e.cfg.Tell}
}

// stepDown makes this Master a follower without a leader: it stands soon, unless it hears of one.
func (e *Election) stepDown(c *rpcenv.Context) {
	e.campaign = c.After(between(c, quickest, e.cfg.Silence), Campaign{})
}

// heard notes a sign of life of the leader.
func (e *Election) heard(c *rpcenv.Context, from rpcenv.Address) {
	if e.phase != Member || e.address(e.lead) != from {
		return
	}
	c.Cancel(e.campaign)
	c.Cancel(e.silence)
	e.silence = c.After(e.cfg.Silence, Silence{})
}

// leaderSilent forgets a leader that was silent: from now on this Master may vote for another, and soon stands itself.
func (e *Election) leaderSilent(c *rpcenv.Context) {
	c.Log().Infof("%s was silent for %s.", e.address(e.lead), e.cfg.Silence)
	e.guard(c, func() { _ = e.node.ForgetLeader() })
	e.turn(c)
	e.stepDown(c)
}

// stand makes this Master a candidate, and again if nothing comes of it.
func (e *Election) stand(c *rpcenv.Context) {
	// Random, so that two that stood at the same instant and split the votes do not do so again.
	e.campaign = c.After(between(c, 3*quickest, e.cfg.Silence), Campaign{})
	if e.behind || e.outdated(e.end()) != "" {
		return
	}
	e.guard(c, func() { _ = e.node.Campaign() }) // its error is of a Master that may not stand
	e.turn(c)
}

// standLater gives the others time to win.
func (e *Election) standLater(c *rpcenv.Context) {
	c.Cancel(e.silence)
	c.Cancel(e.campaign)
	e.campaign = c.After(between(c, e.cfg.Silence, 2*e.cfg.Silence), Campaign{})
}

// tick lets a leader send heartbeats, and see whether a majority answers. Only a leader ticks inside raft: the time-outs that
// raft draws for others have no seed.
func (e *Election) tick(c *rpcenv.Context) {
	e.guard(c, e.node.Tick)
	e.turn(c)
}

// roleName is what a trace calls a role: FOLLOWER, CANDIDATE, LEADER, PRECANDIDATE.
func roleName(s raft.StateType) string {
	return strings.ToUpper(strings.TrimPrefix(s.String(), "State"))
}
