package resourcemanager_test

import (
	"testing"
	"time"

	"github.com/coherer/coherer/messages/yarn"
)

func (k *kit) place(id *yarn.ContainerId) *yarn.ContainerPlace {
	k.t.Helper()
	return ask[*yarn.ContainerPlace](k, k.tool, "ClientRMService", &yarn.RequestContainerPlace{ContainerId: id})
}

// Of many waiting applications the state lists fifty, and the number of the others.
func TestTheStateTellsHowManyMoreWait(t *testing.T) {
	k := newKit(t)
	for range 52 {
		k.submit(nil)
	}
	if s := k.state(); len(s.GetDemands()) != 50 || s.GetDemandsMore() != 2 {
		t.Errorf("%d demands and %d more", len(s.GetDemands()), s.GetDemandsMore())
	}
}

// The use of an ended application is remembered.
func TestTotalsStayAfterTheEnd(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	am, _ := k.running(n, nil)
	k.beats(10*time.Second, n)
	info := k.state().GetApps()[0]
	if info.GetLaunchTime() == 0 || info.GetTotals().GetMemorySeconds() < 10*1024 {
		t.Errorf("%v", info)
	}
	for !am.finish(yarn.FinalApplicationStatus_APP_SUCCEEDED) {
		k.beats(time.Second, n)
	}
	if u := k.state().GetUse(); u.GetAppsRunning() != 1 || u.GetAppsPending() != 0 {
		t.Errorf("%d run and %d wait though it has its ApplicationMaster's container", u.GetAppsRunning(), u.GetAppsPending())
	}
	_, own := n.startedLast()
	n.ends(own, 0, "")
	k.beats(2*time.Second, n)
	if u := k.state().GetUse(); u.GetAppsRunning() != 0 || u.GetAppsPending() != 0 || u.GetAppsCompleted() != 1 {
		t.Errorf("at the end: %v", u)
	}
	info = k.state().GetApps()[0]
	if info.GetState() != "FINISHED" || info.GetTotals().GetVcoreSeconds() < 10 || info.GetTotals().GetPreemptedContainers() != 0 {
		t.Errorf("%v", info)
	}
}
