//coherer:pure

package machine

import (
	"slices"

	"github.com/coherer/coherer/actors/hadoop/exitstatus"
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

var containerStateNames = [...]string{
	"NEW", "LOCALIZING", "LOCALIZATION_FAILED", "SCHEDULED", "RUNNING", "RELAUNCHING", "EXITED_WITH_SUCCESS", "EXITED_WITH_FAILURE",
	"KILLING", "CONTAINER_CLEANEDUP_AFTER_KILL", "DONE",
}

// String is Hadoop's name.
func (s ContainerState) String() string { return name(containerStateNames[:], int(s)) }

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

var containerEventNames = [...]string{
	"INIT_CONTAINER", "RESOURCE_LOCALIZED", "RESOURCE_FAILED", "CONTAINER_LAUNCHED", "CONTAINER_EXITED_WITH_SUCCESS",
	"CONTAINER_EXITED_WITH_FAILURE", "CONTAINER_KILLED_ON_REQUEST", "KILL_CONTAINER", "CONTAINER_RESOURCES_CLEANEDUP",
}

// String is Hadoop's name.
func (k ContainerEventKind) String() string { return name(containerEventNames[:], int(k)) }

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

// Next is the container after an event.
func (c Container) Next(e ContainerEvent) (Container, []Action, error) {
	if c.ignores(e.Kind) {
		return c, nil, nil
	}
	next, actions, ok := c.after(e)
	if !ok {
		return c, nil, &InvalidTransition{"container", c.State.String(), e.Kind.String()}
	}
	next.Diagnostics += e.Diagnostics
	return next, actions, nil
}

// after is the container after an event that is news; not ok when it has no place in the state.
func (c Container) after(e ContainerEvent) (next Container, actions []Action, ok bool) {
	switch e.Kind {
	case InitContainer:
		return c.initialise()
	case ResourceLocalized:
		return c.localized(e)
	case ResourceFailed:
		return c.when(c.State == Localizing).to(LocalizationFailedState, CleanUpResources)
	case ContainerLaunched:
		return c.when(c.State == Scheduled || c.State == Relaunching).to(Running, Monitor)
	case ExitedSuccess:
		// In KILLING: the process ended by itself before the signal reached it.
		ended := c.when(c.State == Running || c.State == Killing)
		ended.ExitStatus = 0
		return ended.to(ExitedWithSuccess, CleanUpResources)
	case ExitedFailure:
		return c.failed(e)
	case KilledOnRequest:
		return c.killed(e)
	case KillContainer:
		return c.kill(e)
	case ContainerResourcesCleanedUp:
		switch c.State {
		case LocalizationFailedState, ExitedWithSuccess, ExitedWithFailure, Killing, CleanedUpAfterKill:
			return c.to(Done, FinishContainer)
		}
	}
	return c, nil, false
}

// legal is a container for which an event has a place, or has not.
type legal struct {
	Container
	ok bool
}

func (c Container) when(ok bool) legal { return legal{c, ok} }

func (l legal) to(s ContainerState, actions ...Action) (Container, []Action, bool) {
	if !l.ok {
		return l.Container, nil, false
	}
	return l.Container.to(s, actions...)
}

// ignores reports whether an event is no news: it was under way when the container took another course.
func (c Container) ignores(k ContainerEventKind) bool {
	switch c.State {
	case LocalizationFailedState:
		return k == ResourceLocalized || k == ResourceFailed || k == KillContainer
	case Killing:
		return k == ResourceLocalized || k == ResourceFailed || k == ContainerLaunched || k == KillContainer
	case ExitedWithSuccess, ExitedWithFailure, CleanedUpAfterKill:
		return k == KillContainer
	case Done:
		return k == InitContainer || k == KillContainer || k == ResourceLocalized || k == ResourceFailed
	}
	return false
}

func (c Container) initialise() (Container, []Action, bool) {
	if len(c.Missing) > 0 {
		return c.when(c.State == ContainerNew).to(Localizing, RequestResources)
	}
	return c.when(c.State == ContainerNew).to(Scheduled, Launch)
}

// localized takes a resource off the list. After the last one the container is launched.
func (c Container) localized(e ContainerEvent) (Container, []Action, bool) {
	if c.State != Localizing {
		return c, nil, false
	}
	c.Missing = slices.DeleteFunc(slices.Clone(c.Missing), func(key string) bool { return key == e.Resource })
	if len(c.Missing) > 0 {
		return c.to(Localizing)
	}
	return c.to(Scheduled, Launch)
}

// failed is the end of a process with a code other than 0, or a process that could not be started.
func (c Container) failed(e ContainerEvent) (Container, []Action, bool) {
	switch c.State {
	case Running, Relaunching:
		// A process that ran may be started again; one that could not be started the first time is not.
		if left, again := c.Retry.after(e.ExitStatus); again {
			c.Retry = left
			return c.to(Relaunching, Launch)
		}
	case Scheduled, Killing: // no second start: it never ran, or its end is wanted
	default:
		return c, nil, false
	}
	c.ExitStatus = e.ExitStatus
	return c.to(ExitedWithFailure, CleanUpResources)
}

// killed is the end of a process by a signal, of this NodeManager or from outside. A status that the kill gave stays.
func (c Container) killed(e ContainerEvent) (Container, []Action, bool) {
	if c.ExitStatus == exitstatus.Invalid {
		c.ExitStatus = e.ExitStatus
	}
	if c.State == Running {
		return c.to(ExitedWithFailure, CleanUpResources)
	}
	return c.when(c.State == Killing).to(CleanedUpAfterKill, CleanUpResources)
}

// kill ends a container as soon as the work that is under way allows.
func (c Container) kill(e ContainerEvent) (Container, []Action, bool) {
	c.ExitStatus = e.ExitStatus
	switch c.State {
	case ContainerNew:
		return c.to(Done, FinishContainer)
	case Localizing:
		return c.to(Killing, CleanUpResources)
	default: // Scheduled, Running, Relaunching: ignores has kept the event from all others
		return c.to(Killing, KillProcess)
	}
}

func (c Container) to(s ContainerState, actions ...Action) (Container, []Action, bool) {
	c.State = s
	return c, actions, true
}
