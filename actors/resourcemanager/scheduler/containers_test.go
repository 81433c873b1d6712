package scheduler

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/life"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/actors/resourcemanager/rmtest"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace"
)

// A container without a known node is not given, and ends are reported all the same.
func TestAContainerWhoseNodeIsGone(t *testing.T) {
	r := newScheduling(t, BeginScheduler{})
	n := r.add("h")
	r.attempt(true)
	r.give(n)
	r.give(n)
	must[Allocation](r, Allocate{Attempt: rmtest.Attempt, Asks: []*yarn.ResourceRequest{anyAsk(1)}})
	r.Advance(time.Second)
	must[NodeUpdated](r, NodeUpdate{Node: n, Launched: []ids.Container{rmtest.Container(2)}})
	must[NodeUpdated](r, NodeUpdate{Node: n, Launched: []ids.Container{rmtest.Container(2)}}) // the same again
	known := r.s.nodes["h:8041"]
	delete(r.s.nodes, "h:8041")
	if got := must[Allocation](r, Allocate{Attempt: rmtest.Attempt}).Containers; len(got) != 0 {
		t.Errorf("given: %v", got)
	}
	if d := must[AttemptDescription](r, DescribeAttempt{Attempt: rmtest.Attempt}); len(d.Previous) != 0 {
		t.Errorf("described: %v", d.Previous)
	}
	r.Logged("container_5_0001_01_000003: its node is gone", "container_5_0001_01_000002: its node is gone")
	if p := must[ContainerPlace](r, RequestContainer{ID: rmtest.Container(2)}); !p.Found || p.Node != nil {
		t.Errorf("%+v", p)
	}
	r.heard()
	must[Allocation](r, Allocate{Attempt: rmtest.Attempt, Release: []ids.Container{rmtest.Container(2)}})
	r.is(r.heard(), "")
	r.is(r.completed(), `2 with -100 "Container released by application"`)
	r.s.nodes["h:8041"] = known
	must[Allocation](r, Allocate{Attempt: rmtest.Attempt, Asks: []*yarn.ResourceRequest{anyAsk(1)}})
	r.Advance(time.Second)
	must[NodeUpdated](r, NodeUpdate{Node: n})
	delete(r.s.containers, rmtest.Container(4))
	if got := must[Allocation](r, Allocate{Attempt: rmtest.Attempt}).Containers; len(got) != 0 {
		t.Errorf("given: %v", got)
	}
	r.Logged("container_5_0001_01_000004 was given, but is not in the books")
	must[Allocation](r, Allocate{Attempt: rmtest.Attempt, Release: []ids.Container{rmtest.Container(4)}})
	r.Send(AppAttemptRemoved{Attempt: rmtest.Attempt})
	r.Logged("container_5_0001_01_000004 has gone, but was not in the books")
}

// A container whose token cannot be made is not given.
func TestAContainerWithoutAToken(t *testing.T) {
	r := newScheduling(t, BeginScheduler{})
	n := r.add("h")
	must[AppAccepted](r, AppAdded{App: rmtest.App, User: "\xff", Queue: "q", Groups: []string{"g"}})
	must[AttemptAdded](r, AppAttemptAdded{Attempt: rmtest.Attempt})
	must[Allocation](r, Allocate{Attempt: rmtest.Attempt, Asks: []*yarn.ResourceRequest{anyAsk(1)}})
	r.Advance(time.Second)
	must[NodeUpdated](r, NodeUpdate{Node: n})
	if got := must[Allocation](r, Allocate{Attempt: rmtest.Attempt}).Containers; len(got) != 0 {
		t.Errorf("given: %v", got)
	}
	if len(r.Errors) != 1 || !strings.HasPrefix(r.Errors[0], "container_5_0001_01_000001: make a ContainerToken: ") {
		t.Errorf("logged: %q", r.Errors)
	}
	r.Errors = nil
}

// A container that was reported as lost runs again when its node comes back with it.
func TestAContainerComesBackWithItsNode(t *testing.T) {
	r := newScheduling(t, BeginScheduler{})
	n := r.add("h")
	r.attempt(false)
	r.give(n)
	r.give(n)
	must[NodeUpdated](r, NodeUpdate{Node: n, Launched: []ids.Container{rmtest.Container(2)}})
	r.Send(NodeRemoved{Node: n})
	r.heard()
	r.add("h", live(2, 1024))
	r.is(r.heard(), "1 runs on h")
	r.is(must[ContainerPlace](r, RequestContainer{ID: rmtest.Container(2)}).State.String(), "RUNNING")
}

// A fresh ResourceManager gives no container that is larger than its largest node; one that recovers does, while nodes come back.
func TestAContainerLargerThanAnyNode(t *testing.T) {
	for recovered, want := range map[bool]error{false: exceptions.InvalidResourceRequest, true: nil} {
		r := newScheduling(t, BeginScheduler{Life: life.Life{Recovered: recovered}}, "yarn.scheduler.maximum-allocation-mb", "16384")
		r.add("h")
		r.attempt(false)
		big := anyAsk(1)
		big.Capability.Memory = 9000
		if _, err := request[Allocation](r, Allocate{Attempt: rmtest.Attempt, Asks: []*yarn.ResourceRequest{big}}); !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("recovered %t: %v", recovered, err)
		}
	}
}

// The end of a container says how large it was; the trace has each of its steps.
func TestAnEndSaysHowLargeAContainerWas(t *testing.T) {
	r := newScheduling(t, BeginScheduler{})
	n := r.add("h")
	r.attempt(false)
	r.give(n)
	r.give(n)
	must[NodeUpdated](r, NodeUpdate{Node: n, Launched: []ids.Container{rmtest.Container(2)}, Ended: []*yarn.ContainerStatus{{
		ContainerId: rmtest.Container(2).Proto(), ExitStatus: 7, Diagnostics: "it crashed",
	}}})
	r.Send(NodeReconnected{Node: n, Total: &yarn.Resource{Memory: 8192, VirtualCores: 8}, Containers: []*yarn.NMContainerStatus{over(40, 8, "early")}})
	for _, s := range must[Allocation](r, Allocate{Attempt: rmtest.Attempt, Drain: true}).Completed {
		if s.GetCapability().GetMemory() != 1024 || s.GetCapability().GetVirtualCores() != 1 || s.GetState() != rmtest.Ended {
			t.Errorf("%v", s)
		}
	}
	big := anyAsk(1)
	big.Capability.Memory = 8192
	must[Allocation](r, Allocate{Attempt: rmtest.Attempt, Asks: []*yarn.ResourceRequest{big}})
	r.Advance(time.Second)
	must[NodeUpdated](r, NodeUpdate{Node: n})
	none := anyAsk(0)
	none.Capability.Memory = 8192
	must[Allocation](r, Allocate{Attempt: rmtest.Attempt, Asks: []*yarn.ResourceRequest{none}})
	r.Advance(time.Second)
	must[NodeUpdated](r, NodeUpdate{Node: n})
	text := ""
	for _, e := range r.Trace().Entries {
		if e.K == trace.KindState && strings.HasSuffix(e.Subject, "3") {
			text += fmt.Sprintf("%s > %s, ", e.Was, e.Is)
		}
	}
	r.is(text, "NEW > RESERVED, RESERVED > KILLED, ")
}

// An expiry that comes when a container runs is too late: it is no step of the container.
func TestAnExpiryThatComesTooLate(t *testing.T) {
	r := newScheduling(t, BeginScheduler{})
	n := r.add("h")
	r.attempt(false)
	r.give(n)
	must[NodeUpdated](r, NodeUpdate{Node: n, Launched: []ids.Container{rmtest.Container(1)}})
	r.Run(func(c *rpcenv.Context) {
		r.s.step(c, r.s.containers[rmtest.Container(1)], machine.ContainerExpire, machine.Always, nil)
	})
	text := ""
	for _, e := range r.Trace().Entries {
		if e.K == trace.KindState && e.Name == "container" {
			text += fmt.Sprintf("%s > %s, ", e.Was, e.Is)
		}
	}
	r.is(text, "NEW > ALLOCATED, ALLOCATED > ACQUIRED, ACQUIRED > RUNNING, ")
}

// An event that a state has no row for is logged and changes nothing.
func TestAnEventOutOfTurnChangesNothing(t *testing.T) {
	r := newScheduling(t, BeginScheduler{})
	r.Run(func(c *rpcenv.Context) {
		k := &container{machine: machine.Container{State: machine.ContainerReserved}}
		r.s.step(c, k, machine.ContainerLaunch, machine.Always, nil)
		if k.machine.State != machine.ContainerReserved {
			t.Errorf("the container is %s", k.machine.State)
		}
	})
	if len(r.Errors) != 1 {
		t.Errorf("logged: %q", r.Errors)
	}
	r.Errors = nil
}
