package resourcemanager_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/hadoop/token"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager"
	"github.com/coherer/coherer/actors/resourcemanager/rmtest"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// kit is a ResourceManager with Probes around it.
type kit struct {
	*rpctest.World
	t    *testing.T
	env  *rpcenv.Env
	cfg  resourcemanager.Config
	conf *conf.Conf
	tool *rpctest.Probe // a client in an Env of its own

	errors errorsOf // what it logs as one
}

// newKit makes a ResourceManager with settings, given as key, value, key, value.
func newKit(t *testing.T, settings ...string) *kit {
	t.Helper()
	return kitWith(t, resourcemanager.Config{WebUIURL: "http://rm:8088"}, settings...)
}

// kitWith is newKit with a Config.
func kitWith(t *testing.T, cfg resourcemanager.Config, settings ...string) *kit {
	t.Helper()
	if cfg.Keys.AMRM == nil {
		cfg.Keys = keys(t)
	}
	k := &kit{World: rpctest.New(t, 1), t: t, cfg: cfg, conf: rmtest.Conf(t, settings...)}
	t.Cleanup(func() { k.logged() })
	k.tool = k.ProbeIn(k.Env("Client", nil), "YarnClient")
	k.start()
	return k
}

// keys are those of all tests.
func keys(t *testing.T) resourcemanager.Keys {
	t.Helper()
	k, err := resourcemanager.NewKeys(bytes.NewReader(bytes.Repeat([]byte{7}, 3*token.KeySize)))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// logged fails the test unless the ResourceManager logged these errors since the last call, and no other: a panic is one too.
func (k *kit) logged(want ...string) {
	k.t.Helper()
	if got := slices.Compact(k.errors.all); !slices.Equal(got, want) {
		k.t.Errorf("logged as errors:\n%q\nwant\n%q", got, want)
	}
	k.errors.all = nil
}

// start begins a life of the ResourceManager.
func (k *kit) start() {
	k.t.Helper()
	k.env = k.Env("RM", k.conf)
	k.env.Log().Logger.AddHook(&k.errors)
	k.begin()
}

// begin starts the ResourceManager in its Env.
func (k *kit) begin() {
	k.t.Helper()
	if _, err := resourcemanager.Start(k.env, k.cfg); err != nil {
		k.t.Fatal(err)
	}
	k.Settle()
}

func (k *kit) ref(endpoint string) rpcenv.Ref { return k.env.Ref(k.env.Address(), endpoint) }

// ask asks an endpoint and wants an answer.
func ask[R rpcenv.Message](k *kit, p *rpctest.Probe, endpoint string, q rpcenv.Message) R {
	k.t.Helper()
	r, err := rpctest.Ask[R](p, k.ref(endpoint), q)
	if err != nil {
		k.t.Fatalf("%T: %v", q, err)
	}
	return r
}

// submit hands an application in whose ApplicationMaster has 1024 MiB; change may be nil.
func (k *kit) submit(change func(*yarn.ApplicationSubmissionContext)) ids.Application {
	k.t.Helper()
	got := ask[*yarn.GetNewApplicationResponse](k, k.tool, "ClientRMService", &yarn.GetNewApplicationRequest{})
	s := &yarn.ApplicationSubmissionContext{
		ApplicationId: got.GetApplicationId(), ApplicationName: "app", Queue: "default", User: "ada", ApplicationType: "SPARK",
		AmContainerSpec: &yarn.ContainerLaunchContext{Command: []string{"run-am"}}, Resource: &yarn.Resource{Memory: 1024, VirtualCores: 1},
	}
	if change != nil {
		change(s)
	}
	ask[*yarn.SubmitApplicationResponse](k, k.tool, "ClientRMService", &yarn.SubmitApplicationRequest{ApplicationSubmissionContext: s})
	id, err := ids.ApplicationFrom(s.GetApplicationId())
	if err != nil {
		k.t.Fatal(err)
	}
	k.Settle()
	return id
}

// report is how an application is.
func (k *kit) report(app ids.Application) *yarn.ApplicationReport {
	k.t.Helper()
	r := ask[*yarn.GetApplicationReportResponse](k, k.tool, "ClientRMService", &yarn.GetApplicationReportRequest{ApplicationId: app.Proto()})
	return r.GetApplicationReport()
}

// is fails the test unless the application is in a state.
func (k *kit) is(app ids.Application, want yarn.YarnApplicationState) {
	k.t.Helper()
	k.Settle()
	if r := k.report(app); r.GetYarnApplicationState() != want {
		k.t.Fatalf("%s is %s (%s), want %s", app, r.GetYarnApplicationState(), r.GetDiagnostics(), want)
	}
}

// state is all that the ResourceManager knows.
func (k *kit) state() *yarn.ResourceManagerStateResponse {
	k.t.Helper()
	k.Settle()
	return ask[*yarn.ResourceManagerStateResponse](k, k.tool, "ClientRMService", &yarn.RequestResourceManagerState{})
}

// beats lets d pass in which nodes send their heartbeats each second.
func (k *kit) beats(d time.Duration, nodes ...*nodeManager) {
	k.t.Helper()
	for end := k.Now().Add(d); k.Now().Before(end); {
		k.Advance(min(time.Second, end.Sub(k.Now())))
		for _, n := range nodes {
			n.beat()
		}
	}
}

// refused fails the test unless err is one of Hadoop's exceptions and says so and so.
func refused(t *testing.T, err, want error, text string) {
	t.Helper()
	if !errors.Is(err, want) || !strings.Contains(err.Error(), text) {
		t.Errorf("%v; want %v with %q", err, want, text)
	}
}

// lists are a test's include and exclude files.
type lists struct {
	include, exclude []string
	fail             error
}

func (l *lists) Read(*rpcenv.Blocking) (include, exclude []string, err error) {
	return l.include, l.exclude, l.fail
}

// file is a test's fair-scheduler.xml.
type file struct {
	content  string
	modified time.Time
	fail     error
}

func (f *file) Read(*rpcenv.Blocking) ([]byte, time.Time, error) {
	return []byte(f.content), f.modified, f.fail
}

// inQueue makes a submission go to a queue.
func inQueue(name string) func(*yarn.ApplicationSubmissionContext) {
	return func(s *yarn.ApplicationSubmissionContext) { s.Queue = name }
}

// crash lets an ApplicationMaster's container end, and the next attempt get its own.
func (a *appMaster) crash(n *nodeManager, exit int32) {
	a.k.t.Helper()
	n.ends(a.own, exit, "it crashed")
	n.beat()
	n.beat()
	n.beat()
}

func (k *kit) kill(app ids.Application) bool {
	k.t.Helper()
	r := ask[*yarn.KillApplicationResponse](k, k.tool, "ClientRMService", &yarn.KillApplicationRequest{ApplicationId: app.Proto(), Diagnostics: "enough"})
	k.Settle()
	return r.GetIsKillCompleted()
}
