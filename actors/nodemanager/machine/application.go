//coherer:pure

package machine

import "github.com/coherer/coherer/actors/machine"

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

// String is Hadoop's name.
func (s ApplicationState) String() string {
	return machine.Name(int(s), "NEW", "INITING", "RUNNING", "FINISHING_CONTAINERS_WAIT", "APPLICATION_RESOURCES_CLEANINGUP",
		"FINISHED")
}

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

// String is Hadoop's name.
func (e ApplicationEvent) String() string {
	return machine.Name(int(e), "INIT_APPLICATION", "INIT_CONTAINER", "APPLICATION_LOG_HANDLING_INITED",
		"APPLICATION_LOG_HANDLING_FAILED", "APPLICATION_INITED", "APPLICATION_CONTAINER_FINISHED",
		"FINISH_APPLICATION", "APPLICATION_RESOURCES_CLEANEDUP", "APPLICATION_LOG_HANDLING_FINISHED")
}

// Application is an application's life on this node.
type Application struct {
	State ApplicationState
	// Containers is how many containers it has that have not ended.
	Containers int
}

type applicationRule = machine.Rule[ApplicationState, ApplicationEvent, last, Action]

var (
	ends             = []ApplicationState{FinishingContainersWait, ResourcesCleaningUp, ApplicationFinished}
	applicationTable = machine.New("the application", []applicationRule{
		{From: []ApplicationState{ApplicationNew}, On: InitApplication, To: ApplicationIniting},
		{From: []ApplicationState{ApplicationNew, ApplicationIniting}, On: InitApplicationContainer, To: machine.Stay},
		{From: []ApplicationState{ApplicationIniting}, On: LogHandlingInited, To: machine.Stay, Do: []Action{InitResources}},
		{From: []ApplicationState{ApplicationIniting}, On: LogHandlingFailed, To: machine.Stay, Do: []Action{InitResources}},
		{From: []ApplicationState{ApplicationIniting}, On: ApplicationInited, To: ApplicationRunning, Do: []Action{InitContainers}},
		{From: []ApplicationState{ApplicationRunning}, On: InitApplicationContainer, To: machine.Stay, Do: []Action{InitContainers}},
		{From: []ApplicationState{ApplicationIniting, ApplicationRunning, FinishingContainersWait}, On: ApplicationContainerFinished, To: machine.Stay},
		{From: []ApplicationState{ApplicationIniting, ApplicationRunning}, On: FinishApplication, To: FinishingContainersWait, Do: []Action{KillContainers}},
		{From: []ApplicationState{ApplicationIniting, ApplicationRunning}, On: FinishApplication, When: true, To: ResourcesCleaningUp, Do: []Action{CleanUpApplication}},
		{From: []ApplicationState{FinishingContainersWait}, On: ApplicationContainerFinished, When: true, To: ResourcesCleaningUp, Do: []Action{CleanUpApplication}},
		{From: ends, On: InitApplicationContainer, To: machine.Stay, Do: []Action{RefuseContainer}},
		{From: []ApplicationState{ResourcesCleaningUp}, On: ApplicationResourcesCleanedUp, To: ApplicationFinished},
		{From: []ApplicationState{ApplicationFinished}, On: LogHandlingFinished, To: machine.Stay, Do: []Action{ForgetApplication}},
		{From: []ApplicationState{ApplicationFinished}, On: LogHandlingFailed, To: machine.Stay, Do: []Action{ForgetApplication}},
	},
		lateApplication(FinishingContainersWait, FinishApplication, ApplicationInited, LogHandlingInited, LogHandlingFailed),
		// A container that ends in these was refused, and did not count.
		lateApplication(ResourcesCleaningUp, FinishApplication, ApplicationInited, LogHandlingInited, LogHandlingFailed, ApplicationContainerFinished),
		lateApplication(ApplicationFinished, FinishApplication, ApplicationInited, ApplicationContainerFinished),
	)
)

func lateApplication(s ApplicationState, events ...ApplicationEvent) []applicationRule {
	return machine.Late[ApplicationState, ApplicationEvent, last, Action](s, events...)
}

// Next is the application after an event.
func (a Application) Next(e ApplicationEvent) (Application, []Action, error) {
	next := a
	switch e {
	case InitApplicationContainer:
		if a.State <= ApplicationRunning { // later ones are refused
			next.Containers++
		}
	case ApplicationContainerFinished:
		next.Containers = max(0, a.Containers-1)
	}
	out, err := applicationTable.Step(a.State, ApplicationNew, e, next.Containers == 0)
	if err != nil {
		return a, nil, err
	}
	next.State = out.State
	return next, out.Do, nil
}
