//coherer:pure

package machine

import (
	"slices"

	"github.com/coherer/coherer/actors/hadoop/exitstatus"
	"github.com/coherer/coherer/actors/machine"
)

// ContainerState is where a container is in its life. It mirrors
// org.apache.hadoop.yarn.server.nodemanager.containermanager.container.ContainerState.
type ContainerState int

// The states of a container.
const (
	ContainerNew            ContainerState = iota // accepted; its application is not ready
	Localizing                                    // it waits for its resources
	LocalizationFailedState                       // one cannot be had
	Scheduled                                     // all are here; its process is started
	Running                                       // its process runs
	Relaunching                                   // its process failed and is started again
	ExitedWithSuccess                             // its process ended with code 0
	ExitedWithFailure                             // or another
	Killing                                       // it is to end; something of it is still under way
	CleanedUpAfterKill                            // its process was ended
	Done                                          // nothing of it is left
	containerStates         = iota
)

// String is Hadoop's name.
func (s ContainerState) String() string {
	return machine.Name(int(s), "NEW", "LOCALIZING", "LOCALIZATION_FAILED", "SCHEDULED", "RUNNING", "RELAUNCHING",
		"EXITED_WITH_SUCCESS", "EXITED_WITH_FAILURE", "KILLING", "CONTAINER_CLEANEDUP_AFTER_KILL", "DONE")
}

// ContainerEventKind is what happens to a container. It mirrors ContainerEventType.
type ContainerEventKind int

// The events of a container.
const (
	InitContainer ContainerEventKind = iota
	ResourceLocalized
	ResourceFailed
	ContainerLaunched
	ExitedSuccess
	ExitedFailure
	KilledOnRequest
	KillContainer
	ContainerResourcesCleanedUp
	containerEvents = iota
)

// String is Hadoop's name.
func (k ContainerEventKind) String() string {
	return machine.Name(int(k), "INIT_CONTAINER", "RESOURCE_LOCALIZED", "RESOURCE_FAILED", "CONTAINER_LAUNCHED",
		"CONTAINER_EXITED_WITH_SUCCESS", "CONTAINER_EXITED_WITH_FAILURE", "CONTAINER_KILLED_ON_REQUEST",
		"KILL_CONTAINER", "CONTAINER_RESOURCES_CLEANEDUP")
}

// ContainerEvent is an event of a container.
type ContainerEvent struct {
	Kind ContainerEventKind
	// Resource is which came or failed.
	Resource string
	// ExitStatus is the process's code, or the status that a kill gives.
	ExitStatus int32
	// Diagnostics are added to the container's.
	Diagnostics string
}

// Container is a container's life.
type Container struct {
	State ContainerState
	// Missing are the resources that it waits for.
	Missing []string
	// Retry is how often its process may still be started again.
	Retry Retry
	// ExitStatus is exitstatus.Invalid until something says otherwise.
	ExitStatus  int32
	Diagnostics string
}

// NewContainer is a container that needs resources.
func NewContainer(resources []string, retry Retry) Container {
	return Container{Missing: slices.Clone(resources), Retry: retry, ExitStatus: exitstatus.Invalid}
}

type containerRule = machine.Rule[ContainerState, ContainerEventKind, last, Action]

var containerTable = machine.New("the container", []containerRule{
	{From: []ContainerState{ContainerNew}, On: InitContainer, To: Localizing, Do: []Action{RequestResources}},
	{From: []ContainerState{ContainerNew}, On: InitContainer, When: true, To: Scheduled, Do: []Action{Launch}},
	{From: []ContainerState{Localizing}, On: ResourceLocalized, To: machine.Stay},
	{From: []ContainerState{Localizing}, On: ResourceLocalized, When: true, To: Scheduled, Do: []Action{Launch}},
	{From: []ContainerState{Localizing}, On: ResourceFailed, To: LocalizationFailedState, Do: []Action{CleanUpResources}},
	{From: []ContainerState{Scheduled, Relaunching}, On: ContainerLaunched, To: Running, Do: []Action{Monitor}},
	// In KILLING: the process ended by itself before the signal reached it.
	{From: []ContainerState{Running, Killing}, On: ExitedSuccess, To: ExitedWithSuccess, Do: []Action{CleanUpResources}},
	// A process that ran may be started again. No second start from SCHEDULED and KILLING: it never ran, or its end is wanted.
	{From: []ContainerState{Running, Relaunching}, On: ExitedFailure, To: Relaunching, Do: []Action{Launch}},
	{From: []ContainerState{Running, Relaunching}, On: ExitedFailure, When: true, To: ExitedWithFailure, Do: []Action{CleanUpResources}},
	{From: []ContainerState{Scheduled, Killing}, On: ExitedFailure, To: ExitedWithFailure, Do: []Action{CleanUpResources}},
	{From: []ContainerState{Running}, On: KilledOnRequest, To: ExitedWithFailure, Do: []Action{CleanUpResources}},
	{From: []ContainerState{Killing}, On: KilledOnRequest, To: CleanedUpAfterKill, Do: []Action{CleanUpResources}},
	// A kill ends a container as soon as the work that is under way allows.
	{From: []ContainerState{ContainerNew}, On: KillContainer, To: Done, Do: []Action{FinishContainer}},
	{From: []ContainerState{Localizing}, On: KillContainer, To: Killing, Do: []Action{CleanUpResources}},
	{From: []ContainerState{Scheduled, Running, Relaunching}, On: KillContainer, To: Killing, Do: []Action{KillProcess}},
	{
		From: []ContainerState{LocalizationFailedState, ExitedWithSuccess, ExitedWithFailure, Killing, CleanedUpAfterKill},
		On:   ContainerResourcesCleanedUp, To: Done, Do: []Action{FinishContainer},
	},
},
	// These were under way when the container took another course.
	lateContainer(LocalizationFailedState, ResourceLocalized, ResourceFailed, KillContainer),
	lateContainer(Killing, ResourceLocalized, ResourceFailed, ContainerLaunched, KillContainer),
	lateContainer(ExitedWithSuccess, KillContainer),
	lateContainer(ExitedWithFailure, KillContainer),
	lateContainer(CleanedUpAfterKill, KillContainer),
	lateContainer(Done, InitContainer, KillContainer, ResourceLocalized, ResourceFailed),
)

func lateContainer(s ContainerState, events ...ContainerEventKind) []containerRule {
	return machine.Late[ContainerState, ContainerEventKind, last, Action](s, events...)
}

// Next is the container after an event.
func (c Container) Next(e ContainerEvent) (Container, []Action, error) {
	next, nothingLeft := c.with(e)
	out, err := containerTable.Step(c.State, ContainerNew, e.Kind, last(nothingLeft))
	if err != nil || out.Late {
		return c, nil, err
	}
	next.State = out.State
	next.Diagnostics += e.Diagnostics
	return next, out.Do, nil
}

// with is the container with what an event says, and whether it leaves nothing to wait for: no resource, or no start.
func (c Container) with(e ContainerEvent) (next Container, nothingLeft bool) {
	switch e.Kind {
	case InitContainer:
		return c, len(c.Missing) == 0
	case ResourceLocalized:
		c.Missing = slices.DeleteFunc(slices.Clone(c.Missing), func(key string) bool { return key == e.Resource })
		return c, len(c.Missing) == 0
	case ExitedSuccess:
		c.ExitStatus = 0
	case ExitedFailure:
		if left, again := c.Retry.after(e.ExitStatus); again && (c.State == Running || c.State == Relaunching) {
			c.Retry = left
			return c, false
		}
		c.ExitStatus = e.ExitStatus
		return c, true
	case KilledOnRequest: // a status that the kill gave stays
		if c.ExitStatus == exitstatus.Invalid {
			c.ExitStatus = e.ExitStatus
		}
	case KillContainer:
		c.ExitStatus = e.ExitStatus
	case ResourceFailed, ContainerLaunched, ContainerResourcesCleanedUp: // they say nothing else
	}
	return c, false
}
