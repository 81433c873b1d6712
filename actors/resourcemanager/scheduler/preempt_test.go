package scheduler

import (
	"testing"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/life"
	"github.com/coherer/coherer/actors/resourcemanager/rmtest"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv/trace"
)

// starved are queues whose applications starve when they have less than half of their fair share for a second.
const starved = `<allocations><queue name="a"/><queue name="b"/><queue name="c"/>
	<defaultFairSharePreemptionTimeout>1</defaultFairSharePreemptionTimeout>
	<defaultFairSharePreemptionThreshold>0.5</defaultFairSharePreemptionThreshold></allocations>`

// big adds a node of 8192 MiB that has cores to spare.
func (r scheduling) big(containers ...*yarn.NMContainerStatus) ids.Node {
	r.T.Helper()
	n := ids.Node{Host: "h", Port: 8041}
	r.Send(NodeAdded{Node: n, Rack: "/r", Total: &yarn.Resource{Memory: 8192, VirtualCores: 24}, Containers: containers})
	return n
}

// wants makes the first attempt of an application in a queue ask for a container.
func (r scheduling) wants(id int32, queue string) ids.Application {
	r.T.Helper()
	at := r.begins(ids.Application{Timestamp: 5, ID: id}, queue)
	must[Allocation](r, Allocate{Attempt: at, Asks: []*yarn.ResourceRequest{anyAsk(1)}})
	return at.App
}

// taken is the container that will be preempted for an application, and the time that it has left; 0: none.
func (r scheduling) taken(app ids.Application) (id ids.Container, left time.Duration) {
	r.T.Helper()
	for seq := range int64(8) {
		if p := must[ContainerPlace](r, RequestContainer{ID: rmtest.Container(seq + 1)}); p.PreemptedFor == app.String() {
			return rmtest.Container(seq + 1), p.PreemptedIn
		}
	}
	return ids.Container{}, 0
}

// Marked containers end when their time is over, each group at its own, though no update lies between them; one timer serves
// each, however many updates see it.
func TestWhatIsMarkedEndsInItsTime(t *testing.T) {
	r := newScheduling(t, BeginScheduler{Allocations: []byte(starved)},
		"yarn.scheduler.fair.preemption", "true", "yarn.scheduler.fair.waitTimeBeforeKill", "5000", "yarn.scheduler.fair.update-interval-ms", "3600000")
	update := func() { r.Send(updateTick{}) }
	n := r.big()
	greedy := r.begins(rmtest.App, "a")
	must[Allocation](r, Allocate{Attempt: greedy, Asks: []*yarn.ResourceRequest{anyAsk(8)}})
	update()
	for range 8 {
		must[NodeUpdated](r, NodeUpdate{Node: n})
	}
	first := r.wants(2, "b")
	update()
	r.Pass(800)
	second := r.wants(3, "c")
	update()
	r.Pass(800)
	update()
	r.Pass(800)
	update()
	early, left := r.taken(first)
	late, more := r.taken(second)
	if left == 0 || more == 0 || early == late || more-left < 700*time.Millisecond || more > 5*time.Second {
		t.Fatalf("%s is taken in %s, %s in %s", early, left, late, more)
	}
	there := func(id ids.Container) bool { return must[ContainerPlace](r, RequestContainer{ID: id}).Failure == nil }
	r.Advance(left - 10*time.Millisecond)
	if !there(early) || !there(late) {
		t.Error("a container ends before its time")
	}
	r.Pass(20)
	if there(early) || !there(late) {
		t.Errorf("at the first time: the first is there %t, the second %t", there(early), there(late))
	}
	r.Advance(more - left - 20*time.Millisecond)
	if !there(late) {
		t.Error("the second ends before its time")
	}
	r.Pass(20)
	if there(late) {
		t.Error("the second is there after its time")
	}
	r.Pass(5000)
	ticks := 0
	for _, e := range r.Trace().Entries {
		if e.K == trace.KindItem && e.Name == "timer killTick" {
			ticks++
		}
	}
	if ticks != 2 {
		t.Errorf("%d timers for two times", ticks)
	}
}

// Nothing is preempted while nothing is given: the nodes of what an application lacks may still come back.
func TestNothingIsPreemptedSoonAfterARestart(t *testing.T) {
	r := newScheduling(t, BeginScheduler{Life: life.Life{Recovered: true}, Allocations: []byte(starved)},
		"yarn.scheduler.fair.preemption", "true", "yarn.scheduler.fair.waitTimeBeforeKill", "60000", "yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms", "8000")
	r.begins(rmtest.App, "a")
	var all []*yarn.NMContainerStatus
	for seq := range int64(8) {
		all = append(all, live(seq+1, 1024))
	}
	r.big(all...)
	app := r.wants(2, "b")
	for r.Now().Before(r.s.readyAt.Add(-100 * time.Millisecond)) {
		if id, _ := r.taken(app); id.Seq != 0 {
			t.Fatalf("%s is marked %s before containers are given", id, r.s.readyAt.Sub(r.Now()))
		}
		r.Pass(100)
	}
	r.Pass(1000)
	if id, _ := r.taken(app); id.Seq == 0 {
		t.Error("nothing is marked when containers are given")
	}
}
