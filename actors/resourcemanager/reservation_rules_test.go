package resourcemanager

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
	r := newScheduling(t, beginScheduler{})
	n := r.add("h")
	r.attempt(false)
	r.give(n)
	r.give(n)
	must[nodeUpdated](r, nodeUpdate{node: n, launched: []ids.Container{rmtest.Container(1), rmtest.Container(2)}})
	r.heard()
	big := anyAsk(1)
	big.Capability.Memory = 7168
	ask := func(count int32) {
		q := anyAsk(count)
		q.Capability = big.GetCapability()
		must[allocation](r, allocate{attempt: rmtest.Attempt, asks: []*yarn.ResourceRequest{q}})
		r.Advance(time.Second)
		must[nodeUpdated](r, nodeUpdate{node: n})
	}
	state := func(seq int64) string {
		p := must[containerPlace](r, requestContainer{id: rmtest.Container(seq)})
		if !p.found {
			return "none"
		}
		return p.state.String()
	}
	counts := func(reserved, allocated int32, memory int64) {
		t.Helper()
		u := must[books](r, requestBooks{}).use
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
	must[nodeUpdated](r, nodeUpdate{node: n, ended: []*yarn.ContainerStatus{rmtest.Status(2, rmtest.Ended, 0)}})
	r.is(state(4), "ALLOCATED")
	counts(0, 2, 0)
	if k := r.s.containers[rmtest.Container(4)]; k.Node != "h:8041" || k.Resource.Memory != 7168 || k.AM || k.attempt != rmtest.Attempt {
		t.Errorf("%+v", k)
	}
	r.is(r.heard(), "")
	a := must[allocation](r, allocate{attempt: rmtest.Attempt})
	if len(a.containers) != 1 || a.containers[0].GetId().GetId() != 4 || a.headroom.GetMemory() != 0 {
		t.Errorf("given: %+v", a)
	}
	r.is(r.heard(), "1 runs on h")
	u := must[usage](r, requestUsage{apps: []ids.Application{rmtest.App}}).byApp[rmtest.App]
	if u.GetNumUsedContainers() != 2 || u.GetUsedResources().GetMemory() != 8192 || u.GetNumReservedContainers() != 0 {
		t.Errorf("%v", u)
	}
}
