package machine

import (
	"slices"
	"testing"
)

var containerRows = []row{
	{"NEW", "INIT_CONTAINER", "LOCALIZING RequestResources"},
	{"NEW", "KILL_CONTAINER", "DONE FinishContainer"},
	{"LOCALIZING", "RESOURCE_LOCALIZED", "same"}, // one of two
	{"LOCALIZING", "RESOURCE_FAILED", "LOCALIZATION_FAILED CleanUpResources"},
	{"LOCALIZING", "KILL_CONTAINER", "KILLING CleanUpResources"},
	{"LOCALIZATION_FAILED EXITED_WITH_SUCCESS EXITED_WITH_FAILURE KILLING CONTAINER_CLEANEDUP_AFTER_KILL", "CONTAINER_RESOURCES_CLEANEDUP", "DONE FinishContainer"},
	{"SCHEDULED RELAUNCHING", "CONTAINER_LAUNCHED", "RUNNING Monitor"},
	{"SCHEDULED RUNNING RELAUNCHING KILLING", "CONTAINER_EXITED_WITH_FAILURE", "EXITED_WITH_FAILURE CleanUpResources"},
	{"SCHEDULED RUNNING RELAUNCHING", "KILL_CONTAINER", "KILLING KillProcess"},
	{"RUNNING KILLING", "CONTAINER_EXITED_WITH_SUCCESS", "EXITED_WITH_SUCCESS CleanUpResources"},
	{"RUNNING", "CONTAINER_KILLED_ON_REQUEST", "EXITED_WITH_FAILURE CleanUpResources"},
	{"KILLING", "CONTAINER_KILLED_ON_REQUEST", "CONTAINER_CLEANEDUP_AFTER_KILL CleanUpResources"},
	// No news.
	{"LOCALIZATION_FAILED", "RESOURCE_LOCALIZED RESOURCE_FAILED KILL_CONTAINER", "same"},
	{"KILLING", "RESOURCE_LOCALIZED RESOURCE_FAILED CONTAINER_LAUNCHED KILL_CONTAINER", "same"},
	{"EXITED_WITH_SUCCESS EXITED_WITH_FAILURE CONTAINER_CLEANEDUP_AFTER_KILL", "KILL_CONTAINER", "same"},
	{"DONE", "INIT_CONTAINER KILL_CONTAINER RESOURCE_LOCALIZED RESOURCE_FAILED", "same"},
}

func TestEveryEventInEveryStateOfAContainer(t *testing.T) {
	checkTable(t, containerRows, containerStates, containerEvents,
		func(s int) string { return ContainerState(s).String() }, func(e int) string { return ContainerEventKind(e).String() },
		func(s, e int) (Container, Container, string, []Action, error) {
			before := NewContainer([]string{"a", "b"}, Retry{})
			before.State = ContainerState(s)
			after, actions, err := before.Next(ContainerEvent{Kind: ContainerEventKind(e), Resource: "a", ExitStatus: 7, Diagnostics: "why"})
			return before, after, after.State.String(), actions, err
		})
}

// drive sends events and returns where they led.
func drive(t *testing.T, c Container, events ...ContainerEvent) (Container, []Action) {
	t.Helper()
	var actions []Action
	for _, e := range events {
		var err error
		if c, actions, err = c.Next(e); err != nil {
			t.Fatal(err)
		}
	}
	return c, actions
}

func TestAContainerIsLaunchedAfterItsLastResource(t *testing.T) {
	c, actions := drive(t, NewContainer([]string{"a", "b"}, Retry{}), ContainerEvent{Kind: InitContainer},
		ContainerEvent{Kind: ResourceLocalized, Resource: "b"}, ContainerEvent{Kind: ResourceLocalized, Resource: "b"})
	if c.State != Localizing || !slices.Equal(c.Missing, []string{"a"}) || actions != nil {
		t.Errorf("%+v %v", c, actions)
	}
	c, actions = drive(t, c, ContainerEvent{Kind: ResourceLocalized, Resource: "a"})
	if c.State != Scheduled || !slices.Equal(actions, []Action{Launch}) {
		t.Errorf("%+v %v", c, actions)
	}
}

func TestAContainerWithoutResourcesIsScheduledAtOnce(t *testing.T) {
	c, actions := drive(t, NewContainer(nil, Retry{}), ContainerEvent{Kind: InitContainer})
	if c.State != Scheduled || !slices.Equal(actions, []Action{Launch}) {
		t.Errorf("%+v %v", c, actions)
	}
}

func running(t *testing.T, r Retry) Container {
	c, _ := drive(t, NewContainer(nil, r), ContainerEvent{Kind: InitContainer}, ContainerEvent{Kind: ContainerLaunched})
	return c
}

// The status that a kill gives is the container's, unless its process ends by itself meanwhile.
func TestExitStatuses(t *testing.T) {
	stop := ContainerEvent{Kind: KillContainer, ExitStatus: -105, Diagnostics: "stopped. "}
	for name, tt := range map[string]struct {
		events []ContainerEvent
		status int32
		text   string
	}{
		"success":            {[]ContainerEvent{{Kind: ExitedSuccess}}, 0, ""},
		"failure":            {[]ContainerEvent{{Kind: ExitedFailure, ExitStatus: 3, Diagnostics: "bad"}}, 3, "bad"},
		"by a signal":        {[]ContainerEvent{{Kind: KilledOnRequest, ExitStatus: 137, Diagnostics: "sig"}}, 137, "sig"},
		"stopped":            {[]ContainerEvent{stop, {Kind: KilledOnRequest, ExitStatus: 143, Diagnostics: "sig"}}, -105, "stopped. sig"},
		"stopped, but ended": {[]ContainerEvent{stop, {Kind: ExitedSuccess}}, 0, "stopped. "},
		"stopped, but bad":   {[]ContainerEvent{stop, {Kind: ExitedFailure, ExitStatus: 1}}, 1, "stopped. "},
		"stopped twice":      {[]ContainerEvent{stop, {Kind: KillContainer, ExitStatus: -107}, {Kind: KilledOnRequest, ExitStatus: 143}}, -105, "stopped. "},
	} {
		c, _ := drive(t, running(t, Retry{}), tt.events...)
		if c.ExitStatus != tt.status || c.Diagnostics != tt.text {
			t.Errorf("%s: %d %q, want %d %q", name, c.ExitStatus, c.Diagnostics, tt.status, tt.text)
		}
	}
	c, _ := drive(t, NewContainer([]string{"a"}, Retry{}), ContainerEvent{Kind: InitContainer}, ContainerEvent{Kind: ResourceFailed, Diagnostics: "gone"})
	if c.ExitStatus != -1000 || c.Diagnostics != "gone" {
		t.Errorf("localization: %+v", c)
	}
}

func TestRetries(t *testing.T) {
	fail := ContainerEvent{Kind: ExitedFailure, ExitStatus: 3}
	for name, tt := range map[string]struct {
		retry Retry
		times int
	}{
		"never":             {Retry{Left: 5, Codes: []int32{3}}, 0},
		"all":               {Retry{Policy: RetryOnAllErrors, Left: 2}, 2},
		"for ever":          {Retry{Policy: RetryOnAllErrors, Left: retryForEver}, 10},
		"the right code":    {Retry{Policy: RetryOnSpecificErrorCodes, Codes: []int32{1, 3}, Left: 1}, 1},
		"another code":      {Retry{Policy: RetryOnSpecificErrorCodes, Codes: []int32{1}, Left: 1}, 0},
		"none are left":     {Retry{Policy: RetryOnAllErrors}, 0},
		"an unknown policy": {Retry{Policy: 9, Left: 3}, 0},
	} {
		c := running(t, tt.retry)
		for i := range tt.times {
			var actions []Action
			if c, actions = drive(t, c, fail); c.State != Relaunching || !slices.Equal(actions, []Action{Launch}) {
				t.Fatalf("%s: failure %d: %+v %v", name, i, c, actions)
			}
			c, _ = drive(t, c, ContainerEvent{Kind: ContainerLaunched})
		}
		if tt.times == 10 {
			if c.Retry.Left != retryForEver {
				t.Errorf("%s: %d are left", name, c.Retry.Left)
			}
			continue
		}
		if c, _ = drive(t, c, fail); c.State != ExitedWithFailure || c.ExitStatus != 3 {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// A process that never ran, or whose end is wanted, is not started again, and takes no retry; one that fails as it is started
// again takes the next.
func TestOnlyAProcessThatRanIsStartedAgain(t *testing.T) {
	fail := ContainerEvent{Kind: ExitedFailure, ExitStatus: 3}
	retry := Retry{Policy: RetryOnAllErrors, Left: 2}
	never, _ := drive(t, NewContainer(nil, retry), ContainerEvent{Kind: InitContainer}, fail)
	wanted, _ := drive(t, running(t, retry), ContainerEvent{Kind: KillContainer, ExitStatus: -105}, fail)
	for _, c := range []Container{never, wanted} {
		if c.State != ExitedWithFailure || c.ExitStatus != 3 || c.Retry.Left != 2 {
			t.Errorf("%+v", c)
		}
	}
	again, actions := drive(t, running(t, retry), fail, fail)
	if again.State != Relaunching || again.Retry.Left != 0 || !slices.Equal(actions, []Action{Launch}) {
		t.Errorf("%+v %v", again, actions)
	}
	if again, _ = drive(t, again, fail); again.State != ExitedWithFailure || again.ExitStatus != 3 {
		t.Errorf("%+v", again)
	}
}
