package master

import (
	"fmt"
	"slices"
	"testing"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/trace"
)

// A move that the states refuse changes nothing: no state, no message, no line of the trace.
func TestARefusedMoveChangesNothing(t *testing.T) {
	world := rpctest.New(t, 1)
	m := New(Config{})
	peer := world.Probe("P")
	dead := &workerInfo{ID: "dead", Ref: peer.Ref, State: WorkerDead, reason: "gone"}
	unknown := &workerInfo{ID: "unknown", Ref: peer.Ref, State: WorkerUnknown}
	over := &applicationInfo{ID: "over", Driver: peer.Ref, State: ApplicationFinished, endedFor: byItsDriver}
	app := &applicationInfo{ID: "app", Driver: peer.Ref}
	m.apps = append(m.apps, app)
	exited := &executorDesc{App: app, Worker: unknown, State: deploy.ExecutorState_EXITED, reason: "code 1"}
	runs := app.addExecutor(unknown, 1, resourceProfile{})
	unknown.addExecutor(runs)
	failed := &driverInfo{ID: "failed", State: deploy.DriverState_FAILED, reason: "code 2"}
	for name, move := range map[string]func(c *rpcenv.Context) bool{
		"a leader stands by": func(c *rpcenv.Context) bool {
			m.setState(c, RecoveryStandby, "x")
			return m.state != RecoveryAlive
		},
		"the dead live":                    func(c *rpcenv.Context) bool { return m.setWorker(c, dead, WorkerAlive, "x") },
		"the dead die":                     func(c *rpcenv.Context) bool { return m.loseWorker(c, dead, "x") },
		"one not heard of is taken out":    func(c *rpcenv.Context) bool { return m.decommissionWorker(c, unknown) },
		"an application runs after an end": func(c *rpcenv.Context) bool { return m.setApplication(c, over, ApplicationRunning, "x") },
		"an application ends twice": func(c *rpcenv.Context) bool {
			m.removeApplication(c, over, ApplicationFailed, "x")
			return len(m.completed) > 0 || over.endedFor != byItsDriver || !over.Ended.IsZero()
		},
		"an executor runs after its end": func(c *rpcenv.Context) bool { return m.setExecutor(c, exited, deploy.ExecutorState_RUNNING, "x") },
		"an executor ends twice":         func(c *rpcenv.Context) bool { return m.setExecutor(c, exited, deploy.ExecutorState_KILLED, "x") },
		"a driver runs after its end":    func(c *rpcenv.Context) bool { return m.setDriver(c, failed, deploy.DriverState_RUNNING, "x") },
		"a driver ends twice": func(c *rpcenv.Context) bool {
			m.endDriver(c, failed, deploy.DriverState_KILLED, "x", "x")
			return len(m.drivers.completed) > 0 || failed.Exception != "" || !failed.Ended.IsZero()
		},
	} {
		peer.Do(func(c *rpcenv.Context) {
			if move(c) {
				t.Errorf("%s: it is done", name)
			}
		})
	}
	world.Settle()
	got := fmt.Sprintln(dead.State, dead.reason, unknown.State, over.State, exited.State, exited.reason, runs.State, len(app.executors), failed.State, failed.reason)
	if want := "DEAD gone UNKNOWN FINISHED EXITED code 1 LAUNCHING 1 FAILED code 2\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if len(m.failures) > 0 || len(peer.Waiting()) > 0 {
		t.Errorf("failures %v, messages %v", m.failures, peer.Waiting())
	}
	if slices.ContainsFunc(world.Trace().Entries, func(e trace.Entry) bool { return e.K == trace.KindState }) {
		t.Error("the trace has a change of state")
	}
}
