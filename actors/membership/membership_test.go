package membership_test

import (
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// byHand is a Discovery whose news a test makes.
type byHand struct {
	notify  func(rpcenv.Message)
	stopped bool
}

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
		membership.MemberSuspected{Member: a}, // unknown
		membership.MemberJoined{Member: a},
		membership.MemberJoined{Member: a},
		membership.MemberSuspected{Member: a},
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
		membership.MemberSuspected{Member: a},
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
