package worker

import (
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// registrations are the RegisterWorkers that a Master got and that Next has not given out; they are given out now.
func registrations(p *rpctest.Probe) (n int) {
	for range p.Waiting() {
		if _, ok := p.Next().(*deploy.RegisterWorker); ok {
			n++
		}
	}
	return n
}

// tries checks how often each Master was asked to register this Worker since the last time.
func (k *kit) tries(when string, want ...int) {
	k.t.Helper()
	var got []int
	for _, p := range k.masters {
		got = append(got, registrations(p))
	}
	if !slices.Equal(got, want) {
		k.t.Errorf("%s: the Masters were asked %v times, want %v", when, got, want)
	}
}

// another is a further Master, in an Env of its own.
func (k *kit) another(name string) *rpctest.Probe {
	k.t.Helper()
	p := k.w.ProbeIn(k.w.Env(name, nil), "Master")
	k.masters = append(k.masters, p)
	return p
}

// retryEach is the interval of the retries, which was drawn.
func (k *kit) retryEach() time.Duration { return k.made.reg.initial }

// far keeps the retries at the short interval.
var far = map[string]string{"spark.worker.initialRegistrationRetries": "100", "spark.worker.maxRegistrationRetries": "200"}

// A look-up may take longer than the retries' interval.
func TestALateAnswerOfAMasterRegistersOnce(t *testing.T) {
	k := newKit(t)
	k.masters = []*rpctest.Probe{k.master}
	k.join(Config{}, far)
	k.master.Send(k.worker, &deploy.ReconnectWorker{MasterUrl: k.url()})
	k.w.Find("M").Pause()
	k.w.Advance(3*k.retryEach() + time.Second)
	k.w.Find("M").Resume()
	k.w.Advance(time.Second)
	k.tries("after three retries", 1)
}

func TestALateAnswerOfAnotherMasterRegistersNothing(t *testing.T) {
	k := newKit(t)
	other := k.another("M2")
	k.w.Find("M2").Pause()
	k.start(Config{Masters: []rpcenv.Address{k.master.Env.Address(), other.Env.Address()}}, nil)
	k.accept(false)
	k.w.Find("M2").Resume()
	k.w.Advance(time.Second)
	k.tries("registered elsewhere", 0)
}

func TestAMasterIsTriedOnceThoughItIsNamedTwice(t *testing.T) {
	k := newKit(t)
	k.masters = []*rpctest.Probe{k.master}
	k.start(Config{Masters: []rpcenv.Address{k.master.Env.Address()}, Membership: true}, far)
	p := k.w.ProbeIn(k.env, "Membership")
	for range 2 {
		p.Send(k.worker, membership.MemberJoined{Member: asMaster(k.master.Env.Address())})
	}
	k.w.Advance(time.Second)
	k.tries("at the start", 1)
	k.w.Advance(k.retryEach())
	k.tries("by a retry", 1)
}

func TestWhichMastersThatComeUpAreTried(t *testing.T) {
	k := newKit(t)
	k.masters = []*rpctest.Probe{k.master}
	other, node := k.another("M2"), k.another("N")
	k.start(Config{Masters: []rpcenv.Address{k.master.Env.Address()}, Membership: true}, far)
	p := k.w.ProbeIn(k.env, "Membership")
	k.w.Advance(time.Second)
	k.tries("at the start", 1, 0, 0)
	p.Send(k.worker, membership.MemberJoined{Member: membership.Member{Name: "n", Role: "worker", RPC: node.Env.Address()}})
	p.Send(k.worker, membership.MemberJoined{Member: asMaster(other.Env.Address())})
	k.w.Settle()
	k.tries("it came up", 0, 1, 0)
	p.Send(k.worker, membership.MemberLeft{Member: asMaster(other.Env.Address())})
	k.w.Advance(k.retryEach())
	k.tries("it is gone", 1, 0, 0)
	p.Send(k.worker, membership.MemberJoined{Member: asMaster(other.Env.Address())})
	k.w.Settle()
	k.tries("it is back", 0, 1, 0)
	k.master.Send(k.worker, k.registered(false, 0))
	k.w.Settle()
	p.Send(k.worker, membership.MemberLeft{Member: asMaster(other.Env.Address())})
	p.Send(k.worker, membership.MemberJoined{Member: asMaster(other.Env.Address())})
	k.w.Advance(time.Minute)
	k.tries("registered", 0, 0, 0)
	other.Send(k.worker, &deploy.MasterChanged{Master: other.Ref.Proto()})
	third := k.another("M3")
	p.Send(k.worker, membership.MemberJoined{Member: asMaster(third.Env.Address())})
	k.w.Settle()
	k.tries("a leader called", 0, 0, 0, 0)
}

// A retry goes to the known Master alone, unless it has left, does not lead or cannot be reached.
func TestAMasterThatNobodyKnowsOfAnyMoreIsNotTheOnlyOneTried(t *testing.T) {
	silent := rpcenv.Address{Host: "10.9.9.9", Port: 1}
	for _, test := range []struct {
		name string
		cfg  Config
		then func(k *kit, p *rpctest.Probe)
		want []int
	}{
		{"nothing happens", Config{}, func(*kit, *rpctest.Probe) {}, []int{1, 0}},
		{"another is not there", Config{Masters: []rpcenv.Address{silent}}, func(*kit, *rpctest.Probe) {}, []int{1, 0}},
		{"another is in standby", Config{}, func(k *kit, _ *rpctest.Probe) { k.masters[1].Send(k.worker, &deploy.MasterInStandby{}) }, []int{1, 0}},
		{"it is in standby", Config{}, func(k *kit, _ *rpctest.Probe) { k.master.Send(k.worker, &deploy.MasterInStandby{}) }, []int{1, 1}},
		{"it is found", Config{Membership: true}, func(k *kit, p *rpctest.Probe) {
			p.Send(k.worker, membership.MemberJoined{Member: asMaster(k.master.Env.Address())})
		}, []int{1, 0}},
		{"it has left", Config{Membership: true}, func(k *kit, p *rpctest.Probe) {
			p.Send(k.worker, membership.MemberLeft{Member: asMaster(k.master.Env.Address())})
		}, []int{0, 1}},
		{"it is suspected", Config{Membership: true}, func(k *kit, p *rpctest.Probe) {
			p.Send(k.worker, membership.MemberSuspected{Member: asMaster(k.master.Env.Address())})
		}, []int{1, 0}},
		{"it has failed", Config{Membership: true}, func(k *kit, p *rpctest.Probe) {
			p.Send(k.worker, membership.MemberFailed{Member: asMaster(k.master.Env.Address())})
		}, []int{0, 1}},
	} {
		k := newKit(t)
		k.masters = []*rpctest.Probe{k.master}
		other := k.another("M2")
		cfg := test.cfg
		if !cfg.Membership {
			cfg.Masters = append([]rpcenv.Address{k.master.Env.Address(), other.Env.Address()}, cfg.Masters...)
		}
		k.start(cfg, far)
		p := k.w.ProbeIn(k.env, "Membership")
		if cfg.Membership {
			p.Send(k.worker, membership.MemberJoined{Member: asMaster(k.master.Env.Address())})
			p.Send(k.worker, membership.MemberJoined{Member: asMaster(other.Env.Address())})
		}
		k.accept(false)
		k.master.Send(k.worker, &deploy.ReconnectWorker{MasterUrl: k.url()})
		k.w.Advance(time.Second)
		k.tries(test.name+": at once", 1, 2)
		test.then(k, p)
		k.w.Advance(k.retryEach())
		k.tries(test.name+": by a retry", test.want...)
	}
}

// Whom the look-up does not find may lead no more; when it is back it may be asked alone again.
func TestAMasterThatIsBackIsAskedAloneAgain(t *testing.T) {
	k := newKit(t)
	k.w.Latency(time.Millisecond, time.Millisecond) // the answers come in the order of the Masters
	other := k.another("M2")
	k.start(Config{Masters: []rpcenv.Address{k.master.Env.Address(), other.Env.Address(), {Host: "10.9.9.9", Port: 1}}}, far)
	k.accept(false)
	k.w.Find("M").Kill()
	k.w.Advance(time.Second) // so that each look is a second after its retry
	k.tries("it is dead", 2)
	k.w.Advance(k.retryEach())
	k.tries("it is still dead", 1)
	k.restartMaster()
	k.w.Advance(k.retryEach())
	k.tries("it is back", 1)
	k.w.Advance(k.retryEach())
	k.tries("it was found", 0)
}

func TestAMasterThatDoesNotSayWhoItIsIsTheSender(t *testing.T) {
	k := newKit(t)
	k.start(Config{}, nil)
	next[*deploy.RegisterWorker](k)
	k.master.Send(k.worker, &deploy.RegisteredWorker{})
	next[*deploy.WorkerLatestState](k)
	if s := k.state(); s.GetMasterUrl() != k.url() || len(k.lines("Duplicate")) != 0 {
		t.Errorf("state %v", s)
	}
	k.master.Send(k.worker, k.registered(true, 0))
	k.w.Settle()
	if got := k.lines("Duplicate"); !slices.Equal(got, []string{"Duplicate registration at master " + k.master.Env.Address().String()}) {
		t.Errorf("logged %q", got)
	}
}

// A leader may know the Worker from its records before the Worker finds it.
func TestAMasterThatCallsFirstIsTheWorkers(t *testing.T) {
	k := newKit(t)
	k.masters = []*rpctest.Probe{k.master}
	k.start(Config{}, map[string]string{"spark.worker.preferConfiguredMasterAddress": "true"})
	k.w.Settle()
	k.tries("at the start", 1)
	k.master.Send(k.worker, &deploy.MasterChanged{Master: k.master.Ref.Proto()})
	k.w.Settle()
	if s := k.state(); !s.GetRegistered() || !s.GetConnected() || k.beats != 1 {
		t.Errorf("state %v, %d heartbeats", s, k.beats)
	}
	// It was not configured by an address, so it is sought where it says it is.
	k.master.Send(k.worker, &deploy.ReconnectWorker{MasterUrl: k.url()})
	k.w.Advance(time.Second)
	k.tries("at once", 1)
	k.w.Advance(k.retryEach())
	k.tries("by a retry", 1)
}

// A Master has the address by which it was configured and the one that it says; the end of either connection is its loss.
func TestTheLossOfEitherAddressOfTheMasterIsItsLoss(t *testing.T) {
	for host, lost := range map[string]bool{"M": true, "M2": true, "M3": false} {
		k := newKit(t)
		said, third := k.another("M2"), k.another("M3")
		k.start(Config{}, map[string]string{"spark.worker.preferConfiguredMasterAddress": "true"})
		next[*deploy.RegisterWorker](k)
		third.Send(k.worker, &deploy.MasterInStandby{}) // which opens a connection
		m := k.registered(false, 0)
		m.Master = said.Ref.Proto()
		k.master.Send(k.worker, m)
		k.w.Settle()
		k.w.Find(host).Kill()
		k.w.Settle()
		if s := k.state(); s.GetConnected() == lost || s.GetRegistered() == lost {
			t.Errorf("%s was lost: %v", host, s)
		}
		waits := k.lines("Connection to master failed! Waiting for master to reconnect...")
		for _, left := range []string{"M", "M2"} {
			if h := k.w.Find(left); h != nil {
				h.Kill()
			}
		}
		k.w.Settle()
		if again := k.lines("Connection to master failed!"); len(waits) == 1 != lost || len(again) != 1 {
			t.Errorf("%s was lost: logged %q, in the end %q", host, waits, again)
		}
	}
}

// A Master that said goodbye is no failure. One that came back since, and then is lost, is.
func TestAMasterThatLeftIsNoError(t *testing.T) {
	k := newKit(t)
	k.masters = []*rpctest.Probe{k.master}
	other := k.another("M2")
	k.join(Config{Membership: true, Masters: []rpcenv.Address{k.master.Env.Address(), other.Env.Address()}}, far)
	p := k.w.ProbeIn(k.env, "Membership")
	p.Send(k.worker, membership.MemberJoined{Member: asMaster(k.master.Env.Address())})
	p.Send(k.worker, membership.MemberLeft{Member: asMaster(k.master.Env.Address())})
	for i := range 7 { // other Masters leave too
		p.Send(k.worker, membership.MemberLeft{Member: asMaster(rpcenv.Address{Host: "10.9.9.8", Port: 1 + i})})
	}
	p.Send(k.worker, membership.MemberLeft{Member: membership.Member{Name: "d", Role: "driver", RPC: rpcenv.Address{Host: "10.9.9.9", Port: 1}}})
	k.w.Settle()
	k.w.Find("M").Kill()
	k.w.Settle()
	if failed, left := k.lines("Connection to master failed!"), k.lines("The master has left the cluster."); len(failed) != 0 || len(left) != 1 {
		t.Errorf("after a goodbye: %q %q", failed, left)
	}
	p.Send(k.worker, membership.MemberLeft{Member: asMaster(other.Env.Address())})
	m := k.registered(false, 0)
	m.Master = other.Ref.Proto()
	other.Send(k.worker, m)
	k.w.Settle()
	k.w.Find("M2").Kill()
	k.w.Settle()
	if failed, left := k.lines("Connection to master failed!"), k.lines("The master has left the cluster."); len(failed) != 1 || len(left) != 1 {
		t.Errorf("without one: %q %q", failed, left)
	}
}

func TestHeartbeatsAreAQuarterOfTheTimeoutApart(t *testing.T) {
	k := newKit(t)
	k.w.Latency(time.Millisecond, time.Millisecond)
	k.join(Config{}, map[string]string{"spark.worker.timeout": "10"})
	var at []time.Time
	k.heard = func(*deploy.Heartbeat) { at = append(at, k.w.Now()) }
	k.w.Advance(9 * time.Second)
	for i := 1; i < len(at); i++ {
		if d := at[i].Sub(at[i-1]); d != 2500*time.Millisecond {
			t.Errorf("%s between heartbeats, want 2.5 s", d)
		}
	}
	if len(at) != 4 {
		t.Errorf("heartbeats at %v", at)
	}
}
