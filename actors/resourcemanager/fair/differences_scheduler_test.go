package fair

import (
	"strings"
	"testing"
	"time"
)

func TestHeadroomIsWhatThereIs(t *testing.T) {
	for compat, want := range map[Compat][2]Resource{
		Fixed:    {{0, 0}, {0, 8}},
		Upstream: {{-1024, -1}, {0, 16}},
	} {
		k := newKit(t, compat, `<queue name="a"><maxResources>4096 mb, 4 vcores</maxResources></queue>`, nil)
		k.node("h1", "r", 8, 8)
		a := k.app(1, "root.a")
		k.wants(a, 4, 1)
		k.fill()
		k.Reload(k.now, parsed(t, compat, `<queue name="a"><maxResources>3072 mb, 3 vcores</maxResources></queue><queue name="b"/>`))
		if got := k.wants(a, 4, 1).Headroom; got != want[0] {
			t.Errorf("compat %d: %v above the maximum, want %v", compat, got, want[0])
		}
		b := k.app(2, "root.b")
		_, err := k.Allocate(k.now, b, Demand{BlacklistAdd: []string{"r2"}})
		k.must(err)
		k.node("h2", "r2", 8, 8)
		k.node("h3", "r3", 4, 4)
		if got := k.wants(b, 1, 1).Headroom; got != want[1] {
			t.Errorf("compat %d: %v with a blacklisted rack, want %v", compat, got, want[1])
		}
	}
}

func TestWhoWasHelpedHasFourHeartbeats(t *testing.T) {
	for compat, pause := range map[Compat]time.Duration{Fixed: 4 * time.Second, Upstream: 0} {
		k := newKit(t, compat, `<queue name="a"/><queue name="b"><fairSharePreemptionTimeout>0</fairSharePreemptionTimeout></queue>`,
			func(c *Config) {
				c.Preemption, c.UtilizationThreshold, c.WaitBeforeKill, c.WaitBeforeCheck = true, 0, time.Second, time.Second
			})
		k.node("h1", "r", 4, 4)
		k.wants(k.app(1, "root.a"), 4, 1)
		k.fill()
		b := k.app(2, "root.b")
		k.wants(b, 2, 1)
		if got := len(k.Preempt(k.now)); got != 1 {
			t.Fatalf("compat %d: %d events, want one container marked", compat, got)
		}
		if got, want := k.attempts[b].nextCheck, k.now+2*time.Second+pause; got != want {
			t.Errorf("compat %d: looked at again at %v, want %v", compat, got, want)
		}
		k.conf.Continuous, k.conf.ContinuousSleep = true, 7*time.Millisecond
		if got := k.someOffers(); got != 70*time.Millisecond {
			t.Errorf("compat %d: with passes it has %v, want ten of them", compat, got)
		}
	}
}

func TestAnApplicationMasterCountsWithWhatItHas(t *testing.T) {
	for compat, want := range map[Compat]Resource{Fixed: {3072, 1}, Upstream: {2048, 1}} {
		k := newKit(t, compat, `<queue name="a"/><queue name="b"><maxAMShare>1</maxAMShare></queue>`, nil)
		k.node("h1", "r", 8, 8)
		other := k.app(1, "root.a")
		k.wants(other, 3, 2)
		k.fill()
		id := attemptOf(2)
		_, err := k.AddApp(k.now, id.App, Submission{User: "u", Queue: "root.b"})
		k.must(err)
		_, err = k.AddAttempt(k.now, AttemptSpec{ID: id})
		k.must(err)
		k.Update(k.now)
		k.wants(id, 1, 3)
		k.beat("h1")
		if n := k.Nodes()[0]; n.Reserved == nil {
			t.Fatalf("compat %d: nothing is reserved", compat)
		}
		k.wants(id, 1, 2)
		_, err = k.RemoveAttempt(k.now, other, false)
		k.must(err)
		k.beat("h1")
		if got := stateOf(t, k.Scheduler, "root.b").AMUsage; got != want {
			t.Errorf("compat %d: %v, want %v", compat, got, want)
		}
	}
}

func TestAQueueThatIsThereTwiceKeepsItsChildren(t *testing.T) {
	const file = `<queue name="p"><queue name="d"/><queue name="c"/></queue><queue name="p"/>`
	for compat, want := range map[Compat]string{Fixed: "root root.p root.p.c root.p.d", Upstream: "root root.p"} {
		if got := queueNames(submitted(t, compat, file)); got != want {
			t.Errorf("compat %d: %s, want %s", compat, got, want)
		}
		if got := len(parsed(t, compat, file).Queues()); got != len(strings.Fields(want)) {
			t.Errorf("compat %d: the file has %d queues, want %s", compat, got, want)
		}
	}
}

func TestNothingIsSubmittedToAQueueWithReservation(t *testing.T) {
	for compat, want := range map[Compat]string{Fixed: "", Upstream: "root.a.a-default"} {
		s := submitted(t, compat, `<queue name="a"><reservation/></queue>`)
		got, err := s.AddApp(0, attemptOf(1).App, Submission{User: "u", Queue: "root.a"})
		if got != want || (err == nil) != (want != "") {
			t.Errorf("compat %d: %q, %v; want %q", compat, got, err, want)
		}
	}
}

func TestWhatEndsBeforeItIsPreemptedIsAskedForOnce(t *testing.T) {
	for compat, want := range map[Compat]int64{Fixed: 2, Upstream: 3} {
		k := newKit(t, compat, `<queue name="a"/><queue name="b"><fairSharePreemptionTimeout>0</fairSharePreemptionTimeout></queue>`,
			func(c *Config) { c.Preemption, c.UtilizationThreshold = true, 0 })
		k.node("h1", "r", 4, 4)
		a := k.app(1, "root.a")
		k.wants(a, 5, 1)
		k.fill()
		k.wants(k.app(2, "root.b"), 1, 1)
		marked := k.Preempt(k.now)
		if len(marked) != 1 {
			t.Fatalf("compat %d: %d events, want one container marked", compat, len(marked))
		}
		k.Complete(k.now, marked[0].Container, End{})
		k.KillMarked(Never)
		if s, _ := k.App(a); s.Pending[0].Count != want {
			t.Errorf("compat %d: %d are asked for, want %d", compat, s.Pending[0].Count, want)
		}
	}
}

func TestNothingIsPreemptedForNoMemory(t *testing.T) {
	for compat, want := range map[Compat]int{Fixed: 0, Upstream: 1} {
		k := newKit(t, compat, `<queue name="a"/><queue name="b"><fairSharePreemptionTimeout>0</fairSharePreemptionTimeout></queue>`,
			func(c *Config) { c.Preemption, c.UtilizationThreshold, c.Minimum = true, 0, Resource{0, 1} })
		k.node("h1", "r", 4, 4)
		k.wants(k.app(1, "root.a"), 4, 1)
		k.fill()
		b := k.app(2, "root.b")
		_, err := k.Allocate(k.now, b, Demand{Asks: []Ask{{Key{2, 0}, Any, Resource{3072, 1}, 1, true}}})
		k.must(err)
		k.wants(b, 1, 0)
		if got := len(k.Preempt(k.now)); got != want {
			t.Errorf("compat %d: %d containers are marked, want %d", compat, got, want)
		}
	}
}

func TestTheDefaultPolicyIsNotFIFO(t *testing.T) {
	const class = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.policies.FifoPolicy"
	for policy, hadoop := range map[string]bool{"fifo": false, class: true} {
		for compat, taken := range map[Compat]bool{Fixed: false, Upstream: hadoop} {
			o := options
			o.Compat = compat
			file := "<allocations><defaultQueueSchedulingPolicy>" + policy + "</defaultQueueSchedulingPolicy><queue name=\"a\"/></allocations>"
			a, err := ParseAllocations([]byte(file), o)
			if (err == nil) != taken || taken && len(a.Queues()) != 1 {
				t.Errorf("compat %d, %s: %v", compat, policy, err)
			}
		}
	}
}

func TestWhatIsOwedIsPaidWhenATypeIs(t *testing.T) {
	for compat, want := range map[Compat]int{Fixed: 1, Upstream: 2} {
		k := newKit(t, compat, ``, nil)
		k.node("h1", "r", 4, 8)
		a := k.app(1, "root.a")
		k.wants(a, 4, 1)
		k.attempts[a].fairStarving = Resource{4096, 4}
		k.nodes.all[0].owe(k.attempts[a], Resource{1024, 2})
		k.payOwed(k.nodes.all[0])
		if got := len(k.attempts[a].live); got != want {
			t.Errorf("compat %d: %d containers for one with two cores, want %d", compat, got, want)
		}
		if owed := k.nodes.all[0].owedTotal; len(k.nodes.all[0].owed) > 0 || !owed.IsZero() {
			t.Errorf("compat %d: %v is owed still", compat, owed)
		}
	}
}
