package yarnscheduler

import (
	"strconv"
	"testing"

	"github.com/sirupsen/logrus"
	"go.uber.org/goleak"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/rpctest/script"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The scripts are about the endpoint in the process Driver, in which CoarseGrainedScheduler speaks. It says that executor 7 was the
// last. AM and AM2 speak as ApplicationMasters, whose processes do not listen.
func TestProtocol(t *testing.T) {
	script.RunAll(t, func(w *rpctest.World) script.Subject {
		w.NoPanic()
		w.NoDrops()
		driver := w.ProbeIn(w.Env("Driver", nil), "CoarseGrainedScheduler")
		driver.Env.Log().Logger.SetLevel(logrus.DebugLevel)
		driver.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
			switch m := m.(type) {
			case RetrieveLastExecutorID:
				rpcenv.Reply(c, m, LastExecutorID{ID: 7})
			case DecommissionHost: // the forest does not have what is in a Local message
				c.Log().Infof("The executors of host %s are to be decommissioned", m.Host)
			}
			return true
		})
		for _, name := range []string{"AM", "AM2"} {
			w.ProbeIn(w.ClientEnv(name, nil), "YarnAM")
		}
		ref := w.Register(driver.Env, Name, New(driver.Ref))
		return script.Subject{Ref: ref, Verbs: map[string]func(string) (string, error){
			// finish ends the driver with an exit code.
			"finish": func(code string) (string, error) {
				n, err := strconv.Atoi(code)
				driver.Ask(ref, StopBackend{Code: n})
				return "", err
			},
		}}
	})
}

// The reason stands once in the log, whichever of its two places has it.
func TestAReasonIsToldOnce(t *testing.T) {
	for _, m := range []*app.RemoveExecutor{
		{Reason: "why"},
		{Exited: &app.ExecutorExited{Reason: "why"}},
		{Reason: "why", Exited: &app.ExecutorExited{Reason: "why"}},
	} {
		if got := reasonOf(m); got != "why" {
			t.Errorf("%v: %q", m, got)
		}
	}
}
