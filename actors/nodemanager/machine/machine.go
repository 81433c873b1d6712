//coherer:pure

package machine

import "fmt"

// Action is what a transition asks the NodeManager to do.
type Action int

// The actions.
const (
	// RequestResources asks the localizer for each resource that the container waits for.
	RequestResources Action = iota + 1
	// Launch starts the container's process.
	Launch
	// Monitor begins to watch the memory of the container's process.
	Monitor
	// KillProcess ends the container's process, if it has one (ContainersLauncher's CLEANUP_CONTAINER).
	KillProcess
	// CleanUpResources gives the container's resources back and removes its directories; then comes
	// ContainerResourcesCleanedUp.
	CleanUpResources
	// FinishContainer reports to the application that the container is done; the next heartbeat has its end.
	FinishContainer
	// InitResources prepares the application's directories; then comes ApplicationInited.
	InitResources
	// InitContainers initialises each container that waited for the application.
	InitContainers
	// KillContainers kills each container of the application.
	KillContainers
	// RefuseContainer kills the container that came after the application's end.
	RefuseContainer
	// CleanUpApplication removes the application's directories; then comes ApplicationResourcesCleanedUp.
	CleanUpApplication
	// ForgetApplication removes the application from the books, once its logs are dealt with.
	ForgetApplication
	// Fetch brings the resource to this machine.
	Fetch
	// TellLocalized notifies all containers that refer to the resource that it is here.
	TellLocalized
	// TellRequester notifies the container that asked that the resource is here.
	TellRequester
	// TellFailed notifies all containers that refer to the resource that it cannot be had.
	TellFailed
)

var actionNames = [...]string{
	RequestResources: "RequestResources", Launch: "Launch", Monitor: "Monitor", KillProcess: "KillProcess",
	CleanUpResources: "CleanUpResources", FinishContainer: "FinishContainer", InitResources: "InitResources",
	InitContainers: "InitContainers", KillContainers: "KillContainers", RefuseContainer: "RefuseContainer",
	CleanUpApplication: "CleanUpApplication", ForgetApplication: "ForgetApplication", Fetch: "Fetch", TellLocalized: "TellLocalized",
	TellRequester: "TellRequester", TellFailed: "TellFailed",
}

// String is the action's name.
func (a Action) String() string { return name(actionNames[:], int(a)) }

// InvalidTransition is the error of an event that has no place in a state. It mirrors InvalidStateTransitionException.
type InvalidTransition struct{ Machine, State, Event string }

func (e *InvalidTransition) Error() string {
	return fmt.Sprintf("%s: invalid event %s at %s", e.Machine, e.Event, e.State)
}

// name is what a constant is called.
func name(names []string, i int) string {
	if i < 0 || i >= len(names) || names[i] == "" {
		return fmt.Sprintf("unknown(%d)", i)
	}
	return names[i]
}
