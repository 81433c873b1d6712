package resourcemanager

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

var secondAttempt = ids.Attempt{App: anApp, Attempt: 2}

// The book's refusal of a node is logged and changes nothing.
func TestWhatTheBookRefusesOfANode(t *testing.T) {
	r := newScheduling(t, beginScheduler{})
	n := r.add("h")
	r.add("h", live(9, 1024))
	r.logged("add h:8041: node h:8041 is added twice: remove it first")
	r.is(r.heard(), "")
	r.send(nodeRemoved{node: nodeID{"x", 1}})
	r.send(drainNode{node: nodeID{"x", 1}, drain: true})
	r.logged("remove x:1: node x:1 is unknown to the scheduler", "drain x:1: node x:1 is unknown to the scheduler")
	r.run(func(*rpcenv.Context) { r.s.nodes["x:1"] = &scheduledNode{id: nodeID{"x", 1}} }) // as if it were there
	must[nodeUpdated](r, nodeUpdate{node: nodeID{"x", 1}})
	r.send(nodeReconnected{node: nodeID{"x", 1}, total: &yarn.Resource{Memory: 1}})
	r.logged("update x:1: node x:1 is unknown to the scheduler", "x:1 reconnects: node x:1 is unknown to the scheduler")
	delete(r.s.nodes, "x:1")
	r.send(nodeRemoved{node: n})
	must[nodeUpdated](r, nodeUpdate{node: n})
	if len(r.s.nodes) != 0 {
		t.Errorf("nodes: %v", r.s.nodes)
	}
}

// An event that a state has no row for is logged and changes nothing.
func TestAnEventOutOfTurnChangesNothing(t *testing.T) {
	r := newScheduling(t, beginScheduler{})
	r.run(func(c *rpcenv.Context) {
		k := &container{machine: machine.Container{State: machine.ContainerReserved}}
		r.s.step(c, k, machine.ContainerLaunch, machine.Always, nil)
		if k.machine.State != machine.ContainerReserved {
			t.Errorf("the container is %s", k.machine.State)
		}
		n := &node{machine: machine.Node{State: machine.NodeLost}}
		if did := newResourceTracker(Config{}).step(c, n, machine.NodeStarted, machine.Always, ""); did != nil || n.machine.State != machine.NodeLost {
			t.Errorf("the node is %s, to do %v", n.machine.State, did)
		}
		s := newClientRMService(Config{})
		a := &application{machine: machine.App{State: machine.AppAccepted}}
		s.stepApp(c, a, machine.AppStart, machine.Always, "")
		at := &attempt{machine: machine.Attempt{State: machine.AttemptScheduled}, app: a}
		s.stepAttempt(c, at, machine.AttemptRegister, machine.Always, "")
		if a.machine.State != machine.AppAccepted || at.machine.State != machine.AttemptScheduled {
			t.Errorf("the application is %s, the attempt %s", a.machine.State, at.machine.State)
		}
	})
	if len(r.errors) != 4 {
		t.Errorf("logged: %q", r.errors)
	}
	r.errors = nil
}

// Shares are computed when nodes change, not at the next update.
func TestSharesFollowNodesAtOnce(t *testing.T) {
	r := newScheduling(t, beginScheduler{}, "yarn.scheduler.fair.update-interval-ms", "60000")
	share := func() int64 { return must[books](r, requestBooks{}).queues[0].FairShare.Memory }
	n := r.add("h")
	if got := share(); got != 8192 {
		t.Errorf("with a node root's share is %d", got)
	}
	r.send(nodeRemoved{node: n})
	if got := share(); got != 0 {
		t.Errorf("without a node root's share is %d", got)
	}
	fifo := newScheduling(t, beginScheduler{}, "yarn.resourcemanager.scheduler.class", "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler")
	fifo.send(nodeRemoved{node: fifo.add("h")})
	fifo.Advance(time.Minute)
}

// A rack that is asked for is the node's.
func TestARackIsThatOfTheNode(t *testing.T) {
	r := newScheduling(t, beginScheduler{})
	n := r.add("h")
	r.attempt(false)
	r.give(n)
	no := false
	for _, is := range []struct {
		rack string
		want int
	}{{"/other", 0}, {"/r", 1}} {
		rack, anywhere := anyAsk(1), anyAsk(1)
		rack.ResourceName, anywhere.RelaxLocality = is.rack, &no
		rack.Priority, anywhere.Priority = &yarn.Priority{Priority: 7}, &yarn.Priority{Priority: 7}
		must[allocation](r, allocate{attempt: anAttempt, asks: []*yarn.ResourceRequest{rack, anywhere}})
		r.Advance(time.Second)
		must[nodeUpdated](r, nodeUpdate{node: n})
		if got := must[allocation](r, allocate{attempt: anAttempt}).containers; len(got) != is.want {
			t.Errorf("on rack %s: %v", is.rack, got)
		}
	}
}

// An attempt may release what it has, not what another application has, also with the faults of Hadoop's FairScheduler.
func TestAnotherApplicationsContainerIsNotReleased(t *testing.T) {
	for _, compat := range []string{"fixed", "YARN-FAIR"} {
		r := newScheduling(t, beginScheduler{}, "coherer.compat", compat)
		n := r.add("h")
		r.attempt(false)
		r.give(n)
		other := r.begins(ids.Application{Timestamp: 5, ID: 2}, "default")
		must[allocation](r, allocate{attempt: other, release: []ids.Container{aContainer(1)}})
		r.is(must[containerPlace](r, requestContainer{id: aContainer(1)}).state.String(), "ACQUIRED")
	}
}

// An application has one attempt at a time.
func TestAnApplicationHasOneAttemptAtATime(t *testing.T) {
	r := newScheduling(t, beginScheduler{})
	r.attempt(false)
	if _, err := request[attemptAdded](r, appAttemptAdded{attempt: anAttempt}); !errors.Is(err, exceptions.YARN) || !strings.Contains(err.Error(), anAttempt.String()) {
		t.Errorf("an attempt that is there already: %v", err)
	}
	r.send(appAttemptRemoved{attempt: anAttempt, keep: true})
	if _, err := request[allocation](r, allocate{attempt: anAttempt}); !errors.Is(err, exceptions.ApplicationAttemptNotFound) {
		t.Errorf("an attempt that ended: %v", err)
	}
}

// Where an application goes may depend on its user's groups; when they are not known it is said why.
func TestGroupsPlaceApplications(t *testing.T) {
	const file = `<allocations><queuePlacementPolicy><rule name="primaryGroup"/></queuePlacementPolicy></allocations>`
	r := newScheduling(t, beginScheduler{allocations: []byte(file)})
	a := must[appAccepted](r, appAdded{app: anApp, user: "ada", queue: "default", groups: []string{"dev", "ops"}})
	r.is(a.queue, "root.dev")
	_, err := request[appAccepted](r, appAdded{app: ids.Application{ID: 9}, user: "bob", queue: "default", groupsErr: errors.New("no LDAP")})
	if err == nil || !strings.Contains(err.Error(), "no LDAP") {
		t.Error(err)
	}
}

// The next attempt has all that runs, in the order of their numbers, with their priorities; what was not started is not among it.
func TestWhatTheNextAttemptHas(t *testing.T) {
	r := newScheduling(t, beginScheduler{life: life{recovered: true}})
	r.attempt(true)
	reports := []*yarn.NMContainerStatus{live(14, 1024), live(4, 1024), live(3, 1024), live(11, 1024), live(5, 1024)}
	for i, c := range reports {
		c.Priority = &yarn.Priority{Priority: int32(i)}
	}
	begun := r.Now()
	n := r.add("h", reports...)
	r.ms(11_000)
	r.give(n)
	d := must[attemptDescription](r, describeAttempt{attempt: anAttempt})
	text := ""
	for _, k := range d.previous {
		text += fmt.Sprintf("%d at %d, ", k.GetId().GetId(), k.GetPriority().GetPriority())
	}
	r.is(text, "3 at 2, 4 at 1, 5 at 4, 11 at 3, 14 at 0, ")
	u := must[usage](r, requestUsage{apps: []ids.Application{anApp}}).byApp[anApp]
	if most := int64(r.Now().Sub(begun).Seconds()) * 5; u.GetVcoreSeconds() < 5*11 || u.GetVcoreSeconds() > most {
		t.Errorf("it used %v since its containers were reported, want %d at most", u, most)
	}

	// A reported container of an attempt that the book does not have ends.
	r.s.apps[anApp].attempt = secondAttempt
	r.send(appAttemptRemoved{attempt: anAttempt})
	r.heard()
	stray := live(21, 1024)
	stray.ContainerId.AppAttemptId.AttemptId = 2
	r.send(nodeReconnected{node: n, total: &yarn.Resource{Memory: 8192, VirtualCores: 8}, containers: append(slices.Clone(reports[:0]), stray)})
	if got := r.heard(); got != "h ends 21" {
		t.Errorf("heard %q", got)
	}
}
