package resourcemanager_test

import (
	"strings"
	"testing"
	"time"

	logtest "github.com/sirupsen/logrus/hooks/test"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager"
	"github.com/coherer/coherer/messages/yarn"
)

func (k *kit) move(app ids.Application, to string) error {
	k.t.Helper()
	_, err := askErr[*yarn.MoveApplicationAcrossQueuesResponse](k, k.tool, "ClientRMService",
		&yarn.MoveApplicationAcrossQueuesRequest{ApplicationId: app.Proto(), TargetQueue: to})
	return err
}

// An application at its queue's maximum is given more in another queue. It is there after a restart too.
func TestAnApplicationMoves(t *testing.T) {
	k := kitWith(t, resourcemanager.Config{Allocations: &file{content: twoQueues}})
	n := k.node("N1", 16384, 16)
	am, app := k.running(n, inQueue("a"))
	am.allocate(anywhere(9))
	k.beats(20*time.Second, n)
	if got := am.allocate().GetAllocatedContainers(); len(got) != 3 {
		t.Fatalf("%d containers in queue a", len(got))
	}
	if err := k.move(app, "b"); err != nil {
		t.Fatal(err)
	}
	if q := k.report(app).GetQueue(); q != "root.b" {
		t.Errorf("queue %s", q)
	}
	k.beats(20*time.Second, n)
	if got := am.allocate().GetAllocatedContainers(); len(got) != 6 {
		t.Errorf("%d containers in queue b", len(got))
	}
	refused(t, k.move(app, "a"), exceptions.YARN, "would violate queue maxShare constraints on queue root.a")
	refused(t, k.move(app, "nowhere"), exceptions.YARN, "Target queue root.nowhere not found or is not a leaf queue.")
	refused(t, k.move(ids.Application{Timestamp: app.Timestamp, ID: 99}, "b"), exceptions.ApplicationNotFound, "doesn't exist")

	k, _ = keptKit(t)
	first, second := k.submit(inQueue("x")), k.submit(inQueue("y"))
	k.Advance(time.Second)
	if err := k.move(first, "root.y"); err != nil {
		t.Fatal(err)
	}
	k.restart()
	for _, id := range []ids.Application{first, second} {
		if q := k.report(id).GetQueue(); q != "root.y" {
			t.Errorf("after a restart %s is in %s", id, q)
		}
	}
	ask[*yarn.KillApplicationResponse](k, k.tool, "ClientRMService", &yarn.KillApplicationRequest{ApplicationId: second.Proto()})
	k.Advance(time.Second)
	refused(t, k.move(second, "root.x"), exceptions.YARN, "App in KILLED state cannot be moved.")
}

// One that waits for its queue's limit may run in another queue, and the log says so.
func TestAMovedApplicationMayRun(t *testing.T) {
	k := kitWith(t, resourcemanager.Config{Allocations: &file{content: `<allocations><queue name="a"><maxRunningApps>1</maxRunningApps></queue><queue name="b"/></allocations>`}})
	log := logtest.NewLocal(k.env.Log().Logger)
	k.node("N1", 16384, 16)
	k.submit(inQueue("a"))
	waits := k.submit(inQueue("a"))
	if err := k.move(waits, "b"); err != nil {
		t.Fatal(err)
	}
	said := 0
	for _, e := range log.AllEntries() {
		if strings.HasSuffix(e.Message, " may run now") {
			said++
			if want := (ids.Attempt{App: waits, Attempt: 1}).String(); !strings.HasPrefix(e.Message, want) {
				t.Errorf("it says %q, want it of %s", e.Message, want)
			}
		}
	}
	if said != 1 {
		t.Errorf("said %d times", said)
	}
}

func TestAFifoSchedulerMovesNothing(t *testing.T) {
	k := newKit(t, "yarn.resourcemanager.scheduler.class", "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler")
	app := k.submit(nil)
	k.Advance(time.Second)
	refused(t, k.move(app, "default"), exceptions.YARN, "does not support moving apps")
}
