package fair

import (
	"strings"
	"testing"
	"time"
)

func TestHeadroomIsWhatThereIs(t *testing.T) {
	for faults, want := range map[Faults][2]Resource{
		{}:                  {{0, 0}, {0, 8}},
		{badHeadroom: true}: {{-1024, -1}, {0, 16}},
	} {
		k := newKit(t, faults, `<queue name="a"><maxResources>4096 mb, 4 vcores</maxResources></queue>`, nil)
		k.node("h1", "r", 8, 8)
		a := k.app(1, "root.a")
		k.wants(a, 4, 1)
		k.fill()
		k.Reload(k.now, parsed(t, faults, `<queue name="a"><maxResources>3072 mb, 3 vcores</maxResources></queue><queue name="b"/>`))
		if got := k.wants(a, 4, 1).Headroom; got != want[0] {
			t.Errorf("faults %v: %v above the maximum, want %v", faults, got, want[0])
		}
		b := k.app(2, "root.b")
		_, err := k.Allocate(k.now, b, Demand{BlacklistAdd: []string{"r2"}})
		k.must(err)
		k.node("h2", "r2", 8, 8)
		k.node("h3", "r3", 4, 4)
		if got := k.wants(b, 1, 1).Headroom; got != want[1] {
			t.Errorf("faults %v: %v with a blacklisted rack, want %v", faults, got, want[1])
		}
	}
}

func TestWhoWasHelpedHasFourHeartbeats(t *testing.T) {
	for faults, pause := range map[Faults]time.Duration{{}: 4 * time.Second, {noTimeToTake: true}: 0} {
		k := newKit(t, faults, `<queue name="a"/><queue name="b"><fairSharePreemptionTimeout>0</fairSharePreemptionTimeout></queue>`,
			func(c *Config) {
				c.Preemption, c.UtilizationThreshold, c.WaitBeforeKill, c.WaitBeforeCheck = true, 0, time.Second, time.Second
			})
		k.node("h1", "r", 4, 4)
		k.wants(k.app(1, "root.a"), 4, 1)
		k.fill()
		b := k.app(2, "root.b")
		k.wants(b, 2, 1)
		if got := len(k.Preempt(k.now)); got != 1 {
			t.Fatalf("faults %v: %d events, want one container marked", faults, got)
		}
		if got, want := k.attempts[b].nextCheck, k.now+2*time.Second+pause; got != want {
			t.Errorf("faults %v: looked at again at %v, want %v", faults, got, want)
		}
		k.conf.Continuous, k.conf.ContinuousSleep = true, 7*time.Millisecond
		if got := k.someOffers(); got != 70*time.Millisecond {
			t.Errorf("faults %v: with passes it has %v, want ten of them", faults, got)
		}
	}
}

func TestAnApplicationMasterCountsWithWhatItHas(t *testing.T) {
	for faults, want := range map[Faults]Resource{{}: {3072, 1}, {amAskedSize: true}: {2048, 1}} {
		k := newKit(t, faults, `<queue name="a"/><queue name="b"><maxAMShare>1</maxAMShare></queue>`, nil)
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
			t.Fatalf("faults %v: nothing is reserved", faults)
		}
		k.wants(id, 1, 2)
		_, err = k.RemoveAttempt(k.now, other, false)
		k.must(err)
		k.beat("h1")
		if got := stateOf(t, k.Scheduler, "root.b").AMUsage; got != want {
			t.Errorf("faults %v: %v, want %v", faults, got, want)
		}
	}
}

func TestAQueueThatIsThereTwiceKeepsItsChildren(t *testing.T) {
	const file = `<queue name="p"><queue name="d"/><queue name="c"/></queue><queue name="p"/>`
	for faults, want := range map[Faults]string{{}: "root root.p root.p.c root.p.d", {vanishing: true}: "root root.p"} {
		if got := queueNames(submitted(t, faults, file)); got != want {
			t.Errorf("faults %v: %s, want %s", faults, got, want)
		}
		if got := len(parsed(t, faults, file).Queues()); got != len(strings.Fields(want)) {
			t.Errorf("faults %v: the file has %d queues, want %s", faults, got, want)
		}
	}
}

func TestNothingIsSubmittedToAQueueWithReservation(t *testing.T) {
	for faults, want := range map[Faults]string{{}: "", {plansAccept: true}: "root.a.a-default"} {
		s := submitted(t, faults, `<queue name="a"><reservation/></queue>`)
		got, err := s.AddApp(0, attemptOf(1).App, Submission{User: "u", Queue: "root.a"})
		if got != want || (err == nil) != (want != "") {
			t.Errorf("faults %v: %q, %v; want %q", faults, got, err, want)
		}
	}
}

func TestWhatEndsBeforeItIsPreemptedIsAskedForOnce(t *testing.T) {
	for faults, want := range map[Faults]int64{{}: 2, {asksAgain: true}: 3} {
		k := newKit(t, faults, `<queue name="a"/><queue name="b"><fairSharePreemptionTimeout>0</fairSharePreemptionTimeout></queue>`,
			func(c *Config) { c.Preemption, c.UtilizationThreshold = true, 0 })
		k.node("h1", "r", 4, 4)
		a := k.app(1, "root.a")
		k.wants(a, 5, 1)
		k.fill()
		k.wants(k.app(2, "root.b"), 1, 1)
		marked := k.Preempt(k.now)
		if len(marked) != 1 {
			t.Fatalf("faults %v: %d events, want one container marked", faults, len(marked))
		}
		k.Complete(k.now, marked[0].Container, End{})
		k.KillMarked(never)
		if s, _ := k.App(a); s.Pending[0].Count != want {
			t.Errorf("faults %v: %d are asked for, want %d", faults, s.Pending[0].Count, want)
		}
	}
}

func TestNothingIsPreemptedForNoMemory(t *testing.T) {
	for faults, want := range map[Faults]int{{}: 0, {preemptsNoSize: true}: 1} {
		k := newKit(t, faults, `<queue name="a"/><queue name="b"><fairSharePreemptionTimeout>0</fairSharePreemptionTimeout></queue>`,
			func(c *Config) { c.Preemption, c.UtilizationThreshold, c.Minimum = true, 0, Resource{0, 1} })
		k.node("h1", "r", 4, 4)
		k.wants(k.app(1, "root.a"), 4, 1)
		k.fill()
		b := k.app(2, "root.b")
		_, err := k.Allocate(k.now, b, Demand{Asks: []Ask{{Key{2, 0}, Any, Resource{3072, 1}, 1, true}}})
		k.must(err)
		k.wants(b, 1, 0)
		if got := len(k.Preempt(k.now)); got != want {
			t.Errorf("faults %v: %d containers are marked, want %d", faults, got, want)
		}
	}
}

func TestTheDefaultPolicyIsNotFIFO(t *testing.T) {
	const class = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.policies.FifoPolicy"
	for policy, hadoop := range map[string]bool{"fifo": false, class: true} {
		for faults, taken := range map[Faults]bool{{}: false, {fifoByClass: true}: hadoop} {
			o := options
			o.Faults = faults
			file := "<allocations><defaultQueueSchedulingPolicy>" + policy + "</defaultQueueSchedulingPolicy><queue name=\"a\"/></allocations>"
			a, err := parseAllocations([]byte(file), o)
			if (err == nil) != taken || taken && len(a.Queues()) != 1 {
				t.Errorf("faults %v, %s: %v", faults, policy, err)
			}
		}
	}
}

func TestWhatIsOwedIsPaidWhenATypeIs(t *testing.T) {
	for faults, want := range map[Faults]int{{}: 1, {owesEachType: true}: 2} {
		k := newKit(t, faults, ``, nil)
		k.node("h1", "r", 4, 8)
		a := k.app(1, "root.a")
		k.wants(a, 4, 1)
		k.attempts[a].fairStarving = Resource{4096, 4}
		k.nodes.all[0].owe(k.attempts[a], Resource{1024, 2})
		k.payOwed(k.nodes.all[0])
		if got := len(k.attempts[a].live); got != want {
			t.Errorf("faults %v: %d containers for one with two cores, want %d", faults, got, want)
		}
		if owed := k.nodes.all[0].owedTotal; len(k.nodes.all[0].owed) > 0 || !owed.IsZero() {
			t.Errorf("faults %v: %v is owed still", faults, owed)
		}
	}
}
