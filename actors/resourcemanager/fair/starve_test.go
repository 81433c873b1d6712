package fair

import (
	"fmt"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/ids"
)

// starving is by how much each of the applications is below its fair share, and its part of its queue's minimum.
func (k *kit) starving(apps ...int32) string {
	k.t.Helper()
	k.Update(k.now)
	text := ""
	for _, id := range apps {
		s, ok := k.App(attemptOf(id))
		if !ok {
			k.t.Fatalf("no application %d", id)
		}
		text += fmt.Sprintf("%d/%d+%d/%d ", s.FairStarving.Memory, s.FairStarving.VCores, s.MinStarving.Memory, s.MinStarving.VCores)
	}
	return text[:len(text)-1]
}

func (k *kit) starve(what, want string, apps ...int32) {
	k.t.Helper()
	if got := k.starving(apps...); got != want {
		k.t.Errorf("%s: %s, want %s", what, got, want)
	}
}

// full is a cluster whose one node an application of queue a has altogether.
func full(t *testing.T, faults Faults, gib int64, elements string) *kit {
	k := newKit(t, faults, `<queue name="a"/>`+elements, preempting)
	k.node("h1", "r", gib, gib)
	k.wants(k.app(1, "root.a"), gib, 1)
	if k.fill() != int(gib) {
		t.Fatal("the node is not full")
	}
	return k
}

// The amount that a queue lacks to its minimum for its time-out goes to its applications in the order of its policy, to each at most what
// it wants; when the queue has its minimum nobody lacks anything.
func TestWhatAQueueLacksOfItsMinimumGoesToItsApplicationsInTurn(t *testing.T) {
	k := full(t, Faults{}, 8, `<queue name="b"><minResources>3072 mb, 3 vcores</minResources><minSharePreemptionTimeout>2</minSharePreemptionTimeout></queue>`)
	k.now = 5 * time.Second
	k.Update(k.now) // it lacks nothing up to now
	for id := int32(2); id <= 4; id++ {
		k.wants(k.app(id, "root.b"), 2, 1)
	}
	k.now = 7*time.Second - 1
	k.starve("before the time-out", "0/0+0/0 0/0+0/0 0/0+0/0", 2, 3, 4)
	k.now++
	k.starve("at the time-out", "0/0+2048/2 0/0+1024/1 0/0+0/0", 2, 3, 4)
	k.Complete(k.now, k.attempts[attemptOf(1)].live[0].ID, End{})
	k.beat("h1")
	k.starve("it has 1 GiB", "0/0+0/0 0/0+2048/2 0/0+0/0", 2, 3, 4) // the one that has nothing is first
	for range 2 {
		k.Complete(k.now, k.attempts[attemptOf(1)].live[0].ID, End{})
		k.beat("h1")
	}
	k.starve("it has its minimum", "0/0+0/0 0/0+0/0 0/0+0/0", 2, 3, 4)
}

// The amounts that applications lack to their fair shares count in the one that their queue lacks to its minimum.
func TestWhatAnApplicationLacksCountsOnce(t *testing.T) {
	k := full(t, Faults{}, 8, `<queue name="b"><minResources>6144 mb, 0 vcores</minResources><minSharePreemptionTimeout>0</minSharePreemptionTimeout>
		<fairSharePreemptionTimeout>0</fairSharePreemptionTimeout><fairSharePreemptionThreshold>0.5</fairSharePreemptionThreshold></queue>`)
	k.wants(k.app(2, "root.b"), 4, 1)
	k.wants(k.app(3, "root.b"), 4, 1)
	k.starve("of a minimum of 6 GiB, with 3 as the share of each", "1536/0+2560/4 1536/0+512/0", 2, 3)
}

const atOnce = `<queue name="b"><fairSharePreemptionTimeout>0</fairSharePreemptionTimeout><fairSharePreemptionThreshold>1</fairSharePreemptionThreshold></queue>`

// gets is so many GiB, of what the first application has, for another.
func (k *kit) gets(id ids.Attempt, gib int64) {
	k.t.Helper()
	k.wants(id, gib, 1)
	for range gib {
		k.Complete(k.now, k.attempts[attemptOf(1)].live[0].ID, End{})
		same(k.t, "given", k.beat("h1"), fmt.Sprintf("allocated %d:%d h1:1", id.App.ID, len(k.attempts[id].live)))
	}
	_, err := k.Allocate(k.now, id, Demand{})
	k.must(err)
}

// An application that has its share, or whose time has not come, does not hide one that starves, wherever they are in the order
// of the policy; what an application lacks ends when it has its share.
func TestWhoHasItsShareHidesNobodyThatStarves(t *testing.T) {
	for faults, want := range map[Faults][2]string{
		{}:                    {"0/0+0/0", "0/0+0/0 1024/0+0/0"},
		{hidesStarving: true}: {"3072/0+0/0", "0/0+0/0 0/0+0/0"},
	} {
		k := full(t, faults, 8, atOnce)
		rich := k.app(2, "root.b")
		k.gets(rich, 3)
		k.starve(fmt.Sprintf("faults %v: it has all that it lacked", faults), want[0], 2)
		k.wants(rich, 1, 1)
		k.wants(k.app(3, "root.b"), 2, 1)
		k.starve(fmt.Sprintf("faults %v: one that has more than its 2 GiB came first", faults), "0/0+0/0 2048/0+0/0", 2, 3)

		k = full(t, faults, 12, `<queue name="b"><fairSharePreemptionTimeout>5</fairSharePreemptionTimeout><fairSharePreemptionThreshold>1</fairSharePreemptionThreshold></queue>`)
		old := k.app(3, "root.b")
		k.gets(old, 1)
		k.wants(old, 1, 1)
		k.now = 4 * time.Second
		k.wants(k.app(2, "root.b"), 3, 1)
		k.now = 5 * time.Second
		k.starve(fmt.Sprintf("faults %v: one that has less came later", faults), want[1], 2, 3)
	}
}

// The time below the share is one in which the application may run and wants more than it has.
func TestTheTimeBelowTheShareIsOneOfWanting(t *testing.T) {
	const file = `<queue name="b"><maxRunningApps>1</maxRunningApps><fairSharePreemptionTimeout>5</fairSharePreemptionTimeout><fairSharePreemptionThreshold>1</fairSharePreemptionThreshold></queue>`
	for faults, wait := range map[Faults]time.Duration{{}: 5 * time.Second, {starvesIdle: true}: 0} {
		k := full(t, faults, 8, file)
		k.app(2, "root.b")
		k.now = 10 * time.Second
		k.Update(k.now)
		third := k.app(3, "root.b")
		k.now = 20 * time.Second
		k.Update(k.now)
		k.RemoveApp(k.now, attemptOf(2).App)
		k.wants(third, 1, 1)
		began := k.now
		for k.Update(k.now); k.attempts[third].fairStarving.IsZero(); k.Update(k.now) {
			if k.now += time.Second; k.now > time.Minute {
				t.Fatalf("faults %v: it does not starve", faults)
			}
		}
		if k.now-began != wait {
			t.Errorf("faults %v: one that might not run starves after %v, want %v", faults, k.now-began, wait)
		}

		k = full(t, faults, 8, file)
		second := k.app(2, "root.b")
		k.gets(second, 1)
		for k.now < 20*time.Second {
			k.now += time.Second
			k.Update(k.now)
		}
		k.wants(second, 1, 1)
		began = k.now
		for k.Update(k.now); k.attempts[second].fairStarving.IsZero(); k.Update(k.now) {
			if k.now += time.Second; k.now > time.Minute {
				t.Fatalf("faults %v: it does not starve", faults)
			}
		}
		if k.now-began != wait {
			t.Errorf("faults %v: one that wanted nothing starves after %v, want %v", faults, k.now-began, wait)
		}
	}
}

// The time below the fair share begins again when it was reached; what an application lacks ends then.
func TestStarvationEndsWithTheShare(t *testing.T) {
	k := full(t, Faults{}, 4, `<queue name="b"><fairSharePreemptionTimeout>5</fairSharePreemptionTimeout><fairSharePreemptionThreshold>0.5</fairSharePreemptionThreshold></queue>`)
	b := k.app(2, "root.b")
	k.wants(b, 2, 1)
	k.now = 5*time.Second - 1
	k.starve("before the time-out", "0/0+0/0", 2)
	k.now++
	k.starve("at the time-out", "1024/0+0/0", 2)
	k.Complete(k.now, k.attempts[attemptOf(1)].live[0].ID, End{})
	k.beat("h1")
	k.starve("it has half of its share", "0/0+0/0", 2)
	k.now = 20 * time.Second
	k.Update(k.now)
	k.Complete(k.now, k.attempts[b].live[0].ID, End{})
	k.now += 5*time.Second - 1
	k.starve("before the time-out, again", "0/0+0/0", 2)
	k.now++
	k.starve("at it", "1024/0+0/0", 2)
}

// Under drf what has the larger part of its share is not below it, whatever it has of the other type.
func TestBelowTheFairShareIsWhatThePolicySays(t *testing.T) {
	k := newKit(t, Faults{}, `<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>
		<defaultFairSharePreemptionTimeout>0</defaultFairSharePreemptionTimeout><queue name="b"/>`, nil)
	k.node("h1", "r", 8, 8)
	a := k.attempts[k.app(1, "root.b")]
	a.Usage, a.FairShare, a.Demand = Resource{4096, 1}, Resource{8192, 8}, Resource{8192, 8}
	if k.updateFairStarving(a); !a.fairStarving.IsZero() {
		t.Errorf("half of the memory is its part of the share: it lacks %s", a.fairStarving)
	}
	a.Usage = Resource{3072, 1}
	if k.updateFairStarving(a); a.fairStarving != (Resource{1024, 3}) {
		t.Errorf("it lacks %s", a.fairStarving)
	}
}

// An application is helped once between two updates of its starvation, for whatever reasons it starves.
func TestWhoStarvesTwiceIsHelpedOnce(t *testing.T) {
	for _, faults := range []Faults{{}, Upstream()} {
		k := full(t, faults, 8, `<queue name="b"><minResources>4096 mb, 4 vcores</minResources><minSharePreemptionTimeout>0</minSharePreemptionTimeout>
			<fairSharePreemptionTimeout>0</fairSharePreemptionTimeout><fairSharePreemptionThreshold>0.25</fairSharePreemptionThreshold></queue>`)
		k.wants(k.app(2, "root.b"), 2, 1)
		k.Update(k.now)
		if got := len(k.marks()); got != 2 {
			t.Errorf("faults %v: %d are marked, want 2", faults, got)
		}
	}
}

// Nobody starves unless more of the cluster is in use than the threshold, of one type or the other.
func TestNobodyStarvesUpToTheUtilisationThreshold(t *testing.T) {
	for used, want := range map[Resource]bool{{4, 2}: false, {5, 2}: true, {2, 4}: false, {2, 5}: true} {
		k := newKit(t, Faults{}, ``, func(c *Config) { c.Preemption, c.UtilizationThreshold = true, 0.5 })
		k.node("h1", "r", 8, 8)
		k.root.Usage = Resource{used.Memory * 1024, used.VCores}
		if got := k.preempts(); got != want {
			t.Errorf("%s of 8 each: %t", used, got)
		}
	}
}

// The application that lacks the most memory is helped first; of two that lack the same, the one that lacks more cores.
func TestWhoLacksMoreCoresIsHelpedFirstOfTwo(t *testing.T) {
	for _, x := range []struct {
		lacks [2]Resource
		first int
	}{
		{[2]Resource{{2048, 1}, {2048, 2}}, 1},
		{[2]Resource{{2048, 2}, {2048, 1}}, 0},
		{[2]Resource{{2048, 1}, {1024, 9}}, 0},
		{[2]Resource{{1024, 9}, {2048, 1}}, 1},
	} {
		k := newKit(t, Faults{}, ``, nil)
		both := []*app{k.attempts[k.app(1, "root.a")], k.attempts[k.app(2, "root.b")]}
		for i, a := range both {
			a.fairStarving = x.lacks[i]
			k.Scheduler.starving = append(k.Scheduler.starving, a)
		}
		if k.nextStarving() != both[x.first] || k.nextStarving() != both[1-x.first] || k.nextStarving() != nil {
			t.Errorf("%v: in another order", x.lacks)
		}
	}
}
