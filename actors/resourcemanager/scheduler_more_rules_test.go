package resourcemanager

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/exceptions"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace"
)

var secondAttempt = ids.Attempt{App: anApp, Attempt: 2}

// What the book refuses of a node is logged and changes nothing.
func TestWhatTheBookRefusesOfANode(t *testing.T) {
	r := newScheduling(t, beginScheduler{})
	n := r.add("h")
	r.add("h", live(9, 1024))
	r.logged("add h:8041: node h:8041 is added twice: remove it first")
	r.is(r.heard(), "")
	r.tell(nodeRemoved{node: nodeID{"x", 1}})
	r.tell(drainNode{node: nodeID{"x", 1}, drain: true})
	r.logged("remove x:1: node x:1 is unknown to the scheduler", "drain x:1: node x:1 is unknown to the scheduler")
	r.run(func(*rpcenv.Context) { r.s.nodes["x:1"] = &scheduledNode{id: nodeID{"x", 1}} }) // as if it were there
	must[nodeUpdated](r, nodeUpdate{node: nodeID{"x", 1}})
	r.tell(nodeReconnected{node: nodeID{"x", 1}, total: &yarn.Resource{Memory: 1}})
	r.logged("update x:1: node x:1 is unknown to the scheduler", "x:1 reconnects: node x:1 is unknown to the scheduler")
	delete(r.s.nodes, "x:1")
	r.tell(nodeRemoved{node: n})
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
	r.tell(nodeRemoved{node: n})
	if got := share(); got != 0 {
		t.Errorf("without a node root's share is %d", got)
	}
	fifo := newScheduling(t, beginScheduler{}, "yarn.resourcemanager.scheduler.class", "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler")
	fifo.tell(nodeRemoved{node: fifo.add("h")})
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

// An attempt may release what it has, not what another application has.
func TestAnotherApplicationsContainerIsNotReleased(t *testing.T) {
	r := newScheduling(t, beginScheduler{})
	n := r.add("h")
	r.attempt(false)
	r.give(n)
	app := ids.Application{Timestamp: 5, ID: 2}
	must[appAccepted](r, appAdded{app: app, user: "ada", queue: "default", groups: []string{"ada"}})
	must[attemptAdded](r, appAttemptAdded{attempt: ids.Attempt{App: app, Attempt: 1}})
	must[allocation](r, allocate{attempt: ids.Attempt{App: app, Attempt: 1}, release: []ids.Container{aContainer(1)}})
	r.is(must[containerPlace](r, requestContainer{id: aContainer(1)}).state.String(), "ACQUIRED")
	if _, err := request[attemptAdded](r, appAttemptAdded{attempt: anAttempt}); !errors.Is(err, exceptions.YARN) || !strings.Contains(err.Error(), anAttempt.String()) {
		t.Errorf("an attempt that is there already: %v", err)
	}
	r.tell(appAttemptRemoved{attempt: anAttempt, keep: true})
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

// A container that its node cannot be found for is not given, and what ended is told all the same.
func TestAContainerWhoseNodeIsGone(t *testing.T) {
	r := newScheduling(t, beginScheduler{})
	n := r.add("h")
	r.attempt(true)
	r.give(n)
	r.give(n)
	must[allocation](r, allocate{attempt: anAttempt, asks: []*yarn.ResourceRequest{anyAsk(1)}})
	r.Advance(time.Second)
	must[nodeUpdated](r, nodeUpdate{node: n, launched: []ids.Container{aContainer(2)}})
	must[nodeUpdated](r, nodeUpdate{node: n, launched: []ids.Container{aContainer(2)}}) // the same again
	known := r.s.nodes["h:8041"]
	delete(r.s.nodes, "h:8041")
	if got := must[allocation](r, allocate{attempt: anAttempt}).containers; len(got) != 0 {
		t.Errorf("given: %v", got)
	}
	if d := must[attemptDescription](r, describeAttempt{attempt: anAttempt}); len(d.previous) != 0 {
		t.Errorf("described: %v", d.previous)
	}
	r.logged("container_5_0001_01_000003: its node is gone", "container_5_0001_01_000002: its node is gone")
	if p := must[containerPlace](r, requestContainer{id: aContainer(2)}); !p.found || p.node != nil {
		t.Errorf("%+v", p)
	}
	r.heard()
	must[allocation](r, allocate{attempt: anAttempt, release: []ids.Container{aContainer(2)}})
	r.is(r.heard(), "")
	r.is(r.completed(), `2 with -100 "Container released by application"`)
	r.s.nodes["h:8041"] = known
	must[allocation](r, allocate{attempt: anAttempt, asks: []*yarn.ResourceRequest{anyAsk(1)}})
	r.Advance(time.Second)
	must[nodeUpdated](r, nodeUpdate{node: n})
	delete(r.s.containers, aContainer(4))
	if got := must[allocation](r, allocate{attempt: anAttempt}).containers; len(got) != 0 {
		t.Errorf("given: %v", got)
	}
	r.logged("container_5_0001_01_000004 was given and nobody knows it")
	must[allocation](r, allocate{attempt: anAttempt, release: []ids.Container{aContainer(4)}})
}

// The next attempt has all that runs, in the order of their numbers, with their priorities; what was not started is not among it.
func TestWhatTheNextAttemptHas(t *testing.T) {
	r := newScheduling(t, beginScheduler{life: life{recovered: true}})
	r.attempt(true)
	reports := []*yarn.NMContainerStatus{live(14, 1024), live(3, 1024), live(8, 1024), live(11, 1024), live(5, 1024)}
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
	r.is(text, "3 at 1, 5 at 4, 8 at 2, 11 at 3, 14 at 0, ")
	u := must[usage](r, requestUsage{apps: []ids.Application{anApp}}).byApp[anApp]
	if most := int64(r.Now().Sub(begun).Seconds()) * 5; u.GetVcoreSeconds() < 5*11 || u.GetVcoreSeconds() > most {
		t.Errorf("it used %v since its containers were told, want %d at most", u, most)
	}

	// What is reported of an attempt that the book does not have ends.
	r.s.apps[anApp].attempt = secondAttempt
	r.tell(appAttemptRemoved{attempt: anAttempt})
	r.heard()
	stray := live(21, 1024)
	stray.ContainerId.AppAttemptId.AttemptId = 2
	r.tell(nodeReconnected{node: n, total: &yarn.Resource{Memory: 8192, VirtualCores: 8}, containers: append(slices.Clone(reports[:0]), stray)})
	if got := r.heard(); got != "h ends 21" {
		t.Errorf("heard %q", got)
	}
}

// A container that was told to be lost runs again when its node comes back with it.
func TestAContainerComesBackWithItsNode(t *testing.T) {
	r := newScheduling(t, beginScheduler{})
	n := r.add("h")
	r.attempt(false)
	r.give(n)
	r.give(n)
	must[nodeUpdated](r, nodeUpdate{node: n, launched: []ids.Container{aContainer(2)}})
	r.tell(nodeRemoved{node: n})
	r.heard()
	r.add("h", live(2, 1024))
	r.is(r.heard(), "1 runs on h")
	r.is(must[containerPlace](r, requestContainer{id: aContainer(2)}).state.String(), "RUNNING")
}

// A fresh ResourceManager gives no container that is larger than its largest node; one that recovers does, while nodes come back.
func TestAContainerLargerThanAnyNode(t *testing.T) {
	for recovered, want := range map[bool]error{false: exceptions.InvalidResourceRequest, true: nil} {
		r := newScheduling(t, beginScheduler{life: life{recovered: recovered}}, "yarn.scheduler.maximum-allocation-mb", "16384")
		r.add("h")
		r.attempt(false)
		big := anyAsk(1)
		big.Capability.Memory = 9000
		if _, err := request[allocation](r, allocate{attempt: anAttempt, asks: []*yarn.ResourceRequest{big}}); !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("recovered %t: %v", recovered, err)
		}
	}
}

// The end of a container says how large it was; the trace has each of its steps.
func TestAnEndSaysHowLargeAContainerWas(t *testing.T) {
	r := newScheduling(t, beginScheduler{})
	n := r.add("h")
	r.attempt(false)
	r.give(n)
	r.give(n)
	must[nodeUpdated](r, nodeUpdate{node: n, launched: []ids.Container{aContainer(2)}, ended: []*yarn.ContainerStatus{{
		ContainerId: aContainer(2).Proto(), ExitStatus: 7, Diagnostics: "it crashed",
	}}})
	r.tell(nodeReconnected{node: n, total: &yarn.Resource{Memory: 8192, VirtualCores: 8}, containers: []*yarn.NMContainerStatus{over(40, 8, "early")}})
	for _, s := range must[allocation](r, allocate{attempt: anAttempt, drain: true}).completed {
		if s.GetCapability().GetMemory() != 1024 || s.GetCapability().GetVirtualCores() != 1 || s.GetState() != ended {
			t.Errorf("%v", s)
		}
	}
	big := anyAsk(1)
	big.Capability.Memory = 8192
	must[allocation](r, allocate{attempt: anAttempt, asks: []*yarn.ResourceRequest{big}})
	r.Advance(time.Second)
	must[nodeUpdated](r, nodeUpdate{node: n})
	none := anyAsk(0)
	none.Capability.Memory = 8192
	must[allocation](r, allocate{attempt: anAttempt, asks: []*yarn.ResourceRequest{none}})
	r.Advance(time.Second)
	must[nodeUpdated](r, nodeUpdate{node: n})
	text := ""
	for _, e := range r.Trace().Entries {
		if e.K == trace.KindState && strings.HasSuffix(e.Subject, "3") {
			text += fmt.Sprintf("%s > %s, ", e.Was, e.Is)
		}
	}
	r.is(text, "NEW > RESERVED, RESERVED > KILLED, ")
}

// With continuous scheduling what is asked is looked at by the next pass, once.
func TestAnAskIsLookedAtOnce(t *testing.T) {
	r := newScheduling(t, beginScheduler{})
	r.attempt(false)
	r.run(func(c *rpcenv.Context) {
		for what, tick := range map[string]func(){"update": func() { r.s.updateTick(c) }, "pass": func() { r.s.continuousTick(c) }} {
			r.s.asked = true
			if tick(); r.s.asked {
				t.Errorf("asked is left by a tick: %s", what)
			}
		}
	})
	asked := func(asks ...*yarn.ResourceRequest) bool {
		must[allocation](r, allocate{attempt: anAttempt, asks: asks})
		return r.s.asked
	}
	if asked() || !asked(anyAsk(1)) || !asked() {
		t.Error("asked is so when something was asked since the last update")
	}
}
