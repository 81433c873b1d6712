package nodemanager

import (
	"math"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func TestAConfigThatIsNotValidEndsTheProcess(t *testing.T) {
	k := newKit(t)
	k.start(Config{MemoryMB: -1}, nil)
	const memory, cores = "MiB of memory runs nothing: want 1 at least", "virtual cores runs nothing: want 1 at least"
	if got, want := k.why(), "exit 1: a node with -1 "+memory+"\na node with 0 "+cores; got != want {
		t.Errorf("%s", got)
	}
	if len(k.registrations) > 0 {
		t.Error("it registers")
	}
	if err, want := (&Config{}).Validate(), "a node needs a ResourceManager: name one as HOST:PORT\na node with 0 "+memory+"\na node with 0 "+cores; err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	c := Config{ResourceManager: rpcenv.Address{Host: "h", Port: 1}, MemoryMB: 1, VCores: math.MaxInt32}
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	c.VCores++
	if err := c.Validate(); err == nil || err.Error() != "a node with 2147483648 virtual cores: want 2147483647 at most" {
		t.Errorf("%v", err)
	}
}

// An end that no answered heartbeat has reported is reported though the application is forgotten here; then it is forgotten too.
// The containers of other applications stay.
func TestTheEndOfAnApplicationForgetsWhatIsTold(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	other := ids.Application{Timestamp: rmIdentifier, ID: 2}
	of := containerID(other, 1)
	r, err := rpctest.Ask[*yarn.StartContainersResponse](k.am, k.nm, &yarn.StartContainersRequest{
		StartContainerRequest: []*yarn.StartContainerRequest{k.entry(k.identifier(of), nil)}, NmToken: k.nmToken(other),
	})
	if err != nil || len(r.GetSucceededRequests()) != 1 {
		t.Fatal(r, err)
	}
	k.w.Until("a process", func() bool { return len(k.started) == 1 })
	id, heard := k.running(1, nil), k.running(2, nil)
	k.children[0].Exit(0)
	k.children[2].Exit(0)
	k.reported(heard, yarn.ContainerState_C_COMPLETE)
	k.w.Advance(2 * time.Second)
	k.next(func(r *yarn.NodeHeartbeatResponse) { r.ApplicationsToCleanup = []*yarn.ApplicationId{app1.Proto()} })
	k.reported(id, yarn.ContainerState_C_COMPLETE)
	k.w.Advance(2 * time.Second)
	for _, gone := range []ids.Container{id, heard} {
		if got := k.status(gone); got != "Container "+gone.String()+" was recently stopped on node manager." {
			t.Errorf("%s: %s", gone, got)
		}
	}
	k.unknown = true
	k.w.Until("a registration", func() bool { return len(k.registrations) == 2 })
	m := k.registrations[1]
	if len(m.GetContainerStatuses()) != 1 || !proto.Equal(m.GetContainerStatuses()[0].GetContainerId(), of.Proto()) ||
		len(m.GetRunningApplications()) != 1 || !proto.Equal(m.GetRunningApplications()[0], other.Proto()) {
		t.Errorf("%v", m)
	}
}
