//coherer:pure

package machine

import "github.com/coherer/coherer/actors/machine"

// Action is what a transition asks the NodeManager to do.
type Action int

// The actions.
const (
	// RequestResources asks the localizer for each resource that the container waits for.
	RequestResources Action = iota
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

// String is the action's name.
func (a Action) String() string {
	return machine.Name(int(a), "RequestResources", "Launch", "Monitor", "KillProcess", "CleanUpResources", "FinishContainer", "InitResources",
		"InitContainers", "KillContainers", "RefuseContainer", "CleanUpApplication", "ForgetApplication", "Fetch", "TellLocalized",
		"TellRequester", "TellFailed")
}

// last is the case of an event that leaves nothing to wait for.
type last bool
