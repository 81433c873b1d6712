package election

import (
	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/rpcenv"
)

// Propose asks the leader to put changes into the log, all or none. The answer comes when they are committed and applied. After
// ErrNotLeader and ErrTooLarge the log has none of them; after ErrLeadershipLost it may have them or not.
type Propose struct {
	rpcenv.Local
	// Term is the leadership that decided the changes; another refuses them.
	Term    uint64
	Changes []records.Change
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
	Records []records.Change // in the order of their keys
}

// AskPeers is the timer of a Master without a log.
type AskPeers struct{ rpcenv.Local }

// Silence is the timer of a Master that has a leader: it ticks when the leader was silent for too long.
type Silence struct{ rpcenv.Local }

// Campaign is the timer of a Master that has no leader.
type Campaign struct{ rpcenv.Local }

// Beat is the timer of a leader.
type Beat struct{ rpcenv.LocalUntraced }
