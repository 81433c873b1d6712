//coherer:pure

package machine

// ApplicationState is where an application is on this node. It mirrors
// org.apache.hadoop.yarn.server.nodemanager.containermanager.application.ApplicationState.
type ApplicationState int

// The states of an application.
const (
	ApplicationNew          ApplicationState = iota // its first container has come
	ApplicationIniting                              // its directories are made
	ApplicationRunning                              // containers may run
	FinishingContainersWait                         // it has ended; its containers are still to end
	ResourcesCleaningUp                             // its directories are removed
	ApplicationFinished                             // nothing is left but its logs
	applicationStates       = iota
)

var applicationStateNames = [...]string{
	"NEW", "INITING", "RUNNING", "FINISHING_CONTAINERS_WAIT", "APPLICATION_RESOURCES_CLEANINGUP", "FINISHED",
}

// String is Hadoop's name.
func (s ApplicationState) String() string { return name(applicationStateNames[:], int(s)) }

// ApplicationEvent is what happens to an application. It mirrors ApplicationEventType.
type ApplicationEvent int

// The events of an application.
const (
	InitApplication ApplicationEvent = iota
	InitApplicationContainer
	LogHandlingInited
	LogHandlingFailed
	ApplicationInited
	ApplicationContainerFinished
	FinishApplication
	ApplicationResourcesCleanedUp
	LogHandlingFinished
	applicationEvents = iota
)

var applicationEventNames = [...]string{
	"INIT_APPLICATION", "INIT_CONTAINER", "APPLICATION_LOG_HANDLING_INITED", "APPLICATION_LOG_HANDLING_FAILED", "APPLICATION_INITED",
	"APPLICATION_CONTAINER_FINISHED", "FINISH_APPLICATION", "APPLICATION_RESOURCES_CLEANEDUP", "APPLICATION_LOG_HANDLING_FINISHED",
}

// String is Hadoop's name.
func (e ApplicationEvent) String() string { return name(applicationEventNames[:], int(e)) }

// Application is an application's life on this node.
type Application struct {
	State ApplicationState
	// Containers is how many containers it has that have not ended.
	Containers int
}

// Next is the application after an event.
func (a Application) Next(e ApplicationEvent) (Application, []Action, error) {
	next := a
	switch e {
	case InitApplicationContainer:
		if a.State <= ApplicationRunning {
			next.Containers++
		}
	case ApplicationContainerFinished:
		next.Containers = max(0, a.Containers-1)
	}
	switch {
	case a.State == ApplicationNew && e == InitApplication:
		return next.to(ApplicationIniting)
	case a.State <= ApplicationIniting && e == InitApplicationContainer:
		return next.to(a.State)
	case a.State == ApplicationIniting && (e == LogHandlingInited || e == LogHandlingFailed):
		return next.to(ApplicationIniting, InitResources)
	case a.State == ApplicationIniting && e == ApplicationInited:
		return next.to(ApplicationRunning, InitContainers)
	case a.State == ApplicationRunning && e == InitApplicationContainer:
		return next.to(ApplicationRunning, InitContainers)
	case (a.State == ApplicationIniting || a.State == ApplicationRunning) && e == ApplicationContainerFinished:
		return next.to(a.State)
	case (a.State == ApplicationIniting || a.State == ApplicationRunning) && e == FinishApplication:
		if a.Containers == 0 {
			return next.to(ResourcesCleaningUp, CleanUpApplication)
		}
		return next.to(FinishingContainersWait, KillContainers)
	case a.State == FinishingContainersWait && e == ApplicationContainerFinished:
		if next.Containers == 0 {
			return next.to(ResourcesCleaningUp, CleanUpApplication)
		}
		return next.to(FinishingContainersWait)
	case e == InitApplicationContainer: // the application ends: see RefuseContainer
		return next.to(a.State, RefuseContainer)
	case a.State == ResourcesCleaningUp && e == ApplicationResourcesCleanedUp:
		return next.to(ApplicationFinished)
	case a.State == ApplicationFinished && (e == LogHandlingFinished || e == LogHandlingFailed):
		return next.to(ApplicationFinished, ForgetApplication)
	case a.ignores(e):
		return next.to(a.State)
	}
	return a, nil, &InvalidTransition{"application", a.State.String(), e.String()}
}

// ignores reports whether e is no news: it was under way when the application's end came.
func (a Application) ignores(e ApplicationEvent) bool {
	switch {
	case a.State >= FinishingContainersWait && e == FinishApplication:
		return true
	case a.State >= FinishingContainersWait && a.State <= ResourcesCleaningUp && (e == LogHandlingInited || e == LogHandlingFailed):
		return true
	case a.State >= FinishingContainersWait && e == ApplicationInited:
		return true
	case a.State >= ResourcesCleaningUp && e == ApplicationContainerFinished: // of a refused one
		return true
	}
	return false
}

func (a Application) to(s ApplicationState, actions ...Action) (Application, []Action, error) {
	a.State = s
	return a, actions, nil
}
