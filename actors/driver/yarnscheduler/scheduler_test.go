package yarnscheduler

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"
	logtest "github.com/sirupsen/logrus/hooks/test"
	"go.uber.org/goleak"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/trace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is the endpoint with a driver and an ApplicationMaster that the test plays.
type rig struct {
	*rpctest.World
	t      *testing.T
	driver *rpctest.Probe // CoarseGrainedScheduler, in the Env of the endpoint
	am     *rpctest.Probe // in client mode: it does not listen
	ref    rpcenv.Ref

	heard []string // by the driver
	asked []string // of the ApplicationMaster
	held  []func() // answers that the ApplicationMaster keeps back
	hold  bool
}

func newRig(t *testing.T) *rig {
	t.Helper()
	w := rpctest.New(t, 1)
	w.NoPanic()
	r := &rig{World: w, t: t, driver: w.ProbeIn(w.Env("Driver", nil), "CoarseGrainedScheduler")}
	r.driver.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		if q, ok := m.(RetrieveLastExecutorID); ok {
			rpcenv.Reply(c, q, LastExecutorID{ID: 7})
			return true
		}
		r.heard = append(r.heard, text(m))
		return true
	})
	r.ref = w.Register(r.driver.Env, Name, New(r.driver.Ref))
	r.am = w.ProbeIn(w.ClientEnv("AM", nil), "YarnAM")
	r.am.On(r.playAM)
	return r
}

// text is a message without the names of its packages.
func text(m rpcenv.Message) string {
	switch m := m.(type) {
	case *app.RemoveExecutor:
		return fmt.Sprintf("remove %s %d %v %s", m.GetExecutorId(), m.GetExited().GetExitCode(), m.GetExited().GetExitCausedByApp(), m.GetExited().GetReason())
	case *app.RequestExecutors:
		total := int32(0)
		for _, p := range m.GetResourceProfileToTotalExecs() {
			total += p.GetTotal()
		}
		return fmt.Sprintf("request %d", total)
	case *app.KillExecutors:
		return fmt.Sprintf("kill %v", m.GetExecutorIds())
	case *app.GetExecutorLossReason:
		return "reason " + m.GetExecutorId()
	case *app.Shutdown:
		return fmt.Sprintf("shutdown %d", m.GetExitCode())
	case DecommissionHost:
		return "decommission " + m.Host
	case ClusterManagerRegistered:
		return "registered"
	}
	return fmt.Sprintf("%T", m)
}

func (r *rig) playAM(c *rpcenv.Context, m rpcenv.Message) bool {
	r.asked = append(r.asked, text(m))
	answer := func(f func()) {
		if r.hold {
			r.held = append(r.held, f)
			return
		}
		f()
	}
	switch q := m.(type) {
	case *app.RequestExecutors:
		call := rpcenv.Defer(c, q)
		answer(func() { call.Reply(&rpc.Bool{Value: true}) })
	case *app.KillExecutors:
		call := rpcenv.Defer(c, q)
		answer(func() { call.Reply(&rpc.Bool{Value: true}) })
	case *app.GetExecutorLossReason:
		call := rpcenv.Defer(c, q)
		answer(func() {
			if q.GetExecutorId() == "9" {
				call.Fail(fmt.Errorf("%w: non-existent", rpcenv.ErrRefused))
				return
			}
			call.Reply(&app.ExecutorExited{ExitCode: 3, ExitCausedByApp: true, Reason: "why"})
		})
	}
	return true
}

// register makes the ApplicationMaster known.
func (r *rig) register() {
	r.t.Helper()
	r.am.Send(r.ref, &app.RegisterClusterManager{Am: r.am.Ref.Proto()})
	r.Settle()
}

func wish(total int32) *app.RequestExecutors {
	return &app.RequestExecutors{ResourceProfileToTotalExecs: []*deploy.ProfileTarget{{Total: total}}}
}

func (r *rig) want(what string, got []string, want ...string) {
	r.t.Helper()
	if !slices.Equal(got, want) {
		r.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// Spec 4.12: without an ApplicationMaster requests and kills are answered false, and a loss has no reason.
func TestWithoutAnApplicationMaster(t *testing.T) {
	r := newRig(t)
	for _, q := range []rpcenv.Asks[*rpc.Bool]{wish(3), &app.KillExecutors{ExecutorIds: []string{"1"}}, StopBackend{}} {
		if got, err := rpctest.Ask[*rpc.Bool](r.driver, r.ref, q); err != nil || got.GetValue() {
			t.Errorf("%T: %v, %v", q, got, err)
		}
	}
	if _, err := rpctest.Ask[*app.ExecutorExited](r.driver, r.ref, &app.GetExecutorLossReason{ExecutorId: "1"}); err == nil || !strings.Contains(err.Error(), "AM is not yet registered.") {
		t.Error(err)
	}
	r.want("the driver heard", r.heard)
	for _, e := range r.Trace().Entries {
		if e.K == trace.KindDrop {
			t.Errorf("sent to nobody: %+v", e)
		}
	}
	if _, err := rpctest.Ask[*rpc.Bool](r.driver, r.ref, &rpc.Bool{}); !errors.Is(err, rpcenv.ErrRefusedUnsupported) {
		t.Error(err)
	}
}

// Spec 4.12: each message of the table with its effect.
func TestWhatPassesBetweenDriverAndApplicationMaster(t *testing.T) {
	r := newRig(t)
	r.register()
	if got, err := rpctest.Ask[*rpc.Bool](r.driver, r.ref, wish(3)); err != nil || !got.GetValue() {
		t.Error(got, err)
	}
	if got, err := rpctest.Ask[*rpc.Bool](r.driver, r.ref, &app.KillExecutors{ExecutorIds: []string{"1", "2"}}); err != nil || !got.GetValue() {
		t.Error(got, err)
	}
	reason, err := rpctest.Ask[*app.ExecutorExited](r.driver, r.ref, &app.GetExecutorLossReason{ExecutorId: "4"})
	if err != nil || reason.GetExitCode() != 3 || !reason.GetExitCausedByApp() || reason.GetReason() != "why" {
		t.Error(reason, err)
	}
	if _, err := rpctest.Ask[*app.ExecutorExited](r.driver, r.ref, &app.GetExecutorLossReason{ExecutorId: "9"}); !errors.Is(err, rpcenv.ErrRefused) {
		t.Error(err)
	}
	last, err := rpctest.Ask[*app.LastAllocatedExecutorId](r.am, r.ref, &app.RetrieveLastAllocatedExecutorId{})
	if err != nil || last.GetId() != 7 {
		t.Error(last, err)
	}
	r.am.Send(r.ref, &app.RemoveExecutor{ExecutorId: "4", Exited: &app.ExecutorExited{ExitCode: 3, Reason: "why"}})
	r.am.Send(r.ref, &app.DecommissionExecutorsOnHost{HostName: "h"})
	r.Settle()
	r.want("the driver heard", r.heard, "registered", "remove 4 3 false why", "decommission h")
	r.want("the ApplicationMaster was asked", r.asked, "request 3", "kill [1 2]", "reason 4", "reason 9")
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

func TestWhatIsToldOfPages(t *testing.T) {
	r := newRig(t)
	r.register()
	log := r.driver.Env.Log().Logger
	log.SetLevel(logrus.DebugLevel)
	said := logtest.NewLocal(log)
	r.am.Send(r.ref, &app.AddWebUIFilter{FilterName: "f"})
	r.am.Send(r.ref, &app.MiscellaneousProcessAdded{ProcessId: "yarn-am", HostPort: "h:7"})
	r.Settle()
	r.want("the driver heard", r.heard, "registered")
	r.want("the log has", messages(said), `No pages to put the filter "f" before`, `The ApplicationMaster is "yarn-am" at "h:7"`)
}

// messages are the lines of a log.
func messages(log *logtest.Hook) []string {
	var out []string
	for _, e := range log.AllEntries() {
		out = append(out, e.Message)
	}
	return out
}

// A reason that is not to be had is a line of the log, but not when the driver itself ends.
func TestALossWithoutAReasonIsLogged(t *testing.T) {
	r := newRig(t)
	r.register()
	said := logtest.NewLocal(r.driver.Env.Log().Logger)
	for _, id := range []string{"4", "9"} { // the ApplicationMaster knows no executor 9
		_, err := rpctest.Ask[*app.ExecutorExited](r.driver, r.ref, &app.GetExecutorLossReason{ExecutorId: id})
		if (err != nil) != (id == "9") {
			t.Error(err)
		}
	}
	const line = "Attempted to get executor loss reason for executor id 9, but got no response. Marking as agent lost."
	r.want("the log has", messages(said), line)
	said.Reset()
	r.hold = true
	r.driver.Do(func(c *rpcenv.Context) {
		rpcenv.Ask(c, r.ref, &app.GetExecutorLossReason{ExecutorId: "4"}, func(*app.ExecutorExited, error) {})
	})
	r.Settle()
	r.driver.Env.Stop(Name)
	r.Settle()
	r.want("the log has at the end", messages(said))
}

// Spec 4.12: when the ApplicationMaster disconnects, the driver has none until the next one registers.
func TestAnApplicationMasterThatIsGone(t *testing.T) {
	r := newRig(t)
	r.register()
	r.am.Env.Shutdown()
	r.Settle()
	if got, err := rpctest.Ask[*rpc.Bool](r.driver, r.ref, wish(3)); err != nil || got.GetValue() {
		t.Error(got, err)
	}
	r.am = r.ProbeIn(r.ClientEnv("AM2", nil), "YarnAM")
	r.am.On(r.playAM)
	r.register()
	if got, err := rpctest.Ask[*rpc.Bool](r.driver, r.ref, wish(2)); err != nil || !got.GetValue() {
		t.Error(got, err)
	}
	r.want("the driver heard", r.heard, "registered", "registered")
	r.want("the ApplicationMaster was asked", r.asked, "request 2")
}

// Spec 4.12: the ApplicationMaster gets the exit code, nothing is wanted any more, and losses are not passed on.
func TestTheEndOfADriver(t *testing.T) {
	r := newRig(t)
	r.register()
	if got, err := rpctest.Ask[*rpc.Bool](r.driver, r.ref, StopBackend{Code: 4}); err != nil || !got.GetValue() {
		t.Error(got, err)
	}
	r.am.Send(r.ref, &app.RemoveExecutor{ExecutorId: "1"})
	r.Settle()
	r.want("the ApplicationMaster got", r.asked, "shutdown 4", "request 0")
	r.want("the driver heard", r.heard, "registered")
}

// An ApplicationMaster that does not say where it is changes nothing.
func TestAnApplicationMasterWithoutAnAddressIsIgnored(t *testing.T) {
	r := newRig(t)
	r.am.Send(r.ref, &app.RegisterClusterManager{})
	r.Settle()
	r.want("the driver heard", r.heard)
}

// A driver whose job is done does not wait for an ApplicationMaster that stands still; that one has the word of the end when it goes on.
func TestAnApplicationMasterThatStandsStillKeepsNoDriverFromItsEnd(t *testing.T) {
	r := newRig(t)
	r.register()
	r.hold = true
	log := logtest.NewLocal(r.driver.Env.Log().Logger)
	began := r.Now()
	got, err := rpctest.Ask[*rpc.Bool](r.driver, r.ref, StopBackend{Code: 0})
	if err != nil || !got.GetValue() || r.Now().Sub(began) != endWait {
		t.Errorf("%v %v after %s", got, err, r.Now().Sub(began))
	}
	if all := log.AllEntries(); len(all) == 0 || !strings.Contains(all[len(all)-1].Message, "The ApplicationMaster does not answer") {
		t.Error("no warning of an ApplicationMaster that does not answer")
	}
	r.want("the ApplicationMaster got", r.asked, "shutdown 0", "request 0")
}
