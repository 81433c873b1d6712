package resourcemanager_test

import (
	"errors"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/resourcemanager"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// file is a test's fair-scheduler.xml.
type file struct {
	content  string
	modified time.Time
	fail     error
}

func (f *file) Read(*rpcenv.Blocking) ([]byte, time.Time, error) {
	return []byte(f.content), f.modified, f.fail
}

const twoQueues = `<allocations><queue name="a"><maxResources>4096 mb, 4 vcores</maxResources></queue><queue name="b"/></allocations>`

// inQueue makes a submission go to a queue.
func inQueue(name string) func(*yarn.ApplicationSubmissionContext) {
	return func(s *yarn.ApplicationSubmissionContext) { s.Queue = name }
}

func TestQueuesOfTheAllocationFile(t *testing.T) {
	f := &file{content: twoQueues}
	k := kitWith(t, resourcemanager.Config{Allocations: f})
	n := k.node("N1", 16384, 16)
	am, app := k.running(n, inQueue("a"))
	if q := k.report(app).GetQueue(); q != "root.a" {
		t.Errorf("queue %s", q)
	}
	am.allocate(anywhere(9))
	k.beats(20*time.Second, n)
	if got := am.allocate().GetAllocatedContainers(); len(got) != 3 {
		t.Errorf("%d containers beside the ApplicationMaster's: the queue may have 4096 MiB", len(got))
	}

	f.content, f.modified = `<allocations><queue name="a"><maxResources>8192 mb, 8 vcores</maxResources></queue></allocations>`, k.Now()
	k.beats(4*time.Second, n)
	if got := am.allocate().GetAllocatedContainers(); len(got) != 0 {
		t.Errorf("%d containers: the file is not old enough", len(got))
	}
	k.beats(30*time.Second, n)
	if got := am.allocate().GetAllocatedContainers(); len(got) != 4 {
		t.Errorf("%d containers more, want 4: the queue may have 8192 MiB now", len(got))
	}
}

func TestABadFileKeepsTheOldQueues(t *testing.T) {
	f := &file{content: twoQueues}
	k := kitWith(t, resourcemanager.Config{Allocations: f})
	f.content, f.modified = "<nonsense", k.Now()
	k.Advance(30 * time.Second)
	const kept = "Failed to reload fair scheduler config file - will use existing allocations: the old allocations stay: allocation file"
	k.logged(kept + ", line 1: unexpected EOF")
	f.fail = errors.New("it is gone")
	k.Advance(30 * time.Second)
	k.logged(kept + " cannot be read: it is gone")
	app := k.submit(inQueue("a"))
	k.is(app, yarn.YarnApplicationState_ACCEPTED)
}

func TestABadFileAtTheStartEndsTheResourceManager(t *testing.T) {
	k := kitWith(t, resourcemanager.Config{Allocations: &file{content: "<nonsense"}})
	k.Settle()
	if k.Find("RM") != nil {
		t.Error("it goes on")
	}
	k.logged("exit 1: the ResourceManager has no scheduler and ends: yarn.scheduler.fair.allocation.file=: allocation file, line 1: unexpected EOF: mend the file, or name another")
}

// An application that starves gets what another has above its share: the other is warned first.
func TestPreemption(t *testing.T) {
	f := &file{content: `<allocations>
		<queue name="a"/><queue name="b"/>
		<defaultFairSharePreemptionTimeout>1</defaultFairSharePreemptionTimeout>
		<defaultFairSharePreemptionThreshold>0.5</defaultFairSharePreemptionThreshold>
	</allocations>`}
	k := kitWith(t, resourcemanager.Config{Allocations: f}, "yarn.scheduler.fair.preemption", "true", "yarn.scheduler.fair.waitTimeBeforeKill", "2000")
	n := k.node("N1", 12288, 24) // with all cores taken there would be none for another ApplicationMaster: maxAMShare
	greedy, _ := k.running(n, inQueue("a"))
	greedy.allocate(anywhere(11))
	k.beats(30*time.Second, n)
	if got := greedy.allocate().GetAllocatedContainers(); len(got) != 11 {
		t.Fatalf("%d containers, want all", len(got))
	}
	k.submit(inQueue("b"))
	warned := false
	var taken []*yarn.ContainerStatus
	for range 20 {
		k.beats(time.Second, n)
		r := greedy.allocate()
		warned = warned || len(r.GetPreempt().GetStrictContract().GetContainer()) > 0 && len(taken) == 0
		taken = append(taken, r.GetCompletedContainerStatuses()...)
	}
	if !warned || len(taken) == 0 {
		t.Fatalf("warned %t, taken %v", warned, taken)
	}
	for _, s := range taken {
		if s.GetExitStatus() != -102 || s.GetDiagnostics() != "Container preempted by scheduler" {
			t.Errorf("taken: %v", s)
		}
	}
}

// With continuous scheduling the passes after an ask look at it, in Hadoop those after the next update of demands. There is no
// heartbeat.
func TestContinuousScheduling(t *testing.T) {
	for compat, want := range map[string]struct {
		after time.Duration
		count int
	}{"fixed": {15 * time.Millisecond, 3}, "YARN-FAIR": {100 * time.Millisecond, 0}} {
		k := newKit(t, "yarn.scheduler.fair.continuous-scheduling-enabled", "true", "coherer.compat", compat)
		n := k.node("N1", 8192, 8)
		am, _ := k.running(n, nil)
		am.allocate(anywhere(3))
		k.Advance(want.after)
		if got := am.allocate().GetAllocatedContainers(); len(got) != want.count {
			t.Errorf("%q: %d containers %s after the ask, want %d", compat, len(got), want.after, want.count)
		}
		k.Advance(600 * time.Millisecond)
		if got := am.allocate().GetAllocatedContainers(); len(got) != 3-want.count {
			t.Errorf("%q: %d containers later", compat, len(got))
		}
	}
}

func TestTheFifoScheduler(t *testing.T) {
	k := newKit(t, "yarn.resourcemanager.scheduler.class", "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler")
	n := k.node("N1", 4096, 4)
	am, app := k.running(n, nil)
	am.allocate(anywhere(5))
	later := k.submit(nil)
	k.beats(5*time.Second, n)
	if got := am.allocate().GetAllocatedContainers(); len(got) != 3 {
		t.Errorf("the first application got %d containers, want all", len(got))
	}
	k.is(later, yarn.YarnApplicationState_ACCEPTED)
	q := ask[*yarn.GetQueueInfoResponse](k, k.tool, "ClientRMService", &yarn.GetQueueInfoRequest{QueueName: "default", IncludeApplications: true})
	if got := q.GetQueueInfo().GetApplications(); len(got) != 2 {
		t.Errorf("the queue has %d applications", len(got))
	}
	if s := k.state(); s.GetScheduler() != "fifoScheduler" || k.report(app).GetQueue() != "default" {
		t.Errorf("scheduler %s, queue %s", s.GetScheduler(), k.report(app).GetQueue())
	}
}
