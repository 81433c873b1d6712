package appclient

import (
	"reflect"
	"testing"

	logtest "github.com/sirupsen/logrus/hooks/test"
	"go.uber.org/goleak"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
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
