package machine

import (
	"fmt"
	"slices"

	"github.com/coherer/coherer/rpcenv"
)

// Moves is a machine without events: its owner knows the state that is next, and the machine says whether it may follow.
type Moves[S interface {
	comparable
	fmt.Stringer
}] struct {
	// Kind is what the trace and the log call the owner of the state, such as "worker".
	Kind string
	// After has the states that may follow a state; none follows one that is no key.
	After map[S][]S
	// Repeated: a peer may report a state again, so that a refused move is no error, but a warning of the log.
	Repeated bool
}

// Check returns an error if next may not follow from.
func (m Moves[S]) Check(from, next S) error {
	if slices.Contains(m.After[from], next) {
		return nil
	}
	return fmt.Errorf("%s cannot become %s after %s", m.Kind, next, from)
}

// Move changes *state to next and records that in the trace. If next may not follow, it logs so, changes nothing, and returns
// false.
func (m Moves[S]) Move(c *rpcenv.Context, id string, state *S, next S, why string) bool {
	from := *state
	if err := m.Check(from, next); err != nil {
		if m.Repeated {
			c.Log().Warnf("%s: %v", id, err)
		} else {
			c.Log().Errorf("%s: %v", id, err)
		}
		return false
	}
	*state = next
	c.State(m.Kind, id, from.String(), next.String(), why)
	return true
}
