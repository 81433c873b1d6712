package appclient

import (
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// lines are the log's lines that begin with a text.
func (k *kit) lines(prefix string) (out []string) {
	for _, e := range k.said.AllEntries() {
		if strings.HasPrefix(e.Message, prefix) {
			out = append(out, strings.ReplaceAll(e.Message, appID, "$app"))
		}
	}
	return out
}

// silent checks that Master and listener got nothing but what the test has looked at, and get nothing for a while.
func (k *kit) silent(d time.Duration, probes ...*rpctest.Probe) {
	k.t.Helper()
	k.w.Advance(d)
	for _, p := range append(probes, k.listener) {
		if got := p.Waiting(); len(got) != 0 {
			k.t.Errorf("%s in %s heard %T %v", p.Ref.Name, p.Env.Name(), got[0], got)
		}
	}
}

func TestAClientThatIsNotRegisteredUnregistersNothing(t *testing.T) {
	k := newKit(t)
	k.start()
	next[*deploy.RegisterApplication](k, k.master)
	if ok, err := rpctest.Ask[*rpc.Bool](k.listener, k.client, StopAppClient{}); err != nil || !ok.GetValue() {
		t.Error(ok, err)
	}
	k.silent(time.Minute, k.master)
	for _, e := range k.w.Trace().Entries {
		if strings.HasSuffix(e.Type, "UnregisterApplication") {
			t.Errorf("%s to %s", e.Type, e.To)
		}
	}
}

// What is in the inbox already is handled after the stop, and changes nothing.
func TestAStoppedClientDoesNothingMore(t *testing.T) {
	k := newKit(t)
	k.join()
	second := k.w.ProbeIn(k.w.Env("M2", nil), "Master")
	k.listener.Do(func(c *rpcenv.Context) {
		rpcenv.Ask(c, k.client, StopAppClient{}, func(*rpc.Bool, error) {})
		c.Send(k.client, &deploy.MasterChanged{Master: second.Ref.Proto()})
		c.Send(k.client, RegisterWithMaster{})
		c.Send(k.client, &deploy.RegisteredApplication{AppId: "app-2", Master: second.Ref.Proto()})
	})
	next[*deploy.UnregisterApplication](k, k.master)
	if m := next[*deploy.UnregisterApplication](k, second); m.GetAppId() != "app-2" {
		t.Errorf("unregistered %v", m)
	}
	k.silent(time.Minute, k.master, second)
	if got := k.lines("Connecting to master"); len(got) != 1 {
		t.Errorf("logged %q", got)
	}
}

// What comes while the client is busy is in its inbox already when it stops.
func (k *kit) whileBusy(then ...func()) {
	k.t.Helper()
	k.w.Cost("Driver/"+Name, "WorkerRemoved", time.Second)
	k.master.Send(k.client, &deploy.WorkerRemoved{Id: "w"})
	k.w.Advance(100 * time.Millisecond)
	for _, f := range then {
		f()
		k.w.Advance(100 * time.Millisecond)
	}
	k.hears(WorkerRemoved{ID: "w"})
}

func TestARemovedApplicationMissesNoMaster(t *testing.T) {
	k := newKit(t)
	k.join()
	k.whileBusy(func() { k.master.Send(k.client, &deploy.ApplicationRemoved{Message: "KILLED"}) }, k.w.Find("M").Kill)
	k.hears(Dead{Reason: "Master removed our application: KILLED"})
	k.silent(time.Minute)
}

func TestAnswersOfLookUpsThatAreOverRegisterNothing(t *testing.T) {
	for tries, want := range map[int]int{3: 1, 4: 0} { // no fourth try: the client has given up
		k := newKit(t)
		k.listener.Send(k.master.Ref, &rpc.Bool{}) // opens the connection
		k.master.Next()
		k.w.Find("M").Pause()
		k.start()
		k.w.Advance(time.Duration(tries)*20*time.Second - 10*time.Second)
		k.w.Find("M").Resume()
		k.w.Advance(time.Second)
		if n := len(k.master.Waiting()); n != want {
			t.Errorf("in try %d: the Master got %v", tries, k.master.Waiting())
		}
	}
	k := newKit(t)
	late := k.w.ProbeIn(k.w.Env("M2", nil), "Master")
	k.w.Find("M2").Pause()
	k.start(k.master.Env.Address(), late.Env.Address())
	next[*deploy.RegisterApplication](k, k.master)
	k.register(appID, 0)
	k.hears(Connected{AppID: appID})
	k.w.Find("M2").Resume()
	k.silent(time.Second, late)
}

// So does one that is silent.
func TestAMasterThatIsSilentHasTheWholeTry(t *testing.T) {
	k := newKit(t)
	k.w.Find("M").Pause()
	k.start()
	for tries, wait := range []time.Duration{19 * time.Second, 2 * time.Second} {
		k.w.Advance(wait)
		if got := k.lines("Connecting to master"); len(got) != tries+1 {
			t.Errorf("%s later: %q", wait, got)
		}
	}
}

// The try that was refused has no end of its own any more.
func TestATryAfterARefusalHasItsWholeTime(t *testing.T) {
	k := newKit(t)
	k.master = k.w.Probe("Master")
	k.master.Crash()
	k.start()
	k.w.Advance(500 * time.Millisecond)
	k.master.Restart()
	k.w.Advance(20 * time.Second)
	next[*deploy.RegisterApplication](k, k.master)
	k.silent(0, k.master)
	k.w.Advance(time.Second)
	next[*deploy.RegisterApplication](k, k.master)
}

// A Master may say that another reference is its own; one that does not say so is the sender.
func TestWhoTheMasterIs(t *testing.T) {
	for _, named := range []bool{false, true} {
		k := newKit(t)
		sender, other, third := k.master, k.w.ProbeIn(k.w.Env("M2", nil), "Master"), k.w.ProbeIn(k.w.Env("M3", nil), "Master")
		registered, changed := &deploy.RegisteredApplication{AppId: appID}, &deploy.MasterChanged{}
		want, wantNew := sender, other
		if named {
			registered.Master, changed.Master = other.Ref.Proto(), third.Ref.Proto()
			want, wantNew = other, third
		}
		k.start()
		next[*deploy.RegisterApplication](k, k.master)
		sender.Send(k.client, registered)
		k.hears(Connected{AppID: appID})
		k.listener.Ask(k.client, RequestExecutors{Totals: []*deploy.ProfileTarget{{Total: 1}}})
		next[*deploy.RequestExecutors](k, want)
		other.Send(k.client, changed)
		if m := next[*deploy.RequestExecutors](k, wantNew); m.GetAppId() != appID {
			t.Errorf("the new Master was asked %v", m)
		}
		next[*deploy.MasterChangeAcknowledged](k, wantNew)
	}
}
