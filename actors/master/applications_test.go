package master_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace"
)

// Trace 2 and 8 as recorded from real Spark: two executors, a clean end.
func TestAnApplicationFromRegistrationToItsEnd(t *testing.T) {
	k := newKit(t)
	w, idle := k.worker("W1", 2, 2048), k.worker("W2", 2, 256)
	d := k.newDriver("D")
	d.desc.MaxCores = proto.Int32(2)
	d.Send(k.ref, &deploy.RegisterApplication{AppDescription: d.desc, Driver: d.Ref.Proto()})
	id := "app-20260101000000-0000"
	same(t, d.Probe, &deploy.RegisteredApplication{AppId: id, Master: k.ref.Proto()})
	url := k.ref.Address.SparkURL()
	for exec := range int32(2) {
		same(t, w.Probe, &deploy.LaunchExecutor{
			MasterUrl: url, AppId: id, ExecId: &exec, AppDesc: d.desc, Cores: 1, Memory: 512,
		})
		same(t, d.Probe, &deploy.ExecutorAdded{
			Id: &exec, WorkerId: w.reg.GetId(), HostPort: w.Ref.Address.String(), Cores: 1, Memory: 512,
		})
	}
	for exec := range int32(2) {
		w.report(id, exec, deploy.ExecutorState_RUNNING)
		same(t, d.Probe, &deploy.ExecutorUpdated{Id: &exec, State: deploy.ExecutorState_RUNNING})
	}
	if s := k.state(); s.ActiveApps[0].State != master.ApplicationRunning.String() || s.Workers[0].CoresUsed != 2 || s.Workers[0].MemoryUsed != 1024 {
		t.Errorf("%+v", s)
	}
	for range 2 { // a repeated end is one
		d.Send(k.ref, &deploy.UnregisterApplication{AppId: id})
	}
	for exec := range int32(2) {
		same(t, w.Probe, &deploy.KillExecutor{MasterUrl: url, AppId: id, ExecId: &exec})
	}
	for _, p := range []*worker{w, idle} {
		same(t, p.Probe, &deploy.ApplicationFinished{Id: id})
		none(t, p.Probe, time.Second)
	}
	w.report(id, 0, deploy.ExecutorState_KILLED, 143) // unknown by now, and answered true
	none(t, d.Probe, time.Second)
	s := k.state()
	if len(s.ActiveApps) != 0 || len(s.CompletedApps) != 1 || s.CompletedApps[0].State != master.ApplicationFinished.String() || s.Workers[0].CoresUsed != 0 {
		t.Errorf("%+v", s)
	}
}

func TestARepeatedRegistrationGetsTheIDThatTheApplicationHas(t *testing.T) {
	k := newKit(t)
	d := k.driver("D", 1)
	first := d.id
	if d.register(); d.id != first {
		t.Errorf("%s, then %s", first, d.id)
	}
	if s := k.state(); len(s.ActiveApps) != 1 {
		t.Errorf("%+v", s.ActiveApps)
	}
}

func TestADescriptionThatNoExecutorCanSatisfyIsRefused(t *testing.T) {
	k := newKit(t)
	for i, test := range []struct {
		change func(*deploy.ApplicationDescription)
		want   string
	}{
		{func(d *deploy.ApplicationDescription) { d.MemoryPerExecutorMb = 0 }, "spark.executor.memory"},
		{func(d *deploy.ApplicationDescription) { d.CoresPerExecutor = proto.Int32(0) }, "spark.executor.cores"},
		{func(d *deploy.ApplicationDescription) { d.MaxCores = proto.Int32(-1) }, "spark.cores.max"},
		{func(d *deploy.ApplicationDescription) { d.InitialExecutorLimit = proto.Int32(-1) }, "below 0"},
	} {
		d := k.newDriver(fmt.Sprint("D", i))
		test.change(d.desc)
		d.Send(k.ref, &deploy.RegisterApplication{AppDescription: d.desc, Driver: d.Ref.Proto()})
		if r := next[*deploy.ApplicationRemoved](t, d.Probe); !strings.Contains(r.GetMessage(), test.want) {
			t.Errorf("%q does not name %s", r.GetMessage(), test.want)
		}
	}
	d := k.newDriver("none")
	d.Send(k.ref, &deploy.RegisterApplication{Driver: d.Ref.Proto()})
	next[*deploy.ApplicationRemoved](t, d.Probe)
	d.Send(k.ref, &deploy.RegisterApplication{AppDescription: d.desc})
	none(t, d.Probe, time.Second)
}

func TestADriverThatIsGoneEndsItsApplication(t *testing.T) {
	k := newKit(t)
	w, d := k.worker("W1", 2, 2048), k.driver("D", 1)
	w.launched()
	k.Find("D").Kill()
	next[*deploy.KillExecutor](t, w.Probe)
	same(t, w.Probe, &deploy.ApplicationFinished{Id: d.id})
}

// A proxy, or a firewall, has cut the connection: the driver is there and goes on.
func TestADriverThatLostItsConnectionOnlyIsKept(t *testing.T) {
	k := newKit(t)
	w, d := k.worker("W1", 2, 2048), k.driver("D", 1)
	w.launched()
	d.added()
	if err := k.Reset("D", "M", 0); err != nil {
		t.Fatal(err)
	}
	same(t, d.Probe, &deploy.MasterChanged{Master: k.ref.Proto(), MasterWebUiUrl: "http://m:8080"})
	d.acknowledges(1)
	none(t, w.Probe, time.Minute/2)
	if s := k.state(); len(s.ActiveApps) != 1 || len(s.ActiveApps[0].GetExecutors()) != 1 {
		t.Errorf("%v", s)
	}
	// Nobody hears the driver any more: it has ten seconds.
	k.Find("D").Pause()
	if err := k.Reset("D", "M", 0); err != nil {
		t.Fatal(err)
	}
	none(t, w.Probe, 4*time.Second)
	began := k.Now()
	next[*deploy.KillExecutor](t, w.Probe)
	same(t, w.Probe, &deploy.ApplicationFinished{Id: d.id})
	if took := k.Now().Sub(began); took > 7*time.Second {
		t.Errorf("it was waited for for %s more", took)
	}
}

// Another driver at the address of one that the Master asks for is another application.
func TestAnotherDriverAtTheAddressIsAnotherApplication(t *testing.T) {
	k := newKit(t)
	w, d := k.worker("W1", 1, 1024), k.driver("D", 1)
	w.launched()
	old := d.id
	k.tool.Do(func(c *rpcenv.Context) {
		c.Send(k.ref, connectionEvent{peer: d.Ref.Address})
		c.Send(k.ref, &deploy.RegisterApplication{AppDescription: d.desc, Driver: d.Ref.Proto()})
	})
	k.Settle()
	if s := k.state(); len(s.ActiveApps) != 1 || s.ActiveApps[0].GetId() == old || s.CompletedApps[0].GetId() != old {
		t.Errorf("%v", s)
	}
}

func TestApplicationsGetCoresInTheOrderOfTheirRegistration(t *testing.T) {
	k := newKit(t)
	w := k.worker("W1", 2, 4096)
	first, second := k.driver("D1", 2), k.driver("D2", 2)
	for range 2 {
		if l := w.launched(); l.GetAppId() != first.id {
			t.Errorf("launched for %s", l.GetAppId())
		}
	}
	none(t, second.Probe, time.Second)
	if s := k.state(); len(s.ActiveApps) != 2 || len(s.Demands) != 1 || s.Demands[0].AppId != second.id || s.Demands[0].Blockers[0].Filter != "cores" {
		t.Errorf("%+v", s.ActiveApps)
	}
	first.Send(k.ref, &deploy.UnregisterApplication{AppId: first.id})
	second.added()
	second.added()
}

func TestApplicationIDs(t *testing.T) {
	for _, test := range []struct {
		settings []string
		want     []string
	}{
		{nil, []string{"app-20260101000000-0000", "app-20260101000000-0001"}},
		{[]string{"spark.deploy.appIdPattern", "a_%s_%d"}, []string{"a_20260101000000_0", "a_20260101000000_1"}},
		{[]string{"spark.deploy.appIdPattern", "a %s %d"}, []string{"app-20260101000000-0000"}}, // Workers would refuse it
		{[]string{"spark.deploy.appIdPattern", "a-%d"}, []string{"app-20260101000000-0000"}},
		{[]string{"spark.deploy.appIdPattern", "a-%[1]s"}, []string{"a-20260101000000", "a-20260101000000-2", "a-20260101000000-3"}},
		{[]string{"spark.master.useAppNameAsAppId.enabled", "true"}, []string{"myword0", "app-20260101000000-0000"}},
	} {
		k := newKit(t, test.settings...)
		for i, want := range test.want {
			d := k.newDriver(fmt.Sprint("D", i))
			d.desc.Name = "My Word 0"
			if d.register(); d.id != want {
				t.Errorf("%v: %s, want %s", test.settings, d.id, want)
			}
		}
	}
}

// The name of an application that has ended, and is remembered, is given to no other.
func TestANameThatIsTakenIsNotGivenAgain(t *testing.T) {
	k := newKit(t, "spark.master.useAppNameAsAppId.enabled", "true")
	d := k.driver("pi", 1)
	d.Send(k.ref, &deploy.UnregisterApplication{AppId: d.id})
	if e := k.driver("pi", 1); d.id != "pi" || e.id != "app-20260101000000-0000" {
		t.Errorf("%s, then %s", d.id, e.id)
	}
}

// Without room for what has ended nothing is remembered.
func TestNoApplicationIsRemembered(t *testing.T) {
	k := newKit(t, "spark.deploy.retainedApplications", "0")
	d := k.driver("D", 1)
	d.Send(k.ref, &deploy.UnregisterApplication{AppId: d.id})
	d.Send(k.ref, &deploy.UnregisterApplication{AppId: "nobody"})
	if s := k.state(); len(s.CompletedApps) != 0 || len(s.ActiveApps) != 0 {
		t.Errorf("%v", s)
	}
}

// questions are how often the Master asked whether a driver is there.
func (k *kit) questions() (n int) {
	for _, e := range k.Trace().Entries {
		if e.Type == "CheckExistence" && e.K == trace.KindMsg && e.Form == trace.FormAsk {
			n++
		}
	}
	return n
}

// A driver that says nothing has ten seconds, however often the end of its connection is heard; it is asked once.
func TestASilentDriverHasTenSeconds(t *testing.T) {
	k := newKit(t)
	d := k.driver("D", 1)
	k.Find("D").Pause()
	for range 3 {
		k.tool.Send(k.ref, connectionEvent{peer: d.Ref.Address})
	}
	k.Advance(9900 * time.Millisecond)
	if s := k.state(); len(s.ActiveApps) != 1 {
		t.Error("it was given up too early")
	}
	k.Advance(200 * time.Millisecond)
	if s := k.state(); len(s.ActiveApps) != 0 {
		t.Error("it was not given up after ten seconds")
	}
	if n := k.questions(); n != 1 {
		t.Errorf("it was asked %d times", n)
	}
}

// A process that is there and has no such driver any more is no driver.
func TestADriverThatItsProcessDoesNotKnowIsGone(t *testing.T) {
	k := newKit(t)
	d := k.newDriver("D")
	ref := rpcenv.Ref{Address: d.Ref.Address, Name: "Nobody"}
	d.Send(k.ref, &deploy.RegisterApplication{AppDescription: d.desc, Driver: ref.Proto()})
	k.Settle()
	k.tool.Send(k.ref, connectionEvent{peer: d.Ref.Address})
	k.Advance(time.Second)
	if s := k.state(); len(s.ActiveApps) != 0 || len(s.CompletedApps) != 1 {
		t.Errorf("%v", s)
	}
}

func TestCompletedApplicationsAreTrimmedByATenth(t *testing.T) {
	k := newKit(t, "spark.deploy.retainedApplications", "3")
	d := k.newDriver("D")
	for range 5 {
		d.register()
		d.Send(k.ref, &deploy.UnregisterApplication{AppId: d.id})
	}
	s := k.state()
	if len(s.CompletedApps) != 3 || s.CompletedApps[0].Id != "app-20260101000000-0002" {
		t.Errorf("%+v", s.CompletedApps)
	}
}

// A peer in client mode has no address at which the next Master could call it.
func TestAPeerThatNobodyCanCallIsRefused(t *testing.T) {
	k := newKit(t)
	const want = "it has no reference to an endpoint that listens"
	p := k.ProbeIn(k.ClientEnv("C", nil), "C")
	p.Send(k.ref, &deploy.RegisterApplication{AppDescription: k.newDriver("D").desc, Driver: p.Ref.Proto()})
	if r := next[*deploy.ApplicationRemoved](t, p); r.GetMessage() != want {
		t.Errorf("an application: %q", r.GetMessage())
	}
	p.Send(k.ref, &deploy.RegisterWorker{Id: "w", Host: "h", Port: 1, Cores: 1, Memory: 1, Worker: p.Ref.Proto()})
	if r := next[*deploy.RegisterWorkerFailed](t, p); r.GetMessage() != want {
		t.Errorf("a worker: %q", r.GetMessage())
	}
	if s := k.state(); len(s.GetActiveApps())+len(s.GetWorkers()) != 0 {
		t.Errorf("%v", s)
	}
}
