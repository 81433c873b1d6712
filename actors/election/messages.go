package election

import (
	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/rpcenv"
)

// Propose asks the leader to put changes into the log, all or none. It is answered when they are committed and applied. Its
// failures are ErrNotLeader and ErrTooLarge, of which nothing came, and ErrLeadershipLost, of which nobody knows.
type Propose struct {
	rpcenv.Local
	// Term is the leadership in which the changes were thought of; in another they are refused.
	Term    uint64
	Changes []master.Change
}

// ReplyType is the answer.
func (Propose) ReplyType() Committed { return Committed{} }

// Committed answers Propose.
type Committed struct {
	rpcenv.Local
	Index uint64
}

// ReadState asks the leader for the state: all that was ever committed.
type ReadState struct{ rpcenv.Local }

// ReplyType is the answer.
func (ReadState) ReplyType() State { return State{} }

// State answers ReadState.
type State struct {
	rpcenv.Local
	Term    uint64
	Records []master.Change // in the order of their keys
}

// AskPeers is the timer of a Master without a log.
type AskPeers struct{ rpcenv.Local }

// Silence is the timer of a Master that has a leader: it ticks when the leader was silent for too long.
type Silence struct{ rpcenv.Local }

// Campaign is the timer of a Master that has no leader.
type Campaign struct{ rpcenv.Local }

// Beat is the timer of a leader.
type Beat struct{ rpcenv.LocalUntraced }
