package election

import (
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// Log is where an Election keeps what it must not forget. Its methods are called one after the other, and may take long.
type Log interface {
	// Name is what messages call it: its file, so that a user can find it.
	Name() string
	// Load reads everything. A log that was never written is no error.
	Load(b *rpcenv.Blocking) (Saved, error)
	// Save makes a Batch durable before it returns, all or none of it. After an error the Election gives up.
	Save(b *rpcenv.Blocking, batch Batch) error
}

// Saved is what a Log has; fields of what was never saved are nil.
type Saved struct {
	Identity *deploy.LogIdentity
	Vote     *deploy.LogVote
	Snapshot *deploy.LogSnapshot
	// Entries are those after the Snapshot, in the order of their indexes.
	Entries []*deploy.LogEntry
}

// Batch is what is made durable together. Its fields are done in this order; a nil one leaves what is there.
type Batch struct {
	Identity *deploy.LogIdentity
	Vote     *deploy.LogVote
	// Whole removes all entries: the Snapshot takes the place of another history.
	Whole bool
	// Snapshot takes the place of the one before, and of the entries up to its index.
	Snapshot *deploy.LogSnapshot
	// Entries take the place of all from the first one's index on.
	Entries []*deploy.LogEntry
}

// empty: nothing is to be saved.
func (b *Batch) empty() bool {
	return b.Identity == nil && b.Vote == nil && b.Snapshot == nil && len(b.Entries) == 0
}

// add appends next to b: one write does both, in this order.
func (b *Batch) add(next Batch) {
	if next.Identity != nil {
		b.Identity = next.Identity
	}
	if next.Vote != nil {
		b.Vote = next.Vote
	}
	if next.Snapshot != nil {
		b.Snapshot = next.Snapshot
	}
	if next.Whole {
		b.Whole, b.Entries = true, nil
	}
	if len(next.Entries) > 0 {
		b.Entries = append(before(b.Entries, next.Entries[0].GetIndex()), next.Entries...)
	}
}

// before are the entries below an index.
func before(entries []*deploy.LogEntry, index uint64) []*deploy.LogEntry {
	for i, e := range entries {
		if e.GetIndex() >= index {
			return entries[:i:i]
		}
	}
	return entries
}

// after are the entries above an index.
func after(entries []*deploy.LogEntry, index uint64) []*deploy.LogEntry {
	for len(entries) > 0 && entries[0].GetIndex() <= index {
		entries = entries[1:]
	}
	return entries
}
