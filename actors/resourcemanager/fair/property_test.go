package fair

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/coherer/coherer/actors/hadoop/exitstatus"
	"github.com/coherer/coherer/actors/ids"
)

// world is a scheduler that is driven at random, and a ledger of its own, kept from what it told.
type world struct {
	*Scheduler
	t        *rapid.T
	now      time.Duration
	nextNode int
	nextApp  int32
	alive    []ids.Attempt
	live     map[ids.Container]Event // by events
	seen     map[ids.Container]bool  // ids that were given out
	shrunk   map[string]bool         // nodes that have less than before
	reloaded bool
}

// files are what the allocations may be.
var files = []string{
	`<allocations/>`,
	`<allocations><queue name="a"><weight>3</weight><minResources>4096 mb, 4 vcores</minResources><minSharePreemptionTimeout>1</minSharePreemptionTimeout></queue>
		<queue name="b"><maxResources>6144 mb, 5 vcores</maxResources><maxRunningApps>2</maxRunningApps></queue>
		<queue name="c"><fairSharePreemptionTimeout>1</fairSharePreemptionTimeout><fairSharePreemptionThreshold>1.0</fairSharePreemptionThreshold></queue>
		<userMaxAppsDefault>5</userMaxAppsDefault></allocations>`,
	`<allocations><defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy><defaultFairSharePreemptionTimeout>1</defaultFairSharePreemptionTimeout>
		<queue name="p"><maxResources>50%</maxResources><queue name="a"/><queue name="b"><maxAMShare>0.2</maxAMShare></queue></queue>
		<queue name="c"><schedulingPolicy>fifo</schedulingPolicy><allowPreemptionFrom>false</allowPreemptionFrom></queue></allocations>`,
}

func allocationsOf(tb rapid.TB, file string, faults Faults) *Allocations {
	a, err := parseAllocations([]byte(file), Options{Faults: faults, AllowUndeclared: true, UserAsDefaultQueue: true})
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

func newWorld(t *rapid.T, faults Faults) *world {
	conf := DefaultConfig()
	conf.Faults = faults
	conf.Preemption = rapid.Bool().Draw(t, "preemption")
	conf.UtilizationThreshold = 0.1
	conf.WaitBeforeKill, conf.WaitBeforeCheck = time.Second, time.Second
	conf.AssignMultiple, conf.DynamicMaxAssign = rapid.Bool().Draw(t, "multiple"), rapid.Bool().Draw(t, "dynamic")
	conf.Continuous = rapid.Bool().Draw(t, "continuous")
	if rapid.Bool().Draw(t, "delays") {
		conf.NodeThreshold, conf.RackThreshold, conf.NodeDelay, conf.RackDelay = 0.5, 0.5, time.Second, time.Second
	}
	conf.SizeBasedWeight = rapid.Bool().Draw(t, "sized")
	w := &world{t: t, now: time.Second, live: map[ids.Container]Event{}, seen: map[ids.Container]bool{}, shrunk: map[string]bool{}}
	var err error
	if w.Scheduler, err = New(w.now, conf, allocationsOf(t, rapid.SampledFrom(files).Draw(t, "file"), faults)); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) must(err error) {
	if err != nil {
		w.t.Fatal(err)
	}
}

// noted takes events into the ledger.
func (w *world) noted(events []Event) {
	for _, e := range events {
		switch e.Kind {
		case Allocated:
			if w.seen[e.Container] {
				w.t.Fatalf("%s is given twice", e.Container)
			}
			w.seen[e.Container], w.live[e.Container] = true, e
			n := w.nodes.byID[e.Node]
			if (n.free.Memory < 0 || n.free.VCores < 0) && !w.shrunk[n.id] {
				w.t.Fatalf("%s makes %s have %s free", e.Container, n.id, n.free)
			}
			a := w.attempts[e.Attempt]
			for q := a.queue; w.conf.Faults == (Faults{}) && q != nil; q = q.parent {
				if !q.Usage.Fits(q.MaxShare) {
					w.t.Fatalf("%s makes queue %s have %s, of at most %s", e.Container, q.Name, q.Usage, q.MaxShare)
				}
			}
		case Gone:
			if _, ok := w.live[e.Container]; !ok {
				w.t.Fatalf("%s is gone twice, or was never there", e.Container)
			}
			delete(w.live, e.Container)
		}
	}
}

func (w *world) someNode() *node {
	if len(w.nodes.all) == 0 {
		return nil
	}
	return w.nodes.all[rapid.IntRange(0, len(w.nodes.all)-1).Draw(w.t, "node")]
}

func (w *world) someApp() *app {
	if len(w.alive) == 0 {
		return nil
	}
	return w.attempts[w.alive[rapid.IntRange(0, len(w.alive)-1).Draw(w.t, "app")]]
}

func (w *world) place(n int) (host, rack string) {
	return fmt.Sprintf("h%d", n), fmt.Sprintf("r%d", n%3)
}

// step does one thing.
func (w *world) step() {
	t := w.t
	switch op := rapid.SampledFrom([]string{
		"node", "node", "unnode", "resize", "app", "app", "unapp", "ask", "ask", "ask", "beat", "beat", "beat", "beat", "pass", "update",
		"update", "preempt", "kill", "reload", "drain", "time", "complete", "retry", "move",
	}).Draw(t, "op"); op {
	case "node":
		host, rack := w.place(w.nextNode)
		w.nextNode++
		w.must(w.AddNode(w.now, NodeSpec{host + ":1", host, rack, Resource{int64(rapid.IntRange(0, 12).Draw(t, "GiB")) * 1024, int64(rapid.IntRange(0, 12).Draw(t, "cores"))}}))
	case "unnode":
		if n := w.someNode(); n != nil && len(w.nodes.all) > 2 {
			events, err := w.RemoveNode(w.now, n.id)
			w.must(err)
			w.noted(events)
		}
	case "resize":
		if n := w.someNode(); n != nil {
			w.shrunk[n.id] = true
			w.must(w.UpdateNodeResource(w.now, n.id, Resource{int64(rapid.IntRange(0, 12).Draw(t, "GiB")) * 1024, 8}))
		}
	case "app":
		w.app()
	case "unapp":
		if a := w.someApp(); a != nil {
			w.noted(w.RemoveApp(w.now, a.id.App))
			w.alive = slices.DeleteFunc(w.alive, func(x ids.Attempt) bool { return x == a.id })
		}
	case "ask":
		w.ask()
	case "beat":
		w.beat()
	case "pass":
		w.noted(w.ContinuousPass(w.now))
	case "update":
		w.Update(w.now)
	case "preempt":
		w.noted(w.Preempt(w.now))
	case "kill":
		w.noted(w.KillMarked(w.now))
	case "reload":
		w.reloaded = true
		w.noted(w.Reload(w.now, allocationsOf(t, rapid.SampledFrom(files).Draw(t, "file"), w.conf.Faults)))
	case "drain":
		if n := w.someNode(); n != nil {
			w.must(w.Drain(w.now, n.id, rapid.Bool().Draw(t, "drain")))
		}
	case "time":
		w.now += time.Duration(rapid.IntRange(1, 5000).Draw(t, "ms")) * time.Millisecond
	case "move":
		if a := w.someApp(); a != nil {
			ran := a.runnable
			target := rapid.SampledFrom(slices.Sorted(maps.Keys(w.queues))).Draw(t, "target")
			queue, events, err := w.MoveApp(w.now, a.id.App, target)
			w.noted(events)
			if err == nil && (a.queue.Name != queue || ran && !a.runnable) {
				t.Fatalf("%s is in %s, moved to %s; it may run: %t, it might: %t", a.id, a.queue.Name, queue, a.runnable, ran)
			}
		}
	case "retry":
		if a := w.someApp(); a != nil {
			w.retry(a)
		}
	case "complete":
		if a := w.someApp(); a != nil && len(a.live) > 0 {
			w.noted(w.Complete(w.now, a.live[0].ID, End{ExitStatus: exitstatus.Aborted, Cause: Expired}))
		}
	}
}

// retry ends an attempt, whose running containers wait for the next one, and may end meanwhile.
func (w *world) retry(a *app) {
	events, err := w.RemoveAttempt(w.now, a.id, true)
	w.must(err)
	w.noted(events)
	w.beat()
	w.alive = slices.DeleteFunc(w.alive, func(x ids.Attempt) bool { return x == a.id })
	if rapid.Bool().Draw(w.t, "gives up") {
		w.noted(w.RemoveApp(w.now, a.id.App))
		return
	}
	next := a.id
	next.Attempt++
	_, err = w.AddAttempt(w.now, AttemptSpec{ID: next, Keep: a.id})
	w.must(err)
	w.alive = append(w.alive, next)
}

func (w *world) app() {
	t := w.t
	w.nextApp++
	id := ids.Attempt{App: ids.Application{Timestamp: 1, ID: w.nextApp}, Attempt: 1}
	queue := rapid.SampledFrom([]string{"default", "root.a", "root.b", "root.c", "root.p.a", "root.p.b", "root.x.y"}).Draw(t, "queue")
	user := rapid.SampledFrom([]string{"u1", "u2"}).Draw(t, "user")
	if _, err := w.AddApp(w.now, id.App, Submission{User: user, Queue: queue}); err != nil {
		return
	}
	_, err := w.AddAttempt(w.now, AttemptSpec{ID: id, Unmanaged: rapid.Bool().Draw(t, "unmanaged")})
	w.must(err)
	w.alive = append(w.alive, id)
}

func (w *world) ask() {
	a, t := w.someApp(), w.t
	if a == nil {
		return
	}
	key := Key{int32(rapid.IntRange(0, 2).Draw(t, "priority")), 0}
	size := Resource{int64(rapid.IntRange(0, 5).Draw(t, "GiB")) * 1000, int64(rapid.IntRange(0, 3).Draw(t, "cores"))}
	d := Demand{Asks: []Ask{{key, Any, size, int64(rapid.IntRange(-1, 6).Draw(t, "count")), rapid.Bool().Draw(t, "relax")}}}
	if rapid.Bool().Draw(t, "near") {
		host, rack := w.place(rapid.IntRange(0, max(w.nextNode, 1)).Draw(t, "place"))
		other := size
		if rapid.Bool().Draw(t, "another size") {
			other.Memory += 1024
		}
		d.Asks = append(d.Asks, Ask{key, host, other, int64(rapid.IntRange(0, 3).Draw(t, "at host")), true},
			Ask{key, rack, size, int64(rapid.IntRange(0, 3).Draw(t, "at rack")), rapid.Bool().Draw(t, "relax rack")})
	}
	if rapid.Bool().Draw(t, "blacklist") {
		host, rack := w.place(rapid.IntRange(0, max(w.nextNode, 1)).Draw(t, "blocked"))
		d.BlacklistAdd, d.BlacklistRemove = []string{host}, []string{rack}
	}
	if len(a.live) > 0 && rapid.Bool().Draw(t, "release") {
		d.Release = []ids.Container{a.live[len(a.live)-1].ID}
	}
	g, err := w.Allocate(w.now, a.id, d)
	if err != nil {
		if _, zero := errors.AsType[*ZeroShareError](err); !zero {
			t.Fatal(err)
		}
		return
	}
	w.noted(g.Events)
	if w.conf.Faults == (Faults{}) && (g.Headroom.Memory < 0 || g.Headroom.VCores < 0) { // TestHeadroomIsWhatThereIs has Hadoop's
		t.Fatalf("%s has headroom %s", a.id, g.Headroom)
	}
	for _, c := range g.Containers {
		if _, ok := w.live[c.ID]; !ok {
			t.Fatalf("%s is handed over and is not there", c.ID)
		}
	}
}

func (w *world) beat() {
	n := w.someNode()
	if n == nil {
		return
	}
	var launched []ids.Container
	var ended []Ended
	for i, c := range inOrder(n.containers) {
		switch {
		case i%3 == 0 && rapid.Bool().Draw(w.t, "ended"):
			ended = append(ended, Ended{ID: c.ID})
		case c.taken == nil: // its application has it
			launched = append(launched, c.ID)
		}
	}
	events, err := w.NodeUpdate(w.now, n.id, launched, ended)
	w.must(err)
	w.noted(events)
}

// check looks at all that has to hold at any time.
func (w *world) check() {
	t := w.t
	if len(w.live) != w.checkNodes() {
		t.Fatalf("the ledger has %d containers, the nodes %d", len(w.live), w.checkNodes())
	}
	for _, q := range w.queues {
		w.checkQueue(q)
	}
	for id, a := range w.attempts {
		var sum, marked, reserving Resource
		for _, c := range a.live {
			sum = sum.Plus(c.Resource)
			if w.containers[c.ID] != c || c.app != a || w.live[c.ID].Resource != c.Resource {
				t.Fatalf("%s has %s, which is another's", id, c.ID)
			}
		}
		for _, c := range a.marked {
			marked = marked.Plus(c.Resource)
		}
		for _, c := range a.reserved {
			if reserving = reserving.Plus(c.Resource); c.node.reserved != c {
				t.Fatalf("%s has reserved %s, which does not know of it", id, c.node.id)
			}
		}
		if sum != a.Usage || marked != a.markedSum || reserving != a.reserving {
			t.Fatalf("%s: usage %s of %s, marked %s of %s, reserved %s of %s", id, a.Usage, sum, a.markedSum, marked, a.reserving, reserving)
		}
		var wanted Resource
		for _, r := range a.byKey {
			if r.any.count > 0 {
				wanted = wanted.Plus(r.any.capability.times(r.any.count))
			}
		}
		if wanted != a.wanted() {
			t.Fatalf("%s wants %s, counted %s", id, wanted, a.wanted())
		}
	}
}

func (w *world) checkNodes() (containers int) {
	reserved := 0
	var total, free Resource
	for _, n := range w.nodes.all {
		var used, owes Resource
		var markedSum Resource
		for _, c := range n.containers {
			used = used.Plus(c.Resource)
			if c.marked {
				markedSum = markedSum.Plus(c.Resource)
			}
		}
		for _, o := range n.owed {
			owes = owes.Plus(o.amount)
		}
		if n.total.Minus(used) != n.free || owes != n.owedTotal || markedSum != n.markedSum {
			w.t.Fatalf("node %s: free %s of %s with %s in use, owes %s of %s, %s marked of %s", n.id, n.free, n.total, used, n.owedTotal, owes, n.markedSum, markedSum)
		}
		if n.reserved != nil {
			reserved++
		}
		containers += len(n.containers)
		total, free = total.Plus(n.total), free.Plus(n.free)
	}
	if len(w.containers) != containers+reserved {
		w.t.Fatalf("%d containers and %d reservations, %d in the books", containers, reserved, len(w.containers))
	}
	if total != w.nodes.total || total.Minus(free) != w.root.Usage {
		w.t.Fatalf("the cluster has %s of %s, root uses %s of %s", w.nodes.total, total, w.root.Usage, total.Minus(free))
	}
	return containers
}

// checkQueue: sums are those of what is below, and the order is that of sorting everything.
func (w *world) checkQueue(q *queue) {
	var usage Resource
	running, wanting := len(q.apps), 0
	var all []*member
	for _, a := range q.apps {
		usage = usage.Plus(a.Usage)
		if a.Demand != a.Usage {
			wanting++
			all = append(all, &a.member)
		}
	}
	for _, a := range q.waiting {
		usage = usage.Plus(a.Usage)
	}
	for _, c := range q.children {
		usage = usage.Plus(c.Usage)
		running += c.running
		if wanting += c.wanting; c.wanting > 0 {
			all = append(all, &c.member)
		}
	}
	if usage != q.Usage || running != q.running || wanting != q.wanting {
		w.t.Fatalf("queue %s: usage %s of %s, %d running of %d, %d wanting of %d", q.Name, q.Usage, usage, q.running, running, q.wanting, wanting)
	}
	if q.running > q.set.MaxRunningApps && !w.reloaded {
		w.t.Fatalf("queue %s: %d running, of at most %d", q.Name, q.running, q.set.MaxRunningApps)
	}
	slices.SortFunc(all, func(a, b *member) int { return q.policy.Compare(a.schedulable, b.schedulable, w.nodes.total) })
	if got := q.order.in(w.nodes.total); w.conf.Faults == (Faults{}) && !slices.Equal(got, all) {
		w.t.Fatalf("queue %s serves %v, want %v", q.Name, namesOf(got), namesOf(all))
	}
}

func namesOf(all []*member) string {
	var names []string
	for _, m := range all {
		names = append(names, m.Name)
	}
	return strings.Join(names, " ")
}

// Over any history: nothing is given beyond a node or a maximum, every container is in each book once, and the orders that
// are mended are those of sorting everything.
func TestBooksHoldOverAnyHistory(t *testing.T) {
	for _, faults := range []Faults{{}, Upstream()} {
		t.Run(fmt.Sprint(faults), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				w := newWorld(t, faults)
				for range rapid.IntRange(1, 120).Draw(t, "steps") {
					w.step()
					w.check()
				}
				for _, id := range slices.Clone(w.alive) {
					w.noted(w.RemoveApp(w.now, id.App))
				}
				w.check()
				if len(w.live)+len(w.containers)+len(w.users) != 0 || !w.root.Usage.IsZero() {
					t.Fatalf("all have ended, and there are %d containers, %d users, %s in use", len(w.containers), len(w.users), w.root.Usage)
				}
			})
		})
	}
}
