package appclient

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	logtest "github.com/sirupsen/logrus/hooks/test"
	"go.uber.org/goleak"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/trace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const appID = "app-20260101000000-0000"

// kit is a driver with a client, its listener, and a Master that the test plays.
type kit struct {
	t        *testing.T
	w        *rpctest.World
	master   *rpctest.Probe
	env      *rpcenv.Env // the driver's
	listener *rpctest.Probe
	client   rpcenv.Ref
	said     *logtest.Hook // what the driver logs
}

func newKit(t *testing.T) *kit {
	k := &kit{t: t, w: rpctest.New(t, 1)}
	k.w.NoPanic()
	k.master = k.w.ProbeIn(k.w.Env("M", nil), "Master")
	k.env = k.w.Env("Driver", nil)
	k.said = logtest.NewLocal(k.env.Log().Logger)
	k.listener = k.w.ProbeIn(k.env, "CoarseGrainedScheduler")
	return k
}

func (k *kit) start(masters ...rpcenv.Address) {
	k.t.Helper()
	if masters == nil {
		masters = []rpcenv.Address{k.master.Env.Address()}
	}
	k.client = k.w.Register(k.env, Name, New(Config{
		Masters: masters, Description: &deploy.ApplicationDescription{Name: "counts"}, Listener: k.listener.Ref,
	}))
}

// join starts the client and registers it.
func (k *kit) join() {
	k.t.Helper()
	k.start()
	next[*deploy.RegisterApplication](k, k.master)
	k.register(appID, 0)
	k.hears(Connected{AppID: appID})
}

func (k *kit) register(id string, term uint64) {
	k.t.Helper()
	k.master.Send(k.client, &deploy.RegisteredApplication{AppId: id, Master: k.master.Ref.Proto(), MasterTerm: term})
}

// hears checks the listener's next message.
func (k *kit) hears(want rpcenv.Message) {
	k.t.Helper()
	if got := k.listener.Next(); !reflect.DeepEqual(got, want) {
		k.t.Errorf("the listener got %#v, want %#v", got, want)
	}
}

// next is a Probe's next message, which must be an M.
func next[M rpcenv.Message](k *kit, p *rpctest.Probe) M {
	k.t.Helper()
	m := p.Next()
	got, ok := m.(M)
	if !ok {
		k.t.Fatalf("got %T %v, want %T", m, m, got)
	}
	return got
}

// The order is that of a recorded Spark 4.1.4.
func TestRegistrationInSparksOrder(t *testing.T) {
	k := newKit(t)
	k.master.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		q, ok := m.(*deploy.RegisterApplication)
		if ok {
			c.Send(c.Ref(q.GetDriver()), &deploy.RegisteredApplication{AppId: appID, Master: c.Self().Proto()})
		}
		return ok
	})
	k.start()
	k.hears(Connected{AppID: appID})
	k.w.Settle()
	_, forest, _ := strings.Cut(trace.Forest(trace.Merge(k.w.Recorder().Records()).Entries, trace.TextOptions{OmitPlace: true}), "Driver.OnStart\n  Driver =>")
	want := ` M endpoint-verifier CheckExistence(name=Master)
    Driver <= M true
      Driver -> M Master RegisterApplication(appDescription={name=counts})
        M -> Driver AppClient RegisteredApplication(appId=` + appID + `)
          Driver -> Driver CoarseGrainedScheduler Connected
`
	if !strings.HasPrefix(forest, want) {
		t.Errorf("got\n%s\nwant\n%s", forest, want)
	}
}

func TestThreeTriesTwentySecondsApart(t *testing.T) {
	k := newKit(t)
	k.start()
	began := k.w.Now()
	for i := range 3 {
		next[*deploy.RegisterApplication](k, k.master)
		if d := k.w.Now().Sub(began).Round(time.Second); d != time.Duration(i)*20*time.Second {
			t.Errorf("try %d after %s", i+1, d)
		}
	}
	k.gaveUp()
	if d := k.w.Now().Sub(began); d != time.Minute {
		t.Errorf("dead after %s, want a minute", d)
	}
	// Too late: the application is given back.
	k.register(appID, 0)
	if m := next[*deploy.UnregisterApplication](k, k.master); m.GetAppId() != appID {
		t.Errorf("unregistered %s", m.GetAppId())
	}
	k.listener.Quiet(time.Minute)
}

func TestRefusedByAllComesAgainAfterASecond(t *testing.T) {
	k := newKit(t)
	k.start(rpcenv.Address{Host: "10.0.0.8", Port: 1}, rpcenv.Address{Host: "10.0.0.9", Port: 1})
	began := k.w.Now()
	k.gaveUp()
	if d := k.w.Now().Sub(began); d < 3*time.Second || d > 4*time.Second {
		t.Errorf("dead after %s, want 3 s", d)
	}
}

func TestRefusedByOneOfTwoWaitsForTheOther(t *testing.T) {
	k := newKit(t)
	k.start(k.master.Env.Address(), rpcenv.Address{Host: "10.0.0.9", Port: 1})
	next[*deploy.RegisterApplication](k, k.master)
	k.master.Quiet(19 * time.Second)
	k.register(appID, 0)
	k.hears(Connected{AppID: appID})
	k.master.Quiet(time.Minute)
}

func TestASecondRegistration(t *testing.T) {
	k := newKit(t)
	k.join()
	k.register(appID, 0)
	k.w.Advance(time.Second)
	if len(k.master.Waiting()) != 0 || len(k.listener.Waiting()) != 0 {
		t.Errorf("a duplicate caused %v %v", k.master.Waiting(), k.listener.Waiting())
	}
	k.register("app-2", 0)
	if m := next[*deploy.UnregisterApplication](k, k.master); m.GetAppId() != "app-2" {
		t.Errorf("unregistered %s", m.GetAppId())
	}
	k.listener.Quiet(time.Second)
}

func TestWhatTheListenerIsTold(t *testing.T) {
	id, status, host, why := int32(3), int32(137), "h", "worker lost"
	removed := ExecutorRemoved{FullID: appID + "/3"}
	failed, lost := removed, removed
	failed.Message, failed.ExitStatus = why, &status
	lost.Message, lost.WorkerHost = why, &host
	tests := []struct {
		name string
		m    rpcenv.Message
		want rpcenv.Message // nil: nothing
	}{
		{
			"added",
			&deploy.ExecutorAdded{Id: &id, WorkerId: "w", HostPort: "h:1", Cores: 2, Memory: 512},
			ExecutorAdded{FullID: appID + "/3", WorkerID: "w", HostPort: "h:1", Cores: 2, MemoryMB: 512},
		},
		{"running", &deploy.ExecutorUpdated{Id: &id, State: deploy.ExecutorState_RUNNING}, nil},
		{"exited", &deploy.ExecutorUpdated{Id: &id, State: deploy.ExecutorState_EXITED, Message: &why, ExitStatus: &status}, failed},
		{"lost", &deploy.ExecutorUpdated{Id: &id, State: deploy.ExecutorState_LOST, Message: &why, WorkerHost: &host}, lost},
		{"killed without a word", &deploy.ExecutorUpdated{Id: &id, State: deploy.ExecutorState_KILLED}, removed},
		{"failed without a word", &deploy.ExecutorUpdated{Id: &id, State: deploy.ExecutorState_FAILED}, removed},
		{
			"decommissioned is not finished",
			&deploy.ExecutorUpdated{Id: &id, State: deploy.ExecutorState_DECOMMISSIONED, Message: &why, WorkerHost: &host},
			ExecutorDecommissioned{FullID: appID + "/3", Message: why, WorkerHost: &host},
		},
		{"worker removed", &deploy.WorkerRemoved{Id: "w", Host: "h", Message: why}, WorkerRemoved{ID: "w", Host: "h", Message: why}},
		{"application removed", &deploy.ApplicationRemoved{Message: "FAILED"}, Dead{Reason: "Master removed our application: FAILED"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			k := newKit(t)
			k.join()
			k.master.Send(k.client, test.m)
			if test.want == nil {
				k.listener.Quiet(time.Second)
				return
			}
			k.hears(test.want)
		})
	}
}

func TestTheLossOfTheMasterIsToldOnce(t *testing.T) {
	k := newKit(t)
	k.join()
	k.w.Find("M").Kill()
	k.hears(Disconnected{})
	k.listener.Quiet(5 * time.Minute)
}

// A Master that was killed and started again without its records never calls: the client asks it, and says so once.
func TestAMasterThatForgotTheApplicationIsTold(t *testing.T) {
	for _, c := range []struct {
		answer    *deploy.Refusals
		forgotten bool
	}{
		{&deploy.Refusals{MasterState: "ALIVE"}, true},
		{&deploy.Refusals{MasterState: "ALIVE", Found: true}, false},
		{&deploy.Refusals{MasterState: "RECOVERING"}, false},
		{&deploy.Refusals{MasterState: "STANDBY"}, false},
	} {
		k, asked := newKit(t), 0
		k.master = k.w.Probe("Master")
		k.join()
		k.master.Crash()
		k.master.Restart()
		k.master.On(func(ctx *rpcenv.Context, m rpcenv.Message) bool {
			q, ok := m.(*deploy.RequestRefusals)
			if ok {
				asked++
				if q.GetAppId() != appID {
					t.Errorf("asked for application %q", q.GetAppId())
				}
				rpcenv.Reply(ctx, q, c.answer)
			}
			return ok
		})
		k.hears(Disconnected{})
		k.w.Advance(time.Minute)
		if !c.forgotten {
			k.silent(time.Minute)
			continue
		}
		m := next[Forgotten](k, k.listener)
		if !strings.Contains(m.Reason, "does not know application "+appID) || !strings.Contains(m.Reason, "submit the application again") {
			t.Error(m)
		}
		k.silent(5 * time.Minute)
		if asked != 1 {
			t.Errorf("asked %d times", asked)
		}
		k.master.Send(k.client, &deploy.MasterChanged{Master: k.master.Ref.Proto()})
		k.hears(Forgotten{})
		k.master.Send(k.client, &deploy.MasterChanged{Master: k.master.Ref.Proto()})
		k.silent(5 * time.Minute)
	}
}

func TestAnEarlierTermIsRefused(t *testing.T) {
	k := newKit(t)
	k.start()
	next[*deploy.RegisterApplication](k, k.master)
	k.register(appID, 5)
	k.hears(Connected{AppID: appID})
	old := k.w.ProbeIn(k.w.Env("Old", nil), "Master")
	old.Send(k.client, &deploy.ApplicationRemoved{MasterTerm: 4})
	old.Send(k.client, &deploy.MasterChanged{Master: old.Ref.Proto(), MasterTerm: 4})
	k.listener.Quiet(time.Second)
	if len(old.Waiting()) != 0 {
		t.Errorf("an old leader was answered %v", old.Waiting())
	}
	k.master.Send(k.client, &deploy.WorkerRemoved{Id: "w"}) // without a term, as Spark's Masters send it
	k.hears(WorkerRemoved{ID: "w"})
}

func TestStopUnregistersAndStops(t *testing.T) {
	k := newKit(t)
	k.join()
	if ok, err := rpctest.Ask[*rpc.Bool](k.listener, k.client, StopAppClient{}); err != nil || !ok.GetValue() {
		t.Fatal(ok, err)
	}
	if m := next[*deploy.UnregisterApplication](k, k.master); m.GetAppId() != appID {
		t.Errorf("unregistered %s", m.GetAppId())
	}
	if _, err := rpctest.Ask[*rpc.Bool](k.listener, k.client, StopAppClient{}); !errors.Is(err, rpcenv.ErrRefused) {
		t.Error("after the stop:", err)
	}
	k.listener.Quiet(time.Minute)
}

func TestKillExecutors(t *testing.T) {
	k := newKit(t)
	k.start()
	q := KillExecutors{IDs: []string{"1", "2"}}
	if ok, err := rpctest.Ask[*rpc.Bool](k.listener, k.client, q); err != nil || ok.GetValue() {
		t.Error("before the registration:", ok, err)
	}
	next[*deploy.RegisterApplication](k, k.master)
	k.register(appID, 0)
	k.hears(Connected{AppID: appID})
	refuse := false
	k.master.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		q, ok := m.(*deploy.KillExecutors)
		switch {
		case !ok:
		case refuse:
			rpcenv.Fail(c, q, errors.New("no"))
		default:
			rpcenv.Reply(c, q, &rpc.Bool{Value: q.GetAppId() == appID && reflect.DeepEqual(q.GetExecutorIds(), []string{"1", "2"})})
		}
		return ok
	})
	if ok, err := rpctest.Ask[*rpc.Bool](k.listener, k.client, q); err != nil || !ok.GetValue() {
		t.Error("the Master's answer:", ok, err)
	}
	refuse = true
	if _, err := rpctest.Ask[*rpc.Bool](k.listener, k.client, q); err == nil {
		t.Error("the Master's failure did not come through")
	}
}

func TestRequestExecutors(t *testing.T) {
	k := newKit(t)
	k.start()
	q := RequestExecutors{Totals: []*deploy.ProfileTarget{{Profile: &deploy.ResourceProfile{Id: 1}, Total: 3}}}
	if ok, err := rpctest.Ask[*rpc.Bool](k.listener, k.client, q); err != nil || ok.GetValue() {
		t.Error("before the registration:", ok, err)
	}
	next[*deploy.RegisterApplication](k, k.master)
	k.register(appID, 0)
	k.hears(Connected{AppID: appID})
	refuse := false
	k.master.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		q, ok := m.(*deploy.RequestExecutors)
		switch {
		case !ok:
		case refuse:
			rpcenv.Fail(c, q, errors.New("no"))
		default:
			rpcenv.Reply(c, q, &rpc.Bool{Value: q.GetAppId() == appID && q.GetTotals()[0].GetTotal() == 3})
		}
		return ok
	})
	if ok, err := rpctest.Ask[*rpc.Bool](k.listener, k.client, q); err != nil || !ok.GetValue() {
		t.Error("the Master's answer:", ok, err)
	}
	refuse = true
	if _, err := rpctest.Ask[*rpc.Bool](k.listener, k.client, q); err == nil {
		t.Error("the Master's failure did not come through")
	}
}

func TestAConfigThatIsNotValidIsDeadAtOnce(t *testing.T) {
	k := newKit(t)
	k.w.Register(k.env, Name, New(Config{Listener: k.listener.Ref}))
	const wrong = "an application needs a Master: name one as spark://HOST:PORT\nan application needs a description"
	k.hears(Dead{Reason: wrong})
	// Nobody else says what is wrong with a client that has no listener.
	nobody := k.w.Env("Nobody", nil)
	said := logtest.NewLocal(nobody.Log().Logger)
	k.w.Register(nobody, Name, New(Config{}))
	k.w.Settle()
	if got := said.LastEntry().Message; len(said.AllEntries()) != 1 || got != wrong+"\nan application's client needs a listener" {
		t.Errorf("logged %q", got)
	}
	if err := (&Config{Masters: make([]rpcenv.Address, 1), Description: &deploy.ApplicationDescription{}, Listener: k.listener.Ref}).Validate(); err != nil {
		t.Error(err)
	}
}

// gaveUp is that the listener hears that no Master answers, and of which.
func (k *kit) gaveUp() {
	k.t.Helper()
	dead := next[Dead](k, k.listener)
	if !strings.HasPrefix(dead.Reason, unresponsive+" Tried spark://10.0.0.") {
		k.t.Errorf("gave up: %q", dead.Reason)
	}
}
