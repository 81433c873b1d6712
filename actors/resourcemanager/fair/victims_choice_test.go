package fair

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/ids"
)

// near asks for one container on a host, relaxed.
func near(host, rack string, gib int64) []Ask {
	var asks []Ask
	for _, place := range []string{host, rack, Any} {
		asks = append(asks, Ask{Key{1, 0}, place, Resource{gib * 1024, 1}, 1, true})
	}
	return asks
}

// An ApplicationMaster near is taken unless fewer are taken far; in Hadoop the first of all nodes that lose the fewest is taken.
func TestAMasterNearIsTakenBeforeOneFar(t *testing.T) {
	for host, other := range map[string]string{"h1": "h2", "h2": "h1"} {
		for _, faults := range []Faults{{}, Upstream()} {
			k := newKit(t, faults, masters, preempting)
			for i, h := range []string{other, host} {
				k.node(h, "r"+h, 1, 1)
				k.wants(k.managed(int32(i+1), "root.a"), 1, 1)
				k.fill()
			}
			k.asks(k.app(3, "root.b"), near(host, "r"+host, 1)...)
			want := "marked 2:1 " + host + ":1"
			if faults == Upstream() && host == "h2" { // h1 is in bucket 10, h2 in 13
				want = "marked 1:1 h1:1"
			}
			same(t, fmt.Sprintf("faults %v, near %s", faults, host), k.Preempt(k.now), want)
		}
	}
}

// An ApplicationMaster near is taken when nothing can be taken far.
func TestAMasterNearIsTakenWhenThereIsNothingFar(t *testing.T) {
	for _, faults := range []Faults{{}, Upstream()} {
		k := newKit(t, faults, masters, preempting)
		k.node("h1", "r1", 1, 1)
		k.wants(k.managed(1, "root.a"), 1, 1)
		k.fill()
		k.node("h2", "r2", 0, 0)
		k.asks(k.app(2, "root.b"), near("h1", "r1", 1)...)
		same(t, fmt.Sprint("faults ", faults), k.Preempt(k.now), "marked 1:1 h1:1")
	}
}

// A node that was of use for one container is looked at for the next one, whatever the nodes behind it have.
func TestANodeIsLookedAtForTheNextContainerToo(t *testing.T) {
	k := newKit(t, Faults{}, masters, preempting)
	k.node("h1", "r", 2, 2)
	for id := range int32(2) {
		k.wants(k.managed(id+1, "root.a"), 1, 1)
		k.fill()
	}
	k.node("h2", "r", 0, 0)
	k.wants(k.app(3, "root.b"), 2, 1)
	same(t, "both", k.Preempt(k.now), "marked 2:1 h1:1", "marked 1:1 h1:1")
}

// Surplus room preempted for one application serves another one: nothing more is preempted.
func TestTheRestOfWhatIsTakenIsRoom(t *testing.T) {
	k := holding(t, Faults{}, masters+`<queue name="c"><fairSharePreemptionTimeout>0</fairSharePreemptionTimeout>
		<fairSharePreemptionThreshold>1</fairSharePreemptionThreshold></queue>`, 4, 4)
	k.node("h2", "r", 2, 2)
	k.wants(attemptOf(1), 1, 2)
	k.fill()
	k.wants(k.app(2, "root.b"), 1, 1)
	same(t, "for the first", k.Preempt(k.now), "marked 1:1 h1:1")
	next := k.app(3, "root.c")
	k.wants(next, 1, 2)
	if same(t, "for the second", k.Preempt(k.now)); !k.nodes.all[0].owes(k.attempts[next]) {
		t.Error("the rest is not kept for it")
	}
}

// On a node that has become smaller than what runs there no container is let go for the rest of another one: there is no rest.
func TestANodeThatIsTooSmallHasNoRest(t *testing.T) {
	k := holding(t, Faults{}, masters, 6, 3, 2, 1)
	k.must(k.UpdateNodeResource(k.now, "h1:1", Resource{4096, 16}))
	k.wants(k.app(2, "root.b"), 2, 1)
	same(t, "for two", k.Preempt(k.now), "marked 1:3 h1:1", "marked 1:2 h1:1")
}

// Where there is room already nothing is taken, on nodes behind it neither, and the room is kept.
func TestRoomIsKeptForWhoStarves(t *testing.T) {
	k := newKit(t, Faults{}, masters, preempting)
	k.node("h1", "r", 2, 2)
	k.must(k.Drain(k.now, "h1:1", true))
	k.node("h2", "r", 2, 2)
	k.wants(k.app(1, "root.a"), 1, 2)
	k.fill()
	k.must(k.Drain(k.now, "h1:1", false))
	b := k.app(2, "root.b")
	k.wants(b, 1, 2)
	if same(t, "taken", k.Preempt(k.now)); !k.nodes.all[0].owes(k.attempts[b]) {
		t.Error("the room is not kept")
	}
}

// Other victims count for an application that has more than its share: of two that have 3 of a share of 2 each loses one.
func TestEachLosesWhatItHasAboveItsShare(t *testing.T) {
	k := newKit(t, Faults{}, `<queue name="a"/><queue name="b"/><queue name="c"><fairSharePreemptionTimeout>0</fairSharePreemptionTimeout>
		<fairSharePreemptionThreshold>1</fairSharePreemptionThreshold></queue>`, preempting)
	k.node("h1", "r", 6, 6)
	for id, queue := range []string{"root.a", "root.b"} {
		k.wants(k.app(int32(id+1), queue), 3, 1)
		k.fill()
	}
	k.wants(k.app(3, "root.c"), 1, 2)
	same(t, "one each", k.Preempt(k.now), "marked 2:3 h1:1", "marked 1:3 h1:1")
}

// Only those ApplicationMasters count for a node without whom there is not room enough: h1 loses one, with two that were looked at.
func TestMastersThatAreNotNeededDoNotCount(t *testing.T) {
	k := newKit(t, Faults{}, masters, preempting)
	k.node("h1", "r", 6, 6)
	k.wants(k.managed(1, "root.a"), 1, 4)
	k.fill()
	k.wants(k.managed(2, "root.a"), 2, 1)
	k.fill()
	k.node("h2", "r", 4, 4)
	k.wants(k.managed(3, "root.a"), 1, 4)
	k.fill()
	k.wants(k.app(4, "root.b"), 1, 4)
	same(t, "the large one of the first node", k.Preempt(k.now), "marked 1:1 h1:1")
}

// No more is taken than is wanted in all, though more is asked at a place; in Hadoop as much as is asked there.
func TestNoMoreIsTakenThanIsWantedInAll(t *testing.T) {
	for faults, want := range map[Faults]int{{}: 1, Upstream(): 2} {
		k := holding(t, faults, masters, 4, 1, 1, 1, 1)
		size := Resource{1024, 1}
		k.asks(k.app(2, "root.b"), Ask{Key{0, 0}, "h1", size, 2, true}, Ask{Key{0, 0}, "r1", size, 2, true}, Ask{Key{0, 0}, Any, size, 1, true},
			Ask{Key{1, 0}, Any, size, 1, true})
		if got := k.Preempt(k.now); len(got) != want {
			t.Errorf("faults %v: %q, want %d", faults, texts(got), want)
		}
	}
}

// The containers of a node are taken the newest first, ApplicationMasters last; in Hadoop against the order of a hash map, and
// ApplicationMasters in that order. Ids 14 and 1 are in buckets 12 and 15 of 16, and in 28 and 15 of 32.
func TestTheOrderInWhichANodeLosesContainers(t *testing.T) {
	for faults, want := range map[Faults]string{
		{}:         "5 4 3 2 1|6 5 4 3 2 1|6 4 3 2 1|14 1|14 1",
		Upstream(): "5 4 2 3 1|5 4 6 2 3 1|4 6 2 3 1|1 14|14 1",
	} {
		k := newKit(t, faults, ``, nil)
		n := &node{}
		var got []string
		add := func(seq int64, am bool) *container {
			c := &container{Container: Container{ID: ids.Container{Attempt: attemptOf(1), Seq: seq}, AM: am}, node: n, born: seq}
			n.add(c)
			return c
		}
		look := func() {
			text := ""
			for _, c := range k.victimOrder(n) {
				text += fmt.Sprint(" ", c.ID.Seq)
			}
			got = append(got, text[1:])
		}
		var last *container
		for seq := range int64(5) {
			last = add(seq+1, seq < 3)
		}
		look()
		add(6, false)
		look()
		n.remove(last)
		look()
		for _, ever := range []int64{12, 13} {
			n = &node{}
			for seq := range ever {
				add(seq+2, false)
			}
			for len(n.containers) > 0 {
				n.remove(n.containers[0])
			}
			add(1, false)
			add(14, false)
			look()
		}
		if text := strings.Join(got, "|"); text != want {
			t.Errorf("faults %v: %s, want %s", faults, text, want)
		}
	}
}

// The free resource and that of marked containers is room, less the owed room; a reservation has a claim to what is
// free alone.
func TestTheRoomOfANode(t *testing.T) {
	for _, x := range []struct{ free, reserved, marked, owed, room, committed Resource }{
		{free: Resource{4096, 4}, room: Resource{4096, 4}},
		{free: Resource{4096, 4}, reserved: Resource{3072, 1}, room: Resource{1024, 3}, committed: Resource{3072, 1}},
		{free: Resource{4096, 4}, reserved: Resource{8192, 2}, marked: Resource{1024, 1}, room: Resource{1024, 3}, committed: Resource{8192, 2}},
		{free: Resource{4096, 4}, marked: Resource{2048, 2}, owed: Resource{1024, 1}, room: Resource{5120, 5}, committed: Resource{1024, 1}},
		{free: Resource{4096, 4}, reserved: Resource{1024, 1}, owed: Resource{1024, 1}, room: Resource{2048, 2}, committed: Resource{2048, 2}},
		{free: Resource{-1024, 2}, reserved: Resource{1024, 1}, marked: Resource{2048, 0}, room: Resource{1024, 1}, committed: Resource{1024, 1}},
		{free: Resource{1024, 1}, owed: Resource{2048, 1}, committed: Resource{2048, 1}},
	} {
		n := &node{free: x.free, markedSum: x.marked, owedTotal: x.owed}
		if !x.reserved.IsZero() {
			n.reserved = &container{Container: Container{Resource: x.reserved}}
		}
		if room, committed := n.room(), n.committed(); room != x.room || committed != x.committed {
			t.Errorf("%+v: room %s, committed %s", x, room, committed)
		}
	}
}

// The time of a call to Preempt is the one that its kills, and the next look, count from.
func TestPreemptionCountsFromItsCall(t *testing.T) {
	k := holding(t, Faults{}, masters, 1, 1)
	b := k.app(2, "root.b")
	k.wants(b, 1, 1)
	k.now = time.Second
	k.Preempt(k.now)
	if at, ok := k.NextKill(); !ok || at != 16*time.Second || k.attempts[b].nextCheck != 30*time.Second {
		t.Errorf("the kill is at %v, the next look at %v", at, k.attempts[b].nextCheck)
	}
}

// Hadoop looks no further than a node that has room, though it takes nothing there.
func TestHadoopTakesNothingWhereThereIsRoom(t *testing.T) {
	for _, hosts := range [][]string{{"h1", "h2"}, {"h2", "h1"}} {
		k := newKit(t, Upstream(), `<queue name="c"/>`+masters, preempting)
		k.node(hosts[0], "r", 3, 3)
		k.wants(k.app(3, "root.c"), 1, 1)
		k.fill()
		k.node(hosts[1], "r", 1, 1)
		k.wants(k.app(1, "root.a"), 1, 1)
		k.beat(hosts[1])
		k.wants(k.app(2, "root.b"), 1, 1)
		var want []string
		if first := k.nodes.ordered(Upstream())[0].host; first == hosts[1] {
			want = []string{"marked 1:1 " + first + ":1"}
		}
		same(t, "room is on "+hosts[0], k.Preempt(k.now), want...)
	}
}
