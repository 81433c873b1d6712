//coherer:pure

package machine

import "github.com/coherer/coherer/actors/machine"

// Case decides an event's outcome together with the state; the caller of Step knows it.
type Case int

// The cases. Always is that of an event with one outcome.
const (
	Always Case = iota
	// Retry of ATTEMPT_FAILED: the application gets another attempt.
	Retry
	// OwnContainer of CONTAINER_FINISHED: it was the ApplicationMaster's.
	OwnContainer
	// NothingYet of CONTAINER_ALLOCATED: the scheduler had no container to give after all.
	NothingYet
	// Unhealthy of STATUS_UPDATE: the node says so.
	Unhealthy
	// Completed of RECOVER: the container has ended.
	Completed
	// Attempted of RECOVER: the application has attempts.
	Attempted
	// WasFinished, WasFailed and WasKilled of RECOVER: the record has that end.
	WasFinished
	WasFailed
	WasKilled
)

func (c Case) String() string {
	return machine.Name(int(c), "", "Retry", "OwnContainer", "NothingYet", "Unhealthy", "Completed", "Attempted", "WasFinished", "WasFailed", "WasKilled")
}
