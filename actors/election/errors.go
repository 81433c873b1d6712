package election

import (
	"errors"

	"github.com/coherer/coherer/rpcenv"
)

// Errors of an Election.
var (
	// ErrNotLeader: changes are proposed to, and read from, the leader alone.
	ErrNotLeader = rpcenv.NewRefusal("election.not-leader", "this Master is not the leader")
	// ErrLeadershipLost: the leadership ended before the changes were committed. Whether the next leader has them is unknown.
	ErrLeadershipLost = rpcenv.NewRefusal("election.leadership-lost", "the leadership ended before the changes were committed: the next leader may have them or not")
	// ErrTooLarge: changes that no one entry of the log can hold.
	ErrTooLarge = rpcenv.NewRefusal("election.too-large", "too many changes for one entry of the log")
	// ErrNotReady: the Master has not read its own log yet.
	ErrNotReady = rpcenv.NewRefusal("election.not-ready", "this Master still reads its log")
	// ErrPeers: the list of peers cannot be, or is not that of the others.
	ErrPeers = rpcenv.NewRefusal("election.peers", "the Masters of the group")
	// ErrPeersChanged: the log was begun with other peers.
	ErrPeersChanged = errors.New("election: the log is another group's")
	// ErrLogDamaged: what was read of the log contradicts itself.
	ErrLogDamaged = errors.New("election: the log is damaged")
	// ErrLogUnwritable: the log could not be written.
	ErrLogUnwritable = errors.New("election: the log cannot be written")
	// ErrLogLost: this Master's log is gone, and so are those of too many others.
	ErrLogLost = errors.New("election: too many logs are lost")
	// ErrBroken: raft itself gave up.
	ErrBroken = errors.New("election: raft gave up")
)
