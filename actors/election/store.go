package election

import (
	"errors"
	"fmt"

	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/rpcenv"
)

// Store is what a Master keeps in the common log. It belongs to one leadership at a time: Load begins it, and a Write in a
// later one is refused.
type Store struct {
	// Election is the endpoint in the Master's own Env.
	Election rpcenv.Ref

	term uint64
}

var _ records.Store = (*Store)(nil)

// Load reads all that was ever committed.
func (s *Store) Load(b *rpcenv.Blocking) (kept []records.Change, bad []error, err error) {
	state, err := rpcenv.AskWait(b, s.Election, ReadState{})
	if err != nil {
		return nil, nil, asMaster(err)
	}
	s.term = state.Term
	return state.Records, nil, nil
}

// Write returns when a majority has the changes. After ErrLeadershipLost the next leader may have them or not; after other
// failures it has not. ErrLeadershipLost and ErrNotLeader are [records.ErrNotLeader] too.
func (s *Store) Write(b *rpcenv.Blocking, changes []records.Change) error {
	_, err := rpcenv.AskWait(b, s.Election, Propose{Term: s.term, Changes: changes})
	return asMaster(err)
}

// asMaster makes an error that comes of a leadership's end a records.ErrNotLeader too, by which the Master knows it.
func asMaster(err error) error {
	if errors.Is(err, ErrNotLeader) || errors.Is(err, ErrLeadershipLost) {
		return fmt.Errorf("%w: %w", records.ErrNotLeader, err)
	}
	return err
}
