package nodemanager

import (
	"errors"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func TestTheStateOfANode(t *testing.T) {
	k := newKit(t)
	began := k.w.Now()
	k.join(Config{HTTPPort: 8042, Rack: "/r"}, nil)
	ended, id := k.running(1, nil), k.running(2, nil)
	k.children[0].Exit(137)
	k.reported(ended, yarn.ContainerState_C_COMPLETE)
	s, err := rpctest.Ask[*yarn.NodeManagerStateResponse](k.am, k.nm, &yarn.RequestNodeManagerState{})
	if err != nil {
		t.Fatal(err)
	}
	a, size := k.env.Address(), &yarn.Resource{Memory: 1024, VirtualCores: 1}
	want := &yarn.NodeManagerStateResponse{
		NodeId: &yarn.NodeId{Host: a.Host, Port: int32(a.Port)}, ResourceManager: k.rm.Env.Address().String(), Registered: true, Rack: "/r",
		Total: &yarn.Resource{Memory: 4096, VirtualCores: 4}, Used: size, Healthy: true, LastHealthReportTime: began.UnixMilli(),
		Applications: []*yarn.NodeApplication{{Id: app1.Proto(), User: "ann", State: "RUNNING"}},
		Containers: []*yarn.NodeContainer{
			{Id: ended.Proto(), User: "ann", State: "DONE", Resource: size, ExitStatus: 137, Diagnostics: "Container killed on request. Exit code is 137\nKilled by external signal\n"},
			{Id: id.Proto(), User: "ann", State: "RUNNING", Resource: size, ExitStatus: -1000},
		},
	}
	if !proto.Equal(s, want) {
		t.Errorf("%v\nwant %v", s, want)
	}
}

// Why a node is not healthy is in its state.
func TestTheStateOfANodeThatIsNotHealthy(t *testing.T) {
	k := newKit(t)
	k.join(Config{Machine: &fakes{report: "bad disks", unhealthy: true}}, nil)
	s, err := rpctest.Ask[*yarn.NodeManagerStateResponse](k.am, k.nm, &yarn.RequestNodeManagerState{})
	if err != nil || s.GetHealthy() || s.GetHealthReport() != "bad disks" {
		t.Error(s, err)
	}
	if _, err := rpctest.Ask[*yarn.GetNewApplicationResponse](k.am, k.nm, &yarn.GetNewApplicationRequest{}); !errors.Is(err, rpcenv.ErrRefusedUnsupported) {
		t.Error(err)
	}
}
