package master

import (
	"errors"
	"fmt"

	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// ElectedLeader makes a Master the leader: it reads the records and becomes ALIVE, or RECOVERING when there are any.
// A duplicate does nothing. It mirrors MasterMessages.ElectedLeader.
type ElectedLeader struct {
	rpcenv.Local
	// Term counts leaderships, from 1. 0: the Master has no election and counts its own starts.
	Term uint64
}

// RevokedLeadership ends a Master that leads no more, with exit code 0, as in Spark: its books may be old.
// It mirrors MasterMessages.RevokedLeadership.
type RevokedLeadership struct{ rpcenv.Local }

// AwaitLeadership is answered true when the Master is no longer in STANDBY: it takes registrations. Spark has no such message.
type AwaitLeadership struct{ rpcenv.Local }

// ReplyType makes the answer's type known to the compiler.
func (AwaitLeadership) ReplyType() *rpc.Bool { return nil }

// errStandby is the answer to asks of a Master that does not lead.
var errStandby = rpcenv.NewRefusal("MASTER_IN_STANDBY", "the Master is in STANDBY: ask the one that leads")

// electedLeader reads the records; the Master leads when they are read.
func (m *Master) electedLeader(c *rpcenv.Context, e ElectedLeader) {
	if m.state != RecoveryStandby || m.elected {
		c.Log().Infof("Elected leader again, in term %d; nothing changes", e.Term)
		return
	}
	m.elected = true // before the records are read: until then the state stays STANDBY, and a duplicate would read them twice
	if m.cfg.Store == nil {
		m.lead(c, e.Term, nil)
		return
	}
	var bad []error
	rpcenv.Run(c, "persist", func(b *rpcenv.Blocking) (kept []records.Change, err error) {
		kept, bad, err = m.cfg.Store.Load(b)
		return kept, err
	}, func(kept []records.Change, err error) {
		switch {
		case errors.Is(err, records.ErrNotLeader): // another was elected while this one read: no fault
			m.revokedLeadership(c)
			return
		case err != nil: // a Master that led without them would not know the applications that run
			c.Exit(1, "the Master cannot read its records: "+err.Error())
			return
		}
		for _, err := range bad {
			m.badRecord(c, err)
		}
		m.lead(c, e.Term, kept)
	})
}

// lead begins the leadership with what was left by the one before.
func (m *Master) lead(c *rpcenv.Context, term uint64, kept []records.Change) {
	books := m.restore(c, kept)
	m.cfg.Term = term    // before anything is sent: each message carries it
	if !m.cfg.Election { // so it has a Store, else it would lead since its start
		m.cfg.Term = books.term + 1
		m.persist(c, termKey, &deploy.TermRecord{Term: m.cfg.Term})
	}
	why := fmt.Sprintf("elected in term %d", m.cfg.Term)
	if books.empty() {
		m.setState(c, RecoveryAlive, why)
	} else {
		m.setState(c, RecoveryRecovering, why)
	}
	c.Log().Infof("I have been elected leader! New state: %s", m.state)
	for _, call := range m.awaiting {
		call.Reply(&rpc.Bool{Value: true})
	}
	m.awaiting = nil
	if m.state == RecoveryRecovering {
		m.beginRecovery(c, books)
	}
}

// revokedLeadership ends the process.
func (m *Master) revokedLeadership(c *rpcenv.Context) {
	c.Exit(0, "Leadership has been revoked -- master shutting down.")
}

func (m *Master) awaitLeadership(c *rpcenv.Context, a AwaitLeadership) {
	if m.state != RecoveryStandby {
		rpcenv.Reply(c, a, &rpc.Bool{Value: true})
		return
	}
	m.awaiting = append(m.awaiting, rpcenv.Defer(c, a))
}

// setState changes the Master's own state.
func (m *Master) setState(c *rpcenv.Context, to RecoveryState, why string) {
	recoveryMoves.Move(c, c.Self().Address.String(), &m.state, to, why)
}
