package scheduler

import (
	"testing"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/rmtest"
	"github.com/coherer/coherer/messages/yarn"
)

// A reservation is no container that an application has: it is counted by itself, goes with the ask, and becomes the container when
// there is room.
func TestAReservationBecomesAContainer(t *testing.T) {
	r := newScheduling(t, BeginScheduler{})
	n := r.add("h")
	r.attempt(false)
	r.give(n)
	r.give(n)
	must[NodeUpdated](r, NodeUpdate{Node: n, Launched: []ids.Container{rmtest.Container(1), rmtest.Container(2)}})
	r.heard()
	big := anyAsk(1)
	big.Capability.Memory = 7168
	ask := func(count int32) {
		q := anyAsk(count)
		q.Capability = big.GetCapability()
		must[Allocation](r, Allocate{Attempt: rmtest.Attempt, Asks: []*yarn.ResourceRequest{q}})
		r.Advance(time.Second)
		must[NodeUpdated](r, NodeUpdate{Node: n})
	}
	state := func(seq int64) string {
		p := must[ContainerPlace](r, RequestContainer{ID: rmtest.Container(seq)})
		if !p.Found {
			return "none"
		}
		return p.State.String()
	}
	counts := func(reserved, allocated int32, memory int64) {
		t.Helper()
		u := must[Books](r, RequestBooks{}).Use
		if u.GetContainersReserved() != reserved || u.GetContainersAllocated() != allocated || u.GetReserved().GetMemory() != memory {
			t.Errorf("%v, want %d reserved of %d MiB and %d allocated", u, reserved, memory, allocated)
		}
	}
	ask(1)
	r.is(state(3), "RESERVED")
	counts(1, 2, 7168)
	ask(0)
	r.is(state(3), "none")
	counts(0, 2, 0)
	ask(1)
	r.is(state(4), "RESERVED")
	r.Advance(time.Second)
	must[NodeUpdated](r, NodeUpdate{Node: n, Ended: []*yarn.ContainerStatus{rmtest.Status(2, rmtest.Ended, 0)}})
	r.is(state(4), "ALLOCATED")
	counts(0, 2, 0)
	if k := r.s.containers[rmtest.Container(4)]; k.Node != "h:8041" || k.Resource.Memory != 7168 || k.AM || k.attempt != rmtest.Attempt {
		t.Errorf("%+v", k)
	}
	r.is(r.heard(), "")
	a := must[Allocation](r, Allocate{Attempt: rmtest.Attempt})
	if len(a.Containers) != 1 || a.Containers[0].GetId().GetId() != 4 || a.Headroom.GetMemory() != 0 {
		t.Errorf("given: %+v", a)
	}
	r.is(r.heard(), "1 runs on h")
	u := must[Usage](r, RequestUsage{Apps: []ids.Application{rmtest.App}}).ByApp[rmtest.App]
	if u.GetNumUsedContainers() != 2 || u.GetUsedResources().GetMemory() != 8192 || u.GetNumReservedContainers() != 0 {
		t.Errorf("%v", u)
	}
}
