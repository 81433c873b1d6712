package resourcemanager

import (
	"time"

	"github.com/coherer/coherer/messages/yarn"
)

// ending is the end of an application or an attempt; S are its states. It is decided before it is durable.
type ending[S comparable] struct {
	finished time.Time // zero until the end is decided
	ended    S         // FINISHED, FAILED or KILLED, from then on
}

// decide takes the state that a machine is to end in. One that is FINISHING is durable as FINISHED.
func (e *ending[S]) decide(now time.Time, target, finishing, finished S) {
	e.finished, e.ended = now, target
	// FINISHING waits for an exit that the next life may never hear of; the end itself is decided.
	if target == finishing {
		e.ended = finished
	}
}

// endOf is the state as a record has it: none before the end.
func endOf(s interface {
	Over() bool
	String() string
},
) yarn.YarnApplicationState {
	if !s.Over() {
		return yarn.YarnApplicationState_YAS_UNSET
	}
	return yarn.YarnApplicationState(yarn.YarnApplicationState_value[s.String()])
}
