package swim_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/cluster/gossip"
	"github.com/coherer/coherer/cluster/gossip/swim"
)

// Each hears once of each other, and of nothing else.
func TestAllHearOfAll(t *testing.T) {
	c := start(t, 1, 1)
	for i := 1; i < 12; i++ {
		c.names = append(c.names, fmt.Sprintf("N%d", i))
		c.run(c.names[i], c.names[i-1])
		c.within(time.Second, c.agree)
	}
	for _, name := range c.names {
		c.all("joined", c.name(name), 11)
	}
	c.w.Advance(time.Minute)
	c.none("suspected", "refuted", "failed", "left")
}

// When all come at once, each by another one's address, some news that are told seldom reach too few: an exchange of all that two know
// brings them.
func TestAnExchangeBringsWhatGossipMissed(t *testing.T) {
	seldom := gossip.Pace()
	seldom.RetransmitMult = 2
	missed := 0
	for seed := range uint64(10) {
		c := startAt(t, seed, 1, seldom)
		for i := 1; i < 12; i++ {
			c.names = append(c.names, fmt.Sprintf("N%d", i))
			c.run(c.names[i], c.names[i-1])
		}
		c.w.Advance(seldom.PushPullInterval / 2)
		if !c.agree() {
			missed++
			t.Logf("seed %d: after %s more", seed, c.within(4*seldom.PushPullInterval, c.agree))
		}
	}
	if missed == 0 {
		t.Error("gossip alone has told all: this shows nothing")
	}
}

// A member that leaves has left for all others at once, and nobody takes it for failed.
func TestAMemberLeaves(t *testing.T) {
	c := start(t, 1, 8)
	gone := c.name("N3")
	c.runs["N3"].Leave()
	c.w.Advance(10 * time.Millisecond)
	c.all("left", gone, 7)
	c.w.Find("N3").Kill()
	c.w.Advance(2 * time.Minute)
	c.none("joined", "suspected", "refuted", "failed")
}

// Without a packet of the goodbye the news of it travels.
func TestAGoodbyeThatIsLostIsPassedOn(t *testing.T) {
	c := start(t, 1, 8)
	c.w.Cut("N3", "N5")
	gone := c.name("N3")
	c.runs["N3"].Leave()
	c.w.Advance(time.Second)
	c.all("left", gone, 7)
	c.none("failed")
}

// A crash is first a suspicion, by one that had no answer, then a failure; all hear of both within two seconds.
func TestACrashIsSuspectedAndFails(t *testing.T) {
	c := start(t, 1, 10)
	gone := c.name("N3")
	c.w.Find("N3").Kill()
	took := c.within(2*time.Second, func() bool { return len(c.which("failed", gone)) == 9 })
	t.Logf("after %s", took)
	c.all("failed", gone, 9)
	for _, name := range c.names {
		of := func(what string) []heard {
			return slices.DeleteFunc(c.which(what, gone), func(h heard) bool { return h.by != name })
		}
		if name == "N3" {
			continue
		}
		s, f := of("suspected"), of("failed")
		if len(s) == 0 || s[0].at > f[0].at || s[0].from == gone {
			t.Errorf("%s: suspected %+v, failed %+v", name, s, f)
		}
		// memberlist's least time of a suspicion is 0.6 seconds in a cluster of ten.
		if first := c.which("suspected", gone)[0]; f[0].at-first.at < 600*time.Millisecond {
			t.Errorf("failed %s after the first suspicion", f[0].at-first.at)
		}
	}
	c.since()
	c.w.Advance(time.Minute)
	c.none("joined", "suspected", "failed")
}

// A member that stands still for a moment is suspected, and refutes: nobody gives it up.
func TestAMomentsPauseIsRefuted(t *testing.T) {
	c := start(t, 1, 10)
	h := c.w.Find("N3")
	h.Pause()
	c.within(2*time.Second, func() bool { return len(c.which("suspected", c.name("N3"))) > 0 })
	h.Resume()
	c.w.Advance(time.Second)
	c.none("failed", "joined")
	suspected := map[string]bool{}
	for _, x := range c.which("suspected", "") {
		suspected[x.by] = true
	}
	c.all("refuted", c.name("N3"), len(suspected))
}

// One that stands still for long has failed; when it goes on all know it again, and it knows all.
func TestALongPauseEndsInAReturn(t *testing.T) {
	for _, pause := range []time.Duration{10 * time.Second, 2 * time.Minute} {
		c := start(t, 1, 10)
		h := c.w.Find("N3")
		h.Pause()
		c.w.Advance(pause)
		c.all("failed", c.name("N3"), 9)
		c.since()
		h.Resume()
		t.Logf("after %s: %s", pause, c.within(gossip.Upkeep+time.Second, c.agree))
		c.all("joined", c.name("N3"), 9)
	}
}

// A false accusation is refuted, by a member that all hear of and nobody gives up.
func TestAFalseAccusationIsRefuted(t *testing.T) {
	c := start(t, 1, 10)
	c.runs["N1"].Accuse(c.runs["N3"])
	c.w.Advance(time.Second)
	if first := c.log[0]; first.by != "N1" || first.what != "suspected" || first.from != c.name("N1") {
		t.Errorf("the first news are %+v", first)
	}
	c.all("refuted", c.name("N3"), len(c.which("suspected", c.name("N3"))))
	c.none("failed", "joined", "left")
}

// In a partition each side is soon a cluster of its own. Once it is healed all know all, also if that takes longer than the dead are
// remembered.
func TestAPartitionHeals(t *testing.T) {
	for _, lasts := range []time.Duration{10 * time.Second, 3 * time.Minute} {
		c := start(t, 1, 12)
		a, b := c.names[:5], c.names[5:]
		between(a, b, c.w.Cut)
		apart := c.within(6*time.Second, func() bool { return c.agreeOn(a...) && c.agreeOn(b...) })
		c.w.Advance(lasts)
		if !c.agreeOn(a...) || !c.agreeOn(b...) {
			t.Error("a side does not agree any more")
		}
		between(a, b, c.w.Heal)
		c.since()
		merged := c.within(gossip.Upkeep+2*time.Second+time.Second, c.agree)
		t.Logf("apart after %s, merged after %s", apart, merged)
		c.none("failed") // what the other side has given up is only suspected here
		c.since()
		c.w.Advance(time.Minute)
		c.none("suspected", "failed", "joined")
	}
}

// A link between two members that is cut harms nobody: others probe for them.
func TestACutLinkHarmsNobody(t *testing.T) {
	c := start(t, 1, 8)
	c.w.Cut("N1", "N2")
	c.w.Cut("N2", "N1")
	c.w.Advance(2 * time.Minute)
	c.none("suspected", "failed")
}

// In a network that loses a packet of ten nobody is given up; of three of ten, whoever is given up is soon back. A crash is seen.
func TestPacketsGetLost(t *testing.T) {
	for _, share := range []float64{0.1, 0.3} {
		c := start(t, 1, 12)
		c.w.Lose("*", "*", share)
		c.w.Advance(2 * time.Minute)
		suspected, failed := len(c.which("suspected", "")), len(c.which("failed", ""))
		t.Logf("loss of %v: heard of %d suspicions, %d refutations, %d failures", share, suspected, len(c.which("refuted", "")), failed)
		if suspected == 0 || failed*100 > suspected || share == 0.1 && failed > 0 {
			t.Errorf("loss of %v: heard of %d suspicions, %d failures", share, suspected, failed)
		}
		c.within(2*time.Second, c.agree)
		gone := c.name("N3")
		c.since()
		c.w.Find("N3").Kill()
		t.Logf("a crash is seen after %s", c.within(6*time.Second, func() bool { return len(c.which("failed", gone)) == 11 }))
	}
}

// An answer that comes later than the time-out of a packet, and within that of the probe, counts.
func TestAMemberMayBeSlow(t *testing.T) {
	c := start(t, 1, 8)
	between([]string{"N3"}, slices.DeleteFunc(slices.Clone(c.names), func(n string) bool { return n == "N3" }), func(from, to string) {
		c.w.Delay(from, to, 70*time.Millisecond)
	})
	c.w.Advance(time.Minute)
	c.none("suspected", "failed")
}

// One that is too slow is suspected again and again, but mostly refutes in time.
func TestAMemberThatIsTooSlowIsSuspected(t *testing.T) {
	c := start(t, 1, 8)
	between([]string{"N3"}, slices.DeleteFunc(slices.Clone(c.names), func(n string) bool { return n == "N3" }), func(from, to string) {
		c.w.Delay(from, to, 120*time.Millisecond)
	})
	c.w.Advance(time.Minute)
	if refuted, failed := len(c.which("refuted", "")), len(c.which("failed", "")); refuted == 0 || failed*20 > refuted {
		t.Errorf("it refuted %d times, and failed %d times", refuted, failed)
	}
	c.w.Calm()
	c.since()
	c.within(time.Second, c.agree)
}

// News of an earlier run, of however high an incarnation, do not touch the next one.
func TestAnEarlierRunsNewsDoNotKillTheNext(t *testing.T) {
	c := start(t, 1, 8)
	for range 5 { // its incarnation grows
		c.runs["N1"].Accuse(c.runs["N3"])
		c.w.Advance(time.Second)
	}
	c.since()
	old := c.name("N3")
	c.w.Find("N3").Kill()
	c.run("N3", "N0")
	next := c.name("N3")
	c.within(swim.Agreement(gossip.Pace(), 8), c.agree)
	c.w.Advance(time.Minute)
	c.all("joined", next, 7)
	if got := len(c.which("failed", old)); got < 7 {
		t.Errorf("%d heard of the old run's end", got)
	}
	for _, h := range c.log {
		if h.of == next && h.what != "joined" {
			t.Errorf("%+v", h)
		}
	}
}

// A member that was cut off until all others had started again finds them at the addresses where they failed.
func TestAMemberThatWasLeftAloneFindsTheNextRuns(t *testing.T) {
	c := start(t, 1, 5)
	c.w.Cut("N0", "*")
	c.w.Cut("*", "N0")
	others := c.names[1:]
	for _, name := range others {
		c.w.Find(name).Kill()
	}
	c.w.Advance(2 * time.Minute)
	for i, name := range others {
		c.run(name, others[:i]...)
	}
	c.w.Advance(10 * time.Second)
	if !c.agreeOn(others...) || !c.agreeOn("N0") {
		t.Fatal("they are not apart")
	}
	c.w.Calm()
	t.Logf("after %s", c.within(gossip.Upkeep+2*time.Second+time.Second, c.agree))
}

// Two runs of a seed are the same, and another seed does something else.
func TestASeedIsTheSameTwice(t *testing.T) {
	live := func(seed uint64) string {
		c := start(t, seed, 10)
		c.w.Lose("*", "*", 0.2)
		c.w.Find("N3").Pause()
		c.w.Advance(10 * time.Second)
		c.w.Calm()
		c.w.Find("N5").Kill()
		c.w.Advance(10 * time.Second)
		return fmt.Sprint(c.log)
	}
	first, second, other := live(1), live(1), live(2)
	if first != second || first == other {
		t.Errorf("%s\n%s\n%s", first, second, other)
	}
}
