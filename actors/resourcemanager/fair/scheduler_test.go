package fair

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/hadoop/exitstatus"
	"github.com/coherer/coherer/actors/ids"
)

// kit is a scheduler with short calls, for tests of single rules.
type kit struct {
	*Scheduler
	t   *testing.T
	now time.Duration
}

func newKit(t *testing.T, faults Faults, elements string, change func(*Config)) *kit {
	t.Helper()
	conf := DefaultConfig()
	conf.Faults = faults
	if change != nil {
		change(&conf)
	}
	s, err := New(0, conf, parsed(t, faults, elements))
	if err != nil {
		t.Fatal(err)
	}
	return &kit{Scheduler: s, t: t}
}

func (k *kit) must(err error) {
	k.t.Helper()
	if err != nil {
		k.t.Fatal(err)
	}
}

func (k *kit) node(host, rack string, gib, cores int64) {
	k.t.Helper()
	k.must(k.AddNode(k.now, NodeSpec{host + ":1", host, rack, Resource{gib * 1024, cores}}))
}

func (k *kit) app(app int32, queue string) ids.Attempt {
	k.t.Helper()
	id := attemptOf(app)
	_, err := k.AddApp(k.now, id.App, Submission{User: "u", Queue: queue})
	k.must(err)
	_, err = k.AddAttempt(k.now, AttemptSpec{ID: id, Unmanaged: true})
	k.must(err)
	return id
}

// managed is an application whose first container is its ApplicationMaster's.
func (k *kit) managed(app int32, queue string) ids.Attempt {
	k.t.Helper()
	id := attemptOf(app)
	_, err := k.AddApp(k.now, id.App, Submission{User: "u", Queue: queue})
	k.must(err)
	_, err = k.AddAttempt(k.now, AttemptSpec{ID: id})
	k.must(err)
	return id
}

// asks keeps asks, and updates.
func (k *kit) asks(id ids.Attempt, asks ...Ask) Grant {
	k.t.Helper()
	g, err := k.Allocate(k.now, id, Demand{Asks: asks})
	k.must(err)
	k.Update(k.now)
	return g
}

// wants asks for containers of some GiB and one core anywhere, and updates.
func (k *kit) wants(id ids.Attempt, count, gib int64) Grant {
	k.t.Helper()
	return k.asks(id, Ask{Key{1, 0}, Any, Resource{gib * 1024, 1}, count, true})
}

func (k *kit) beat(host string) []Event {
	k.t.Helper()
	events, err := k.NodeUpdate(k.now, host+":1", nil, nil)
	k.must(err)
	return events
}

// fill gives node updates until nothing comes of them.
func (k *kit) fill() (given int) {
	for had := -1; had != given; {
		had = given
		for _, n := range k.Nodes() {
			given += len(k.beat(n.Host))
		}
	}
	return given
}

func texts(events []Event) []string {
	var all []string
	for _, e := range events {
		text := fmt.Sprintf("%s %d:%d %s", e.Kind, e.Attempt.App.ID, e.Container.Seq, e.Node)
		if e.Kind == Gone {
			text += fmt.Sprintf(" %d %s", e.ExitStatus, e.Cause)
		}
		all = append(all, text)
	}
	return all
}

func same(t *testing.T, what string, got []Event, want ...string) {
	t.Helper()
	if g := texts(got); !slices.Equal(g, want) {
		t.Errorf("%s: %q, want %q", what, g, want)
	}
}

// A container that its application did not know of is asked for again when it is gone; one that it knew of is not.
func TestWhatWasNotHandedOverIsAskedForAgain(t *testing.T) {
	k := newKit(t, Faults{}, `<queue name="a"/>`, nil)
	k.node("h1", "r", 4, 4)
	a := k.app(1, "root.a")
	near := []Ask{{Key{1, 0}, "h1", Resource{1024, 1}, 2, true}, {Key{1, 0}, "r", Resource{1024, 1}, 2, true}, {Key{1, 0}, Any, Resource{1024, 1}, 2, true}}
	_, err := k.Allocate(k.now, a, Demand{Asks: near})
	k.must(err)
	k.Update(k.now)
	first := k.beat("h1")[0].Container
	state, _ := k.App(a)
	if state.Pending[0].Count != 1 || state.Pending[1].Count != 1 || state.Pending[2].Count != 1 {
		t.Fatalf("after one at the host: %v", state.Pending)
	}
	same(t, "lost", k.Complete(k.now, first, End{ExitStatus: exitstatus.Aborted, Cause: Killed}), "gone 1:1 h1:1 -100 KILL")
	if state, _ = k.App(a); !slices.Equal(state.Pending, near) {
		t.Errorf("asked again: %v, want %v", state.Pending, near)
	}
	k.Update(k.now)
	k.beat("h1")
	g, err := k.Allocate(k.now, a, Demand{})
	k.must(err)
	k.Complete(k.now, g.Containers[0].ID, End{Cause: Finished})
	if state, _ = k.App(a); state.Pending[0].Count != 1 {
		t.Errorf("one that it knew of is asked again: %v", state.Pending)
	}
}

func TestAnAttemptTakesOverWhatRuns(t *testing.T) {
	k := newKit(t, Faults{}, `<queue name="a"/>`, nil)
	k.node("h1", "r", 4, 4)
	a := k.app(1, "root.a")
	k.wants(a, 2, 1)
	k.fill()
	g, err := k.Allocate(k.now, a, Demand{})
	k.must(err)
	if _, err = k.NodeUpdate(k.now, "h1:1", []ids.Container{g.Containers[0].ID}, nil); err != nil {
		t.Fatal(err)
	}
	events, err := k.RemoveAttempt(k.now, a, true)
	k.must(err)
	same(t, "what does not run yet ends", events, "gone 1:2 h1:1 -100 KILL")
	next := ids.Attempt{App: a.App, Attempt: 2}
	_, err = k.AddAttempt(k.now, AttemptSpec{ID: next, Unmanaged: true, Keep: a})
	k.must(err)
	if live := k.Live(next); len(live) != 1 || live[0].ID != g.Containers[0].ID || k.Queues()[0].Usage != (Resource{1024, 1}) {
		t.Errorf("the next attempt has %v, root %s", live, k.Queues()[0].Usage)
	}
	same(t, "its end", k.RemoveApp(k.now, a.App), "gone 1:1 h1:1 -100 KILL")
}

func TestANodeOutOfServiceIsOfferedNoMore(t *testing.T) {
	k := newKit(t, Faults{}, `<queue name="a"/>`, nil)
	k.node("h1", "r", 4, 4)
	k.wants(k.app(1, "root.a"), 2, 1)
	k.must(k.Drain(k.now, "h1:1", true))
	same(t, "drained", append(k.beat("h1"), k.ContinuousPass(k.now)...))
	k.must(k.Drain(k.now, "h1:1", false))
	same(t, "again", k.beat("h1"), "allocated 1:1 h1:1")
}

func TestWhatANodeSaysOfUnknownContainers(t *testing.T) {
	k := newKit(t, Faults{}, `<queue name="a"/>`, nil)
	k.node("h1", "r", 4, 4)
	stray := ids.Container{Attempt: attemptOf(9), Seq: 1}
	events, err := k.NodeUpdate(k.now, "h1:1", []ids.Container{stray}, []Ended{{ID: stray}})
	k.must(err)
	same(t, "stray", events, "clean up 9:1 h1:1")
	if _, err := k.NodeUpdate(k.now, "h9:1", nil, nil); !errors.Is(err, ErrUnknown) {
		t.Errorf("an unknown node: %v", err)
	}
	if _, err := k.Allocate(k.now, attemptOf(9), Demand{}); !errors.Is(err, ErrUnknown) {
		t.Errorf("an unknown attempt: %v", err)
	}
	if err := k.Recover(k.now, Container{ID: stray, Node: "h1:1"}); !errors.Is(err, ErrUnknown) {
		t.Errorf("recovered without its application: %v", err)
	}
}

// A release of another's container does nothing.
func TestAnotherCannotRelease(t *testing.T) {
	k := newKit(t, Faults{}, `<queue name="a"/>`, nil)
	k.node("h1", "r", 4, 4)
	a, b := k.app(1, "root.a"), k.app(2, "root.a")
	k.wants(a, 1, 1)
	given := k.beat("h1")[0].Container
	g, err := k.Allocate(k.now, b, Demand{Release: []ids.Container{given, {Attempt: b, Seq: 99}}})
	k.must(err)
	same(t, "of another's", g.Events)
	g, err = k.Allocate(k.now, a, Demand{Release: []ids.Container{given}})
	k.must(err)
	same(t, "of its own", g.Events, "gone 1:1 h1:1 -100 RELEASED")
}

func TestARecoveredContainerCounts(t *testing.T) {
	k := newKit(t, Faults{}, `<queue name="a"/>`, func(c *Config) { c.Epoch = 1 })
	k.node("h1", "r", 4, 4)
	a := k.app(1, "root.a")
	old := Container{ID: ids.Container{Attempt: a, Seq: 7}, Node: "h1:1", Resource: Resource{2048, 1}}
	k.must(k.Recover(k.now, old))
	k.must(k.Recover(k.now, old))
	if n := k.Nodes()[0]; n.Free != (Resource{2048, 3}) {
		t.Errorf("free %s", n.Free)
	}
	k.wants(a, 1, 1)
	if id := k.beat("h1")[0].Container; id.String() != "container_e01_1767225600000_0001_01_000001" {
		t.Errorf("the next is %s", id)
	}
}

func TestTheMostStarvedIsHelpedFirst(t *testing.T) {
	for faults, want := range map[Faults]string{{}: "2 3", {leastFirst: true}: "3 2"} {
		k := newKit(t, faults, `<queue name="a"/><queue name="b"><weight>3</weight></queue><queue name="c"/>
			<defaultFairSharePreemptionTimeout>1</defaultFairSharePreemptionTimeout>`, func(c *Config) { c.Preemption, c.UtilizationThreshold = true, 0 })
		k.node("h1", "r", 16, 16)
		k.wants(k.app(1, "root.a"), 16, 1)
		k.fill()
		k.wants(k.app(2, "root.b"), 16, 1)
		k.wants(k.app(3, "root.c"), 16, 1)
		k.now += time.Second
		k.Update(k.now)
		k.Preempt(k.now)
		var order []string
		for _, kill := range k.kills {
			order = append(order, fmt.Sprint(kill.app.id.App.ID))
		}
		if got := strings.Join(order, " "); got != want {
			t.Errorf("faults %v: helped %s, want %s", faults, got, want)
		}
	}
}

func TestTheNewestIsPreemptedFirst(t *testing.T) {
	for faults, want := range map[Faults]string{{}: "8 7", {hashOrder: true}: "2 1"} {
		k := newKit(t, faults, `<queue name="a"/><queue name="b"><fairSharePreemptionTimeout>1</fairSharePreemptionTimeout></queue>`,
			func(c *Config) { c.Preemption = true })
		k.node("h1", "r", 8, 8)
		a := ids.Attempt{App: ids.Application{ID: 3}, Attempt: 1} // as in the recorded cases
		_, err := k.AddApp(k.now, a.App, Submission{User: "u", Queue: "root.a"})
		k.must(err)
		_, err = k.AddAttempt(k.now, AttemptSpec{ID: a, Unmanaged: true})
		k.must(err)
		k.wants(a, 8, 1)
		k.fill()
		k.wants(k.app(2, "root.b"), 4, 1)
		k.now += time.Second
		k.Update(k.now)
		var order []string
		for _, e := range k.Preempt(k.now) {
			order = append(order, fmt.Sprint(e.Container.Seq))
		}
		if got := strings.Join(order, " "); got != want {
			t.Errorf("faults %v: %s, want %s", faults, got, want)
		}
	}
}

func TestValidateSaysAllThatIsWrong(t *testing.T) {
	c := DefaultConfig()
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	c.Minimum.Memory, c.Increment.VCores, c.ReservableNodes, c.Epoch = 9000, 0, 1.5, -1
	err := c.Validate()
	for _, part := range []string{"minimum-allocation-mb is 9000", "increment-allocation-vcores is 0", "reservable-nodes is 1.5", "epoch is -1"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("no %q in %v", part, err)
		}
	}
	if _, err := New(0, c, NoAllocations(Options{})); err == nil {
		t.Error("a scheduler with a wrong configuration")
	}
}

func TestCheckAsk(t *testing.T) {
	most := Resource{8192, 4}
	for asked, fine := range map[Resource]bool{{0, 0}: true, {8192, 4}: true, {8193, 1}: false, {1, 5}: false, {-1, 1}: false, {1, -1}: false} {
		err := CheckAsk(asked, most, most)
		var invalid *invalidRequestError
		if (err == nil) != fine || err != nil && !errors.As(err, &invalid) {
			t.Errorf("%s: %v", asked, err)
		}
	}
}

func TestAnAskOfNothingForgetsItsPlaces(t *testing.T) {
	k := newKit(t, Faults{}, `<queue name="a"/>`, nil)
	a := k.app(1, "root.a")
	one := Resource{1024, 1}
	for _, asks := range [][]Ask{
		{{Key{1, 0}, "h1", one, 2, true}, {Key{1, 0}, "r1", one, 2, true}, {Key{1, 0}, Any, one, 2, true}, {Key{2, 0}, Any, one, 1, true}},
		{{Key{1, 0}, Any, one, 0, true}, {Key{1, 0}, "h2", one, 1, true}},
	} {
		_, err := k.Allocate(k.now, a, Demand{Asks: asks})
		k.must(err)
	}
	if s, _ := k.App(a); len(s.Pending) != 1 || s.Pending[0].Priority != 2 {
		t.Errorf("it wants %v still", s.Pending)
	}
}

func TestWhatIsNotUsedInTimeEnds(t *testing.T) {
	k := newKit(t, Faults{}, `<queue name="a"/>`, nil)
	k.node("h1", "r", 4, 4)
	k.wants(k.app(1, "root.a"), 1, 1)
	expired := End{ExitStatus: exitstatus.Aborted, Diagnostics: DiagnosticsExpired, Cause: Expired}
	id := k.beat("h1")[0].Container
	same(t, "expired", k.Complete(k.now, id, expired), "gone 1:1 h1:1 -100 EXPIRE")
	same(t, "again", k.Complete(k.now, id, expired))
}

func TestAQueueOutOfTheFileGoesWhenItIsEmpty(t *testing.T) {
	k := newKit(t, Faults{}, `<queue name="a"/><queue name="b"><queue name="c"/></queue>`, nil)
	a := k.app(1, "root.a")
	k.app(2, "root.made.deep")
	names := func() (names []string) {
		for _, q := range k.Queues() {
			names = append(names, q.Name)
		}
		return names
	}
	k.Reload(k.now, parsed(t, Faults{}, `<queue name="d"/>`))
	k.Tidy(k.now)
	if got, want := names(), []string{"root", "root.a", "root.d", "root.made", "root.made.deep"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	k.RemoveApp(k.now, a.App)
	k.RemoveApp(k.now, attemptOf(2).App)
	k.Tidy(k.now)
	if got, want := names(), []string{"root", "root.d"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	k.Reload(k.now, parsed(t, Faults{}, `<queue name="d"><queue name="e"/></queue>`)) // it is a parent now
	if got, want := names(), []string{"root", "root.d", "root.d.e"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	k.theseAreAll("root.d.e")
}
