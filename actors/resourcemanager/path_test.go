package resourcemanager_test

import (
	"testing"

	"github.com/coherer/coherer/actors/hadoop/token"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
)

// The happy path: submit, container of the ApplicationMaster, register, allocate, finish.
func TestAnApplicationFromItsSubmissionToItsEnd(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	app := k.submit(nil)
	k.is(app, yarn.YarnApplicationState_ACCEPTED)

	n.beat()
	s, own := n.startedLast()
	if got := s.GetContainerLaunchContext().GetCommand(); len(got) != 1 || got[0] != "run-am" {
		t.Errorf("started %q", got)
	}
	id, err := ids.ContainerFrom(own)
	if err != nil || id.Seq != 1 || id.Attempt.App != app {
		t.Errorf("the ApplicationMaster's container is %s, %v", id, err)
	}
	am := k.launched(n)
	r := am.register()
	if r.GetQueue() != "root.ada" || r.GetMaximumCapability().GetMemory() != 8192 || len(r.GetSchedulerResourceTypes()) != 2 {
		t.Errorf("registered: %v", r)
	}
	k.is(app, yarn.YarnApplicationState_RUNNING)

	got := am.given(n, 2)
	am.start(n, got[0])
	n.beat()
	if used := k.report(app).GetAppResourceUsage(); used.GetNumUsedContainers() != 3 || used.GetUsedResources().GetMemory() != 3072 {
		t.Errorf("uses %v", used)
	}
	n.ends(got[0].GetId(), 0, "")
	n.beat()
	done := am.allocate().GetCompletedContainerStatuses()
	if len(done) != 1 || done[0].GetExitStatus() != 0 || done[0].GetContainerId().GetId() != got[0].GetId().GetId() {
		t.Errorf("completed: %v", done)
	}

	if am.finish(yarn.FinalApplicationStatus_APP_SUCCEEDED) {
		t.Error("unregistered before the end was stored")
	}
	if !am.finish(yarn.FinalApplicationStatus_APP_SUCCEEDED) {
		t.Error("the end is not stored")
	}
	n.ends(own, 0, "")
	n.beat()
	k.is(app, yarn.YarnApplicationState_FINISHED)
	end := k.report(app)
	if end.GetFinalApplicationStatus() != yarn.FinalApplicationStatus_APP_SUCCEEDED || end.GetProgress() != 1 || end.GetDiagnostics() != "done" {
		t.Errorf("ended: %v", end)
	}
	if len(n.stopped) != 1 || n.stopped[0].GetId() != own.GetId() {
		t.Errorf("the NodeManager had to stop %v, want the ApplicationMaster's container", n.stopped)
	}
	if beat := n.beat(); len(beat.GetApplicationsToCleanup()) != 1 {
		t.Errorf("the node is not told to forget the application: %v", beat)
	}
	if use := k.state().GetUse(); use.GetAllocated().GetMemory() != 0 || use.GetContainersAllocated() != 0 || use.GetAppsCompleted() != 1 {
		t.Errorf("left behind: %v", use)
	}
}

func TestTheTokenOfAnApplicationMasterIsItsOwn(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	k.submit(nil)
	n.beat()
	s, _ := n.startedLast()
	var id yarn.ContainerTokenIdentifier
	if err := token.Open(s.GetContainerToken(), token.Container, &yarn.MasterKey{KeyId: 1, Bytes: k.cfg.Keys.Container}, &id); err != nil {
		t.Fatal(err)
	}
	if id.GetAppSubmitter() != "ada" || id.GetNmHostAddr() != n.Ref.Address.String() {
		t.Errorf("the container's token says %v", &id)
	}
	am := k.launched(n)
	am.token.Password[0]++
	if _, err := am.tryRegister(); err == nil {
		t.Error("registered with a forged token")
	}
}
