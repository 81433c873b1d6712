package resourcemanager

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/actors/resourcemanager/rmtest"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// kill ends an application and reports whether the end is durable.
func (v *service) kill(app ids.Application, why string) bool {
	v.T.Helper()
	r, err := rpctest.Ask[*yarn.KillApplicationResponse](v.Peer, v.Of, &yarn.KillApplicationRequest{ApplicationId: app.Proto(), Diagnostics: why})
	if err != nil {
		v.T.Fatal(err)
	}
	v.Settle()
	return r.GetIsKillCompleted()
}

// The diagnostics of a killed application have the client's host and words, if known; of many words the first.
func TestWhoKilledAnApplicationIsTold(t *testing.T) {
	const by = "Application application_5_0001 was killed by user"
	long := strings.Repeat("w", 1024)
	for _, is := range []struct{ host, said, want string }{
		{"", "", by},
		{"h", "", by + " at h"},
		{"", "enough", by + " with diagnostic message: enough"},
		{"h", "enough", by + " at h with diagnostic message: enough"},
		{"h", long + "w", by + " at h with diagnostic message: " + long},
	} {
		if got := killDiagnostics(rmtest.App, is.host, is.said); got != is.want {
			t.Errorf("%q\nwant\n%q", got, is.want)
		}
	}
}

// The first kill of an application that has no attempt counts: the scheduler has not accepted it.
func TestTheFirstKillCounts(t *testing.T) {
	v := newService(t, nil)
	v.Scheduler.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		q, ok := m.(scheduler.AppAdded)
		if ok {
			rpcenv.Defer(c, q) // for good
		}
		return ok
	})
	app := v.submit()
	var done []bool
	v.Scheduler.Do(func(c *rpcenv.Context) { // all are there before the first record is written
		for i := range 3 {
			q := &yarn.KillApplicationRequest{ApplicationId: app.Proto(), Diagnostics: fmt.Sprint("kill ", i)}
			rpcenv.Ask(c, v.Of, q, func(r *yarn.KillApplicationResponse, err error) {
				done = append(done, err == nil && r.GetIsKillCompleted())
			})
		}
	})
	v.Settle()
	done = append(done, v.kill(app, "kill 3"))
	if fmt.Sprint(done) != "[false false false true]" {
		t.Errorf("the kills are completed: %v", done)
	}
	a := v.s.byID[app]
	if !strings.HasSuffix(a.diagnostics, " with diagnostic message: kill 0") || a.machine.State != machine.AppKilled {
		t.Errorf("it is %s, %s", a.machine.State, a.diagnostics)
	}
}
