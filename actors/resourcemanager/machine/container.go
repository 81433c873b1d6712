//coherer:pure

package machine

import "slices"

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
	return nameOf(int(s), "NEW", "RESERVED", "ALLOCATED", "ACQUIRED", "RUNNING", "COMPLETED", "EXPIRED", "RELEASED", "KILLED")
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
	return nameOf(int(e), "START", "RESERVED", "ACQUIRED", "LAUNCHED", "FINISHED", "RELEASED", "EXPIRE", "KILL", "RECOVER")
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
	return nameOf(int(a), "TellAllocated", "WatchContainer", "UnwatchContainer", "CleanUpContainer", "TellEnded")
}

type containerRule = rule[ContainerState, ContainerEvent, ContainerAction]

var (
	acquiredEnds = []ContainerAction{UnwatchContainer, CleanUpContainer, TellEnded}
	runningEnds  = []ContainerAction{CleanUpContainer, TellEnded}
	tellEnded    = []ContainerAction{TellEnded}
)

var containerTable = tableOf(slices.Concat([]containerRule{
	{from: []ContainerState{ContainerNew, ContainerReserved}, on: ContainerStart, to: ContainerAllocated, do: []ContainerAction{TellAllocated}},
	{from: []ContainerState{ContainerNew, ContainerReserved}, on: ContainerReserve, to: ContainerReserved},
	{from: []ContainerState{ContainerNew, ContainerReserved}, on: ContainerKill, to: ContainerKilled},
	{from: []ContainerState{ContainerReserved}, on: ContainerRelease, to: ContainerReleased},
	{from: []ContainerState{ContainerNew}, on: ContainerRecover, to: ContainerRunning},
	{from: []ContainerState{ContainerNew}, on: ContainerRecover, when: Completed, to: ContainerCompleted, do: tellEnded},
	{from: []ContainerState{ContainerAllocated}, on: ContainerAcquire, to: ContainerAcquired, do: []ContainerAction{WatchContainer}},
	// No CleanUpContainer up to ALLOCATED: without a token nobody can have started the container on its node.
	{from: []ContainerState{ContainerAllocated}, on: ContainerExpire, to: ContainerExpired, do: tellEnded},
	{from: []ContainerState{ContainerAllocated}, on: ContainerKill, to: ContainerKilled, do: tellEnded},
	{from: []ContainerState{ContainerAcquired}, on: ContainerLaunch, to: ContainerRunning, do: []ContainerAction{UnwatchContainer}},
	{from: []ContainerState{ContainerAcquired}, on: ContainerFinish, to: ContainerCompleted, do: []ContainerAction{UnwatchContainer, TellEnded}},
	{from: []ContainerState{ContainerAcquired}, on: ContainerRelease, to: ContainerReleased, do: acquiredEnds},
	{from: []ContainerState{ContainerAcquired}, on: ContainerExpire, to: ContainerExpired, do: acquiredEnds},
	{from: []ContainerState{ContainerAcquired}, on: ContainerKill, to: ContainerKilled, do: acquiredEnds},
	{from: []ContainerState{ContainerRunning}, on: ContainerFinish, to: ContainerCompleted, do: tellEnded},
	{from: []ContainerState{ContainerRunning}, on: ContainerRelease, to: ContainerReleased, do: runningEnds},
	{from: []ContainerState{ContainerRunning}, on: ContainerKill, to: ContainerKilled, do: runningEnds},
	{from: []ContainerState{ContainerRunning}, on: ContainerExpire, to: ContainerRunning}, // too late
},
	// FINISHED comes late only after a release or a kill: there the node was ordered to end the container and reports it.
	lateContainer(ContainerCompleted, ContainerExpire, ContainerRelease, ContainerKill),
	lateContainer(ContainerExpired, ContainerExpire, ContainerRelease, ContainerKill),
	lateContainer(ContainerReleased, ContainerExpire, ContainerRelease, ContainerKill, ContainerFinish),
	lateContainer(ContainerKilled, ContainerExpire, ContainerRelease, ContainerKill, ContainerFinish),
)...)

func lateContainer(s ContainerState, events ...ContainerEvent) []containerRule {
	return late[ContainerState, ContainerEvent, ContainerAction](s, events...)
}

// Container is a container's machine. The zero Container is NEW.
type Container struct{ State ContainerState }

// Step is the machine after an event, and the actions that follow.
func (m Container) Step(e ContainerEvent, when Case) (Container, []ContainerAction, error) {
	to, _, do, err := containerTable.step("the container", m.State, ContainerNew, e, when)
	return Container{to}, do, err
}
