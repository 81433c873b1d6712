package election

import (
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// Name is what the endpoint is called.
const Name = "Election"

// exitBroken is the exit code of a Master that can no longer take part in elections.
const exitBroken = 1

// OnStart reads the log.
func (e *Election) OnStart(c *rpcenv.Context) {
	if err := e.cfg.Validate(); err != nil {
		e.fail(c, err)
		return
	}
	rpcenv.Run(c, logLane, e.cfg.Log.Load, func(s Saved, err error) { e.opened(c, s, err) })
}

// Receive is the table of what an Election understands.
func (e *Election) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	// From the peers.
	case *deploy.RequestGroup:
		e.requestGroup(c, m)
	case *deploy.RequestVote:
		e.requestVote(c, m)
	case *deploy.Vote:
		e.voted(c, m)
	case *deploy.AppendEntries:
		e.appendEntries(c, m)
	case *deploy.Appended:
		e.appended(c, m)
	case *deploy.InstallSnapshot:
		e.installSnapshot(c, m)
	case *deploy.LeaderHeartbeat:
		e.leaderHeartbeat(c, m)
	case *deploy.LeaderHeard:
		e.leaderHeard(c, m)
	// From this Master.
	case Propose:
		e.propose(c, m)
	case ReadState:
		e.readState(c, m)
	// Timers.
	case AskPeers:
		e.askPeers(c)
	case Silence:
		e.leaderSilent(c)
	case Campaign:
		e.stand(c)
	case Beat:
		e.tick(c)
	default:
		c.Unsupported(m)
	}
}

// OnConnected lets messages go to a peer again that could not be dialled.
func (e *Election) OnConnected(_ *rpcenv.Context, peer rpcenv.Address) {
	delete(e.unreachable, e.number(peer))
}

// OnDisconnected does nothing: a leader is gone when it is silent.
func (e *Election) OnDisconnected(*rpcenv.Context, rpcenv.Address) {}

// OnNetworkError stops messages to a peer that cannot be dialled, for a while.
func (e *Election) OnNetworkError(c *rpcenv.Context, _ error, peer rpcenv.Address) {
	n := e.number(peer)
	if n == 0 || e.phase != Member {
		return
	}
	e.unreachable[n] = c.Now().Add(e.cfg.Silence)
	e.guard(c, func() { e.node.ReportUnreachable(n) })
}

// requestVote is a question for this Master's vote. One that has not caught up ignores it.
func (e *Election) requestVote(c *rpcenv.Context, m *deploy.RequestVote) {
	switch sender := c.Sender(); {
	case e.behind:
		e.ignore(c, sender, m, "this Master lost its log, or has an old one, and has not caught up: it votes for nobody")
	case e.number(sender) != 0 && e.outdated(position{m.GetLastIndex(), m.GetLastTerm()}) != "":
		e.ignore(c, sender, m, e.outdated(position{m.GetLastIndex(), m.GetLastTerm()}))
	case m.GetPre(): // the answer binds no Master, so nothing need be durable before it
		e.take(c, sender, m)
	default:
		e.met(c, m, func(c *rpcenv.Context) { e.take(c, sender, m) })
	}
}

func (e *Election) voted(c *rpcenv.Context, m *deploy.Vote) {
	sender := c.Sender()
	if !m.GetGranted() || m.GetPre() { // only a vote that was given binds its sender's log
		e.take(c, sender, m)
		return
	}
	e.met(c, m, func(c *rpcenv.Context) { e.take(c, sender, m) })
}

func (e *Election) appendEntries(c *rpcenv.Context, m *deploy.AppendEntries) {
	sender := c.Sender()
	e.met(c, m, func(c *rpcenv.Context) {
		taken := e.take(c, sender, m)
		e.heard(c, sender)
		if taken && m.GetTerm() == e.term { // what a leader of an earlier term committed may be less than what this Master acknowledged
			e.goal = position{m.GetCommit(), m.GetTerm()}
			e.caughtUp(c)
		}
	})
}

func (e *Election) appended(c *rpcenv.Context, m *deploy.Appended) {
	sender := c.Sender()
	if m.GetRefused() { // it confirms nothing
		e.take(c, sender, m)
		return
	}
	e.met(c, m, func(c *rpcenv.Context) { e.take(c, sender, m) })
}

func (e *Election) installSnapshot(c *rpcenv.Context, m *deploy.InstallSnapshot) {
	sender := c.Sender()
	e.met(c, m, func(c *rpcenv.Context) {
		e.incoming = m.GetSnapshot() // raft hands out the metadata only; append finds the state here
		e.take(c, sender, m)
		e.heard(c, sender)
	})
}

func (e *Election) leaderHeartbeat(c *rpcenv.Context, m *deploy.LeaderHeartbeat) {
	e.take(c, c.Sender(), m)
	e.heard(c, c.Sender()) // also of a heartbeat that take refused: its leader lives, and checkAgain sees to the log
	e.checkAgain(c, m)
}

func (e *Election) leaderHeard(c *rpcenv.Context, m *deploy.LeaderHeard) { e.take(c, c.Sender(), m) }

// take hands a message of a peer to raft, unless it must be ignored.
func (e *Election) take(c *rpcenv.Context, sender rpcenv.Address, m proto.Message) (taken bool) {
	from := e.number(sender)
	switch {
	case e.phase != Member:
		return false // it reads its log, or waits: raft sends again
	case !e.isOther(sender):
		e.ignore(c, sender, m, fmt.Sprintf("it is none of the peers %v", e.others()))
		return false
	case groupOf(m) != e.group:
		e.ignore(c, sender, m, fmt.Sprintf("%v: its peers are others than %v: give all Masters the same", ErrPeers, e.peers))
		return false
	}
	in, err := e.fromWire(m, from)
	if err != nil {
		e.ignore(c, sender, m, err.Error())
		return false
	}
	e.acknowledge(from, m)
	e.guard(c, func() { _ = e.node.Step(in) }) // its errors are of messages that come too late
	e.turn(c)
	return true
}

// ignore notes a message that is not taken: in the trace each time, in the log when it is news.
func (e *Election) ignore(c *rpcenv.Context, sender rpcenv.Address, m proto.Message, why string) {
	name := string(m.ProtoReflect().Descriptor().Name())
	c.State("message", name+" from "+sender.String(), "", "ignored", why)
	if e.warned[sender] != why {
		if len(e.warned) > 10*mostPeers { // strangers, each with its own address, must not fill the memory
			clear(e.warned)
		}
		e.warned[sender] = why
		c.Log().Warnf("Ignoring %s from %s: %s", name, sender, why)
	}
}

// guard runs what may make raft panic. Then this Master ends, and no message can end the process without a word.
func (e *Election) guard(c *rpcenv.Context, f func()) {
	defer func() {
		if v := recover(); v != nil {
			e.fail(c, fmt.Errorf("%w: %v", ErrBroken, v))
		}
	}()
	f()
}

// fail ends the process: a Master that cannot keep its log must not go on. The others elect another.
func (e *Election) fail(c *rpcenv.Context, err error) {
	if e.phase == Failed {
		return
	}
	e.phase = Failed
	c.State("election", e.cfg.Self.String(), "", Failed.String(), err.Error())
	c.Exit(exitBroken, err.Error())
}

// between is a random time, of the endpoint's own seeded stream.
func between(c *rpcenv.Context, least, most time.Duration) time.Duration {
	return least + time.Duration(c.Rand().Int64N(int64(most-least)))
}
