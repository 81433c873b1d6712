//coherer:pure

package machine

import "github.com/coherer/coherer/actors/machine"

// ContainerState is where a container stands. It mirrors RMContainerState.
type ContainerState int

// The states of a container, in their order.
const (
	ContainerNew       ContainerState = iota // made
	ContainerReserved                        // its node is kept free for it
	ContainerAllocated                       // a node has room for it; its ApplicationMaster has not taken it yet
	ContainerAcquired                        // its ApplicationMaster has taken it with an allocate
	ContainerRunning                         // its node has reported that it runs
	ContainerCompleted                       // its node has reported its end
	ContainerExpired                         // nobody started it in time
	ContainerReleased                        // its ApplicationMaster gave it back
	ContainerKilled                          // it was ended
)

func (s ContainerState) String() string {
	return machine.Name(int(s), "NEW", "RESERVED", "ALLOCATED", "ACQUIRED", "RUNNING", "COMPLETED", "EXPIRED", "RELEASED", "KILLED")
}

// Over reports whether nothing can follow.
func (s ContainerState) Over() bool { return s >= ContainerCompleted }

// ContainerEvent is an event of a container. It mirrors RMContainerEventType.
type ContainerEvent int

// The events of a container.
const (
	ContainerStart ContainerEvent = iota
	ContainerReserve
	ContainerAcquire
	ContainerLaunch
	ContainerFinish
	ContainerRelease
	ContainerExpire
	ContainerKill
	ContainerRecover
)

func (e ContainerEvent) String() string {
	return machine.Name(int(e), "START", "RESERVED", "ACQUIRED", "LAUNCHED", "FINISHED", "RELEASED", "EXPIRE", "KILL", "RECOVER")
}

// ContainerAction is an action that follows a step of a container.
type ContainerAction int

// The actions of a container.
const (
	TellAllocated    ContainerAction = iota // CONTAINER_ALLOCATED to the attempt
	WatchContainer                          // it is in the ContainerAllocationExpirer; APP_RUNNING_ON_NODE to the application
	UnwatchContainer                        // it is there no more
	CleanUpContainer                        // CLEANUP_CONTAINER to the node
	TellEnded                               // CONTAINER_FINISHED to the attempt
)

func (a ContainerAction) String() string {
	return machine.Name(int(a), "TellAllocated", "WatchContainer", "UnwatchContainer", "CleanUpContainer", "TellEnded")
}

type containerRule = machine.Rule[ContainerState, ContainerEvent, Case, ContainerAction]

var (
	acquiredEnds = []ContainerAction{UnwatchContainer, CleanUpContainer, TellEnded}
	runningEnds  = []ContainerAction{CleanUpContainer, TellEnded}
	tellEnded    = []ContainerAction{TellEnded}
)

var containerTable = machine.New("the container", []containerRule{
	{From: []ContainerState{ContainerNew, ContainerReserved}, On: ContainerStart, To: ContainerAllocated, Do: []ContainerAction{TellAllocated}},
	{From: []ContainerState{ContainerNew, ContainerReserved}, On: ContainerReserve, To: ContainerReserved},
	{From: []ContainerState{ContainerNew, ContainerReserved}, On: ContainerKill, To: ContainerKilled},
	{From: []ContainerState{ContainerReserved}, On: ContainerRelease, To: ContainerReleased},
	{From: []ContainerState{ContainerNew}, On: ContainerRecover, To: ContainerRunning},
	{From: []ContainerState{ContainerNew}, On: ContainerRecover, When: Completed, To: ContainerCompleted, Do: tellEnded},
	{From: []ContainerState{ContainerAllocated}, On: ContainerAcquire, To: ContainerAcquired, Do: []ContainerAction{WatchContainer}},
	// No CleanUpContainer up to ALLOCATED: without a token nobody can have started the container on its node.
	{From: []ContainerState{ContainerAllocated}, On: ContainerExpire, To: ContainerExpired, Do: tellEnded},
	{From: []ContainerState{ContainerAllocated}, On: ContainerKill, To: ContainerKilled, Do: tellEnded},
	{From: []ContainerState{ContainerAcquired}, On: ContainerLaunch, To: ContainerRunning, Do: []ContainerAction{UnwatchContainer}},
	{From: []ContainerState{ContainerAcquired}, On: ContainerFinish, To: ContainerCompleted, Do: []ContainerAction{UnwatchContainer, TellEnded}},
	{From: []ContainerState{ContainerAcquired}, On: ContainerRelease, To: ContainerReleased, Do: acquiredEnds},
	{From: []ContainerState{ContainerAcquired}, On: ContainerExpire, To: ContainerExpired, Do: acquiredEnds},
	{From: []ContainerState{ContainerAcquired}, On: ContainerKill, To: ContainerKilled, Do: acquiredEnds},
	{From: []ContainerState{ContainerRunning}, On: ContainerFinish, To: ContainerCompleted, Do: tellEnded},
	{From: []ContainerState{ContainerRunning}, On: ContainerRelease, To: ContainerReleased, Do: runningEnds},
	{From: []ContainerState{ContainerRunning}, On: ContainerKill, To: ContainerKilled, Do: runningEnds},
	{From: []ContainerState{ContainerRunning}, On: ContainerExpire, To: ContainerRunning}, // too late
},
	// FINISHED comes late only after a release or a kill: there the node was ordered to end the container and reports it.
	lateContainer(ContainerCompleted, ContainerExpire, ContainerRelease, ContainerKill),
	lateContainer(ContainerExpired, ContainerExpire, ContainerRelease, ContainerKill),
	lateContainer(ContainerReleased, ContainerExpire, ContainerRelease, ContainerKill, ContainerFinish),
	lateContainer(ContainerKilled, ContainerExpire, ContainerRelease, ContainerKill, ContainerFinish),
)

func lateContainer(s ContainerState, events ...ContainerEvent) []containerRule {
	return machine.Late[ContainerState, ContainerEvent, Case, ContainerAction](s, events...)
}

// Container is a container's machine. The zero Container is NEW.
type Container struct{ State ContainerState }

// Step is the machine after an event, and the actions that follow.
func (m Container) Step(e ContainerEvent, when Case) (Container, []ContainerAction, error) {
	next, err := containerTable.Step(m.State, ContainerNew, e, when)
	return Container{next.State}, next.Do, err
}
