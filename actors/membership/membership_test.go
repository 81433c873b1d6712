package membership_test

import (
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// confOf makes settings of membership.
func confOf(t *testing.T, key, value string) *conf.Conf {
	t.Helper()
	c, err := conf.New(map[string]string{key: value}, membership.Settings)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// byHand is a Discovery whose news a test makes.
type byHand struct {
	notify  func(rpcenv.Message)
	stopped bool
	met     []string
}

func (*byHand) At() string { return "10.0.0.9:7946" }

func (d *byHand) Meet(at string) { d.met = append(d.met, at) }

func (d *byHand) Watch(notify func(rpcenv.Message)) func() {
	d.notify = notify
	return func() { d.stopped = true }
}

// Each endpoint of Notify hears all news in order, and nothing twice; with the endpoint the watch ends.
func TestNewsArePassedOnOnceAndInOrder(t *testing.T) {
	w := rpctest.New(t, 1)
	env := w.Env("M", nil)
	first, second := w.ProbeIn(env, "Master"), w.ProbeIn(env, "Other")
	d := &byHand{}
	w.Register(env, membership.Name, membership.New(membership.Config{
		Discovery: d, Notify: []rpcenv.Ref{first.Ref, second.Ref},
	}))
	w.Settle()
	a := membership.Member{Name: "a/1", Role: membership.RoleMaster, RPC: rpcenv.Address{Host: "10.0.0.9", Port: 1}}
	again := membership.Member{Name: "a/2", Role: a.Role, RPC: a.RPC}
	for _, m := range []rpcenv.Message{
		membership.MemberSuspected{Member: a, By: "b"}, // unknown
		membership.MemberFailed{Member: a},             // unknown
		membership.MemberJoined{Member: a},
		membership.MemberJoined{Member: a},
		membership.MemberRefuted{Member: a}, // not suspected
		membership.MemberSuspected{Member: a, By: "b"},
		membership.MemberSuspected{Member: a, By: "c"},
		membership.MemberJoined{Member: a}, // it is there all the time
		membership.MemberRefuted{Member: a},
		membership.MemberSuspected{Member: a, By: "b"},
		membership.MemberFailed{Member: a},
		membership.MemberLeft{Member: a},
		membership.MemberJoined{Member: again},
		membership.MemberJoined{Member: a},
		membership.MemberLeft{Member: a},
	} {
		d.notify(m)
	}
	w.Settle()
	want := []rpcenv.Message{
		membership.MemberJoined{Member: a},
		membership.MemberSuspected{Member: a, By: "b"},
		membership.MemberSuspected{Member: a, By: "c"},
		membership.MemberRefuted{Member: a},
		membership.MemberSuspected{Member: a, By: "b"},
		membership.MemberFailed{Member: a},
		membership.MemberJoined{Member: again},
		membership.MemberJoined{Member: a},
		membership.MemberLeft{Member: a},
	}
	for _, p := range []*rpctest.Probe{first, second} {
		if got := p.Waiting(); !slices.Equal(got, want) {
			t.Errorf("got  %v\nwant %v", got, want)
		}
	}
	env.Stop(membership.Name)
	w.Settle()
	if !d.stopped {
		t.Error("it still watches")
	}
}

// A member that knows a daemon by its address alone asks it for its gossip, which it meets. It asks again as long as the daemon is
// no member: one that is not there yet, and one that was started again elsewhere. What it knows as a member it does not ask.
func TestADaemonThatIsNoMemberIsAskedForItsGossip(t *testing.T) {
	w := rpctest.New(t, 1)
	late := rpcenv.Address{Host: "10.0.0.2", Port: 7077}
	d := &byHand{}
	w.Register(w.Env("W", nil), membership.Name, membership.New(membership.Config{Discovery: d, Seek: []rpcenv.Address{late}}))
	w.Advance(time.Second)
	if len(d.met) > 0 {
		t.Fatalf("met %q before anybody was there", d.met)
	}
	m := w.Env("M", nil)
	if m.Address() != late {
		t.Fatalf("it is at %s", m.Address())
	}
	w.Register(m, membership.Name, membership.New(membership.Config{Discovery: &byHand{}}))
	w.Advance(10 * time.Second)
	if !slices.Equal(d.met, []string{"10.0.0.9:7946"}) {
		t.Fatalf("met %q", d.met)
	}
	member := membership.Member{Name: "m/1", Role: membership.RoleMaster, RPC: late}
	d.notify(membership.MemberJoined{Member: member})
	w.Advance(time.Minute)
	if len(d.met) != 1 {
		t.Errorf("met %q though it is a member", d.met)
	}
	d.notify(membership.MemberFailed{Member: member})
	w.Advance(10 * time.Second)
	if len(d.met) != 2 {
		t.Errorf("met %q after it was lost", d.met)
	}
}
