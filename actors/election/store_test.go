package election

import (
	"errors"
	"testing"

	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/rpcenv"
)

// A Master that does not lead reads and writes nothing, and knows that from other failures.
func TestAStoreOfAMasterThatDoesNotLead(t *testing.T) {
	g := started(t, 1, 3, Config{})
	leader := g.leader()
	for _, name := range g.names {
		done := false
		g.envs[name].Go("test", func(b *rpcenv.Blocking) error {
			s := &Store{Election: rpcenv.Ref{Address: g.envs[name].Address(), Name: Name}}
			kept, _, err := s.Load(b)
			if leads := name == leader; errors.Is(err, records.ErrNotLeader) == leads || errors.Is(err, ErrNotLeader) == leads || (err == nil) != leads {
				t.Errorf("%s, with %s as the leader, loads %v, %v", name, leader, kept, err)
			}
			err = s.Write(b, []records.Change{{Key: "large", Value: make([]byte, mostChanges)}})
			if leads := name == leader; errors.Is(err, records.ErrNotLeader) == leads || errors.Is(err, ErrTooLarge) != leads {
				t.Errorf("%s, with %s as the leader, writes: %v", name, leader, err)
			}
			done = true
			return nil
		})
		g.until(t, "an answer", func() bool { return done })
	}
}
