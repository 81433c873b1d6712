package gossip_test

import (
	"testing"

	"github.com/coherer/coherer/cluster/gossip"
)

// Two that have led from the start are two clusters in one gossip, which both say once, also of a third that is elected. That one says nothing: it
// knows its group.
func TestTwoThatLeadAreSaid(t *testing.T) {
	first, second, third := config(gossip.RoleMaster, 1), config(gossip.RoleMaster, 2), config(gossip.RoleMaster, 3)
	first.Meta.Leads, second.Meta.Leads = true, true
	logs := []lines{logged(&first), logged(&second), logged(&third)}
	a := play(t, first)
	second.Join = []string{a.Addr().String()}
	b := play(t, second)
	third.Join = second.Join
	c := play(t, third)
	logs[0].want(t, "the master at 127.0.0.1:2 leads too: these are two clusters in one gossip")
	logs[1].want(t, "the master at 127.0.0.1:1 leads too: these are two clusters in one gossip")
	for _, p := range []*player{a, b} {
		p.wantMembers(a.Name(), b.Name(), c.Name())
	}
	for _, own := range []func(*gossip.Meta){func(own *gossip.Meta) { own.Leads = true }, func(own *gossip.Meta) { own.Load = "some" }} {
		if err := c.Revise(within(t), own); err != nil {
			t.Fatal(err)
		}
		for _, p := range []*player{a, b} {
			for e := <-p.events; e.Kind != gossip.MemberUpdated; {
				e = <-p.events
			}
		}
	}
	for i, want := range []int{1, 1, 0} {
		if len(logs[i]) != want {
			t.Errorf("%d has %d more lines, want %d", i, len(logs[i]), want)
		}
	}
}

// A daemon that a member knows by its address, and that is of another cluster, is said once; one that is not there is not said.
func TestADaemonOfAnotherClusterIsSaid(t *testing.T) {
	other := config(gossip.RoleMaster, 1)
	other.Label = "other"
	stranger, gone := play(t, other), play(t, config(gossip.RoleMaster, 2))
	gone.Close()
	own := config("worker", 3)
	log := logged(&own)
	own.Upkeep = quick
	m := play(t, own)
	m.Meet(gone.Addr().String())
	m.Meet(stranger.Addr().String())
	log.want(t, "this process is no member together with the one at "+stranger.Addr().String())
	friend := play(t, config("worker", 4))
	m.Meet(friend.Addr().String()) // calls go on, to all of them
	friend.wantMembers(m.Name(), friend.Name())
	if len(log) > 0 {
		t.Errorf("one more line: %s", <-log)
	}
}
