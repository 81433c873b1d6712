package machine

import "testing"

var applicationRows = []row{
	{"NEW", "INIT_APPLICATION", "INITING"},
	{"NEW INITING", "INIT_CONTAINER", "same"},
	{"INITING", "APPLICATION_LOG_HANDLING_INITED APPLICATION_LOG_HANDLING_FAILED", "same InitResources"},
	{"INITING", "APPLICATION_INITED", "RUNNING InitContainers"},
	{"RUNNING", "INIT_CONTAINER", "same InitContainers"},
	{"INITING RUNNING", "APPLICATION_CONTAINER_FINISHED", "same"},
	{"INITING RUNNING", "FINISH_APPLICATION", "FINISHING_CONTAINERS_WAIT KillContainers"},
	{"FINISHING_CONTAINERS_WAIT", "APPLICATION_CONTAINER_FINISHED", "same"},
	{"FINISHING_CONTAINERS_WAIT APPLICATION_RESOURCES_CLEANINGUP FINISHED", "INIT_CONTAINER", "same RefuseContainer"},
	{"APPLICATION_RESOURCES_CLEANINGUP", "APPLICATION_RESOURCES_CLEANEDUP", "FINISHED"},
	{"FINISHED", "APPLICATION_LOG_HANDLING_FINISHED APPLICATION_LOG_HANDLING_FAILED", "same ForgetApplication"},
	// No news.
	{"FINISHING_CONTAINERS_WAIT APPLICATION_RESOURCES_CLEANINGUP", "APPLICATION_LOG_HANDLING_INITED APPLICATION_LOG_HANDLING_FAILED", "same"},
	{"FINISHING_CONTAINERS_WAIT APPLICATION_RESOURCES_CLEANINGUP FINISHED", "APPLICATION_INITED FINISH_APPLICATION", "same"},
	{"APPLICATION_RESOURCES_CLEANINGUP FINISHED", "APPLICATION_CONTAINER_FINISHED", "same"},
}

func TestEveryEventInEveryStateOfAnApplication(t *testing.T) {
	checkTable(t, applicationRows, applicationStates, applicationEvents,
		func(s int) string { return ApplicationState(s).String() }, func(e int) string { return ApplicationEvent(e).String() },
		func(s, e int) (Application, Application, string, []Action, error) {
			before := Application{State: ApplicationState(s), Containers: 2}
			after, actions, err := before.Next(ApplicationEvent(e))
			return before, after, after.State.String(), actions, err
		})
}

func TestAnApplicationWithoutContainersEndsAtOnce(t *testing.T) {
	for _, s := range []ApplicationState{ApplicationIniting, ApplicationRunning} {
		a, actions, err := Application{State: s}.Next(FinishApplication)
		if err != nil || a.State != ResourcesCleaningUp || len(actions) != 1 || actions[0] != CleanUpApplication {
			t.Errorf("%s: %+v %v %v", s, a, actions, err)
		}
	}
}

func TestAnApplicationWaitsForItsLastContainer(t *testing.T) {
	a := Application{State: ApplicationRunning, Containers: 1}
	a, _, _ = a.Next(InitApplicationContainer)
	a, _, _ = a.Next(FinishApplication)
	a, _, _ = a.Next(InitApplicationContainer) // refused: it does not count
	a, actions, err := a.Next(ApplicationContainerFinished)
	if err != nil || a.State != FinishingContainersWait || actions != nil {
		t.Errorf("one of two: %+v %v %v", a, actions, err)
	}
	a, actions, err = a.Next(ApplicationContainerFinished)
	if err != nil || a.State != ResourcesCleaningUp || len(actions) != 1 {
		t.Errorf("two of two: %+v %v %v", a, actions, err)
	}
}
