package master_test

import (
	"fmt"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace"
)

// A Worker gets the whole description of what it is to start: scripts show of that only that it is there.
func TestADescriptionReachesItsWorkerWhole(t *testing.T) {
	k := newKit(t)
	w, d := k.worker("W1", 2, 2048), k.newDriver("D")
	d.desc.MaxCores, d.desc.Command = proto.Int32(1), wanted(false).Command
	d.register()
	if l := w.launched(); !proto.Equal(l.GetAppDesc(), d.desc) {
		t.Errorf("%v", l)
	}
	k.submit(wanted(true))
	if l := w.launchedDriver(); !proto.Equal(l.GetDriverDesc(), wanted(true)) {
		t.Errorf("%v", l)
	}
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
