package fair

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Whoever is marked makes room: with all that is marked on a node for an application what it is owed there fits, and without any
// one of them it does not; its own are not among them, and when they have ended it gets something.
func TestPreemptionIsNeverUseless(t *testing.T) {
	marked := 0
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t, Faults{})
		w.conf.Preemption, w.conf.NodeThreshold, w.conf.NodeDelay, w.conf.AssignMultiple = true, -1, -1, true
		w.noted(w.Reload(w.now, allocationsOf(t, rapid.SampledFrom(files[1:]).Draw(t, "file"), Faults{})))
		for range rapid.IntRange(1, 6).Draw(t, "nodes") {
			host, rack := w.place(w.nextNode)
			w.nextNode++
			w.must(w.AddNode(w.now, NodeSpec{host + ":1", host, rack, Resource{int64(rapid.IntRange(2, 12).Draw(t, "GiB")) * 1024, 12}}))
		}
		for _, those := range []string{"that have", "that come"} {
			for range rapid.IntRange(1, 4).Draw(t, those) {
				w.app()
			}
			for _, id := range w.alive {
				a := w.attempts[id]
				if a.managed = false; len(a.live) > 0 { // of two ApplicationMasters for which there is room only one may fit
					continue
				}
				size := Resource{int64(rapid.IntRange(1, 4).Draw(t, "GiB")) * 1024, int64(rapid.IntRange(1, 2).Draw(t, "cores"))}
				_, err := w.Allocate(w.now, id, Demand{Asks: []Ask{{Key{1, 0}, Any, size, int64(rapid.IntRange(1, 20).Draw(t, "count")), true}}})
				w.must(err)
			}
			for range rapid.IntRange(0, 4).Draw(t, "asks") {
				w.ask()
			}
			w.Update(w.now)
			for _, n := range w.nodes.all {
				for range 4 {
					events, err := w.NodeUpdate(w.now, n.id, nil, nil)
					w.must(err)
					w.noted(events)
				}
			}
		}
		w.now += 5 * time.Second
		w.Update(w.now)
		var kills []kill
		had := map[*app]Resource{}
		for a := w.nextStarving(); a != nil; a = w.nextStarving() {
			had[a] = a.Usage
			room, owed := map[*node]Resource{}, map[*node]Resource{}
			for _, n := range w.nodes.all {
				room[n], owed[n] = n.room(), n.owedTo(a)
			}
			k := kill{w.now, a, w.preemptFor(a)}
			kills = append(kills, k)
			for n, victims := range byNode(k.containers) {
				marked += len(victims)
				w.checkVictims(a, n, room[n], n.owedTo(a).Minus(owed[n]), victims)
			}
		}
		w.kills = append(w.kills, kills...)
		w.noted(w.take())
		w.noted(w.KillMarked(w.now + w.conf.WaitBeforeKill))
		for _, n := range w.nodes.all {
			events, err := w.NodeUpdate(w.now, n.id, nil, nil)
			w.must(err)
			w.noted(events)
		}
		for _, k := range kills {
			if len(k.containers) > 0 && k.app.Usage == had[k.app] {
				t.Fatalf("%s got nothing of what was preempted for it; it asks %v; why %+v", k.app.id, k.app.asks(), w.why(k.app))
			}
		}
	})
	if marked == 0 {
		t.Error("nothing was ever preempted: the test shows nothing")
	}
	t.Logf("%d containers were marked", marked)
}

func byNode(all []*container) map[*node][]*container {
	m := map[*node][]*container{}
	for _, c := range all {
		m[c.node] = append(m[c.node], c)
	}
	return m
}

func (w *world) checkVictims(a *app, n *node, room, owed Resource, victims []*container) {
	var sum Resource
	for _, c := range victims {
		sum = sum.Plus(c.Resource)
		if c.app == a || !c.app.queue.set.Preemptable || a.blocks(n) {
			w.t.Fatalf("%s is marked for %s", c.ID, a.id)
		}
		if v := c.app; v.queue.policy.Below(v.Usage.Minus(v.markedSum), v.FairShare, w.nodes.total) {
			w.t.Fatalf("%s will have %s, less than its fair share %s", v.id, v.Usage.Minus(v.markedSum), v.FairShare)
		}
	}
	if !owed.Fits(room.Plus(sum)) {
		w.t.Fatalf("%s is owed %s on %s, which has %s, and %s are marked", a.id, owed, n.id, room, sum)
	}
	if a.queue.full() {
		w.t.Fatalf("%s is marked for %s, whose queue is at its maximum", victims[0].ID, a.id)
	}
	for _, c := range victims {
		if owed.Fits(room.Plus(sum).Minus(c.Resource)) {
			w.t.Fatalf("without %s, %s, there is room for the %s that %s is owed on %s, which has %s: marked are %s, it asks %v", c.ID, c.Resource, owed, a.id, n.id, room, sum, a.asks())
		}
	}
}

// owedTo is what a node owes an application.
func (n *node) owedTo(a *app) (amount Resource) {
	for _, o := range n.owed {
		if o.app == a {
			amount = amount.Plus(o.amount)
		}
	}
	return amount
}

func (w *world) why(a *app) string {
	reasons, _ := w.Why(w.now, a.id)
	return fmt.Sprintf("%+v", reasons)
}
