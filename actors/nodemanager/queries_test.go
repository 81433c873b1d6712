package nodemanager

import (
	"testing"

	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func TestTheStateOfANode(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	id := k.running(1, nil)
	s, err := rpctest.Ask[*yarn.NodeManagerStateResponse](k.am, k.nm, &yarn.RequestNodeManagerState{})
	if err != nil {
		t.Fatal(err)
	}
	if !s.GetRegistered() || !s.GetHealthy() || s.GetTotal().GetMemory() == 0 || len(s.GetApplications()) != 1 || s.GetApplications()[0].GetState() != "RUNNING" {
		t.Errorf("%v", s)
	}
	if len(s.GetContainers()) != 1 || s.GetContainers()[0].GetState() != "RUNNING" || s.GetContainers()[0].GetId().GetId() != id.Seq ||
		s.GetUsed().GetMemory() != s.GetContainers()[0].GetResource().GetMemory() || s.GetUsed().GetMemory() == 0 {
		t.Errorf("containers %v, used %v", s.GetContainers(), s.GetUsed())
	}
}
