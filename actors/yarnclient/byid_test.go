package yarnclient

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func TestKill(t *testing.T) {
	running := []*yarn.ApplicationReport{state(yarn.YarnApplicationState_RUNNING)}
	k := start(t, Config{Kill: appText}, &manager{reports: running, kills: 2})
	k.exitsBecause(0, 400*time.Millisecond, "the application is killed")
	if want := []string{"0s GetApplicationReport", "0s KillApplication", "200ms KillApplication", "400ms KillApplication"}; !slices.Equal(k.got, want) {
		t.Errorf("%q", k.got)
	}
	if want := "killed by a client"; k.why[0] != want {
		t.Errorf("%q", k.why)
	}
	if want := "info    Killed application " + appText + "\n"; !strings.Contains(k.lines(), want) {
		t.Error(k.lines())
	}
	k = start(t, Config{Kill: appText}, &manager{reports: []*yarn.ApplicationReport{succeeded}})
	k.exitsBecause(0, 0, "the application had ended")
	if want := "info    Application " + appText + " has already finished (state: FINISHED)\n"; !strings.Contains(k.lines(), want) {
		t.Error(k.lines())
	}
}

// The ResourceManager's answer is slow: a second ask for the end is not made meanwhile.
func TestOneKillIsOutAtATime(t *testing.T) {
	m := &manager{reports: []*yarn.ApplicationReport{state(yarn.YarnApplicationState_RUNNING)}, kills: 1}
	k := start(t, Config{Kill: appText}, m)
	m.asks = func() { k.w.Delay("RM", "Client", 500*time.Millisecond) }
	k.exits(0, 1600*time.Millisecond, "Killed application")
	if want := []string{"0s GetApplicationReport", "500ms KillApplication", "1.1s KillApplication"}; !slices.Equal(k.got, want) {
		t.Errorf("%q", k.got)
	}
}

// What the ResourceManager says of an application that it does not know is put in words; other errors are its own.
func TestAnIDThatIsNotKnown(t *testing.T) {
	running := []*yarn.ApplicationReport{state(yarn.YarnApplicationState_RUNNING)}
	unknown := "the ResourceManager at 10.0.0.1:7077 knows no application " + appText + ": it ended long ago, or another ResourceManager has it"
	start(t, Config{Kill: appText}, &manager{unknown: true}).exitsBecause(1, 0, unknown)
	start(t, Config{Status: appText}, &manager{unknown: true}).exitsBecause(1, 0, unknown)
	start(t, Config{Kill: appText}, &manager{reports: running, immune: exceptions.ApplicationNotFound}).exitsBecause(1, 0, unknown)
	start(t, Config{Kill: appText}, &manager{reports: running, immune: rpcenv.NewRefusal("x.acl", "ann may not")}).exitsBecause(1, 0, "ann may not")
	start(t, Config{Status: "application_1"}, &manager{}).exitsBecause(1, 0, `"application_1" is no application id: want one like `+appText)
}

func TestStatus(t *testing.T) {
	k := start(t, Config{Status: appText}, &manager{reports: []*yarn.ApplicationReport{state(yarn.YarnApplicationState_RUNNING)}})
	k.exits(0, 0, "Application report for "+appText+" (state: RUNNING)\n  diagnostics: N/A\n")
	k.exitsBecause(0, 0, "the state of the application is known")
}

// A client hears from the ResourceManager by answers alone.
func TestAClientIsAskedNothing(t *testing.T) {
	k := start(t, Config{Submit: client()}, &manager{most: 8192, reports: []*yarn.ApplicationReport{state(yarn.YarnApplicationState_ACCEPTED)}})
	_, err := rpctest.Ask[*yarn.GetNewApplicationResponse](k.w.ProbeIn(k.env, "Other"), k.ref, &yarn.GetNewApplicationRequest{})
	if !errors.Is(err, rpcenv.ErrRefusedUnsupported) {
		t.Error(err)
	}
}
