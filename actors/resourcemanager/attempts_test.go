package resourcemanager_test

import (
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// askErr is ask of which a failure is wanted.
func askErr[R rpcenv.Message](k *kit, p *rpctest.Probe, endpoint string, q rpcenv.Message) (R, error) {
	k.t.Helper()
	return rpctest.Ask[R](p, k.ref(endpoint), q)
}

// crash lets an ApplicationMaster's container end, and the next attempt get its own.
func (a *appMaster) crash(n *nodeManager, exit int32) {
	a.k.t.Helper()
	n.ends(a.own, exit, "it crashed")
	n.beat()
	n.beat()
	n.beat()
}

func attemptOf(r *yarn.ApplicationReport) int32 {
	return r.GetCurrentApplicationAttemptId().GetAttemptId()
}

func TestAnApplicationMasterThatFailsIsStartedAgain(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	am, app := k.running(n, nil)
	other := am.given(n, 1)[0]
	am.start(n, other)
	n.beat()
	am.crash(n, 1)
	if r := k.report(app); attemptOf(r) != 2 || r.GetYarnApplicationState() != yarn.YarnApplicationState_ACCEPTED {
		t.Fatalf("after the first: %v", r)
	}
	if used := k.report(app).GetAppResourceUsage().GetNumUsedContainers(); used != 1 {
		t.Errorf("%d containers, want the new ApplicationMaster's alone", used)
	}
	_, err := am.try(&yarn.AllocateRequest{ResponseId: am.response})
	refused(t, err, exceptions.ApplicationAttemptNotFound, "")

	second := k.launched(n)
	if second.register(); second.allocate().GetResponseId() != 1 {
		t.Error("the second attempt does not begin anew")
	}
	second.crash(n, 2)
	k.is(app, yarn.YarnApplicationState_FAILED)
	r := k.report(app)
	if !strings.Contains(r.GetDiagnostics(), "failed 2 times") || !strings.Contains(r.GetDiagnostics(), "exitCode: 2") ||
		r.GetFinalApplicationStatus() != yarn.FinalApplicationStatus_APP_FAILED {
		t.Errorf("failed: %v", r)
	}
}

// Which failures count: not those that the cluster made.
func TestFailuresThatAreNotTheApplicationsDoNotCount(t *testing.T) {
	for _, exit := range []int32{-100, -101, -102, -106} {
		k := newKit(t)
		n := k.node("N1", 8192, 8)
		am, app := k.running(n, nil)
		for i := int32(2); i < 5; i++ {
			am.crash(n, exit)
			if r := k.report(app); attemptOf(r) != i {
				t.Fatalf("exit %d: attempt %d after %d: %s", exit, attemptOf(r), i, r.GetDiagnostics())
			}
			am = k.launched(n)
			am.register()
			n.beat()
		}
	}
}

func TestOldFailuresDoNotCount(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	am, app := k.running(n, func(s *yarn.ApplicationSubmissionContext) { s.AttemptFailuresValidityInterval = 10_000 })
	for i := int32(2); i < 5; i++ {
		am.crash(n, 1)
		if r := k.report(app); attemptOf(r) != i {
			t.Fatalf("attempt %d after %d: %s", attemptOf(r), i, r.GetDiagnostics())
		}
		am = k.launched(n)
		am.register()
		k.beats(15*time.Second, n)
	}
	am.crash(n, 1)
	k.launched(n).crash(n, 1)
	k.is(app, yarn.YarnApplicationState_FAILED)
}

func TestOneAttemptWhenTheApplicationWantsNoMore(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	am, app := k.running(n, func(s *yarn.ApplicationSubmissionContext) { s.MaxAppAttempts = 1 })
	am.crash(n, 1)
	k.is(app, yarn.YarnApplicationState_FAILED)
}

func TestANodeThatDoesNotStartAnApplicationMasterFailsTheAttempt(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	n.refuse = "Unauthorized request to start container."
	app := k.submit(nil)
	for range 6 {
		n.beat()
	}
	k.is(app, yarn.YarnApplicationState_FAILED)
	if d := k.report(app).GetDiagnostics(); !strings.Contains(d, n.refuse) || !strings.Contains(d, "Error launching appattempt_") {
		t.Errorf("failed: %s", d)
	}
	if use := k.state().GetUse(); use.GetAllocated().GetMemory() != 0 {
		t.Errorf("left behind: %v", use)
	}
}

func TestAnApplicationMasterThatIsSilentIsGivenUp(t *testing.T) {
	k := newKit(t, "yarn.am.liveness-monitor.expiry-interval-ms", "9000")
	n := k.node("N1", 8192, 8)
	am, app := k.running(n, func(s *yarn.ApplicationSubmissionContext) { s.MaxAppAttempts = 1 })
	for range 3 {
		k.beats(5*time.Second, n)
		am.allocate()
	}
	k.is(app, yarn.YarnApplicationState_RUNNING)
	k.beats(13*time.Second, n)
	k.is(app, yarn.YarnApplicationState_FAILED)
	if d := k.report(app).GetDiagnostics(); !strings.Contains(d, "timed out") {
		t.Errorf("failed: %s", d)
	}
	if len(n.stopped) != 1 {
		t.Errorf("the NodeManager has to stop %v", n.stopped)
	}
}

// An ApplicationMaster that said its end and does not exit is over when its time is.
func TestAnApplicationMasterThatDoesNotExit(t *testing.T) {
	k := newKit(t, "yarn.am.liveness-monitor.expiry-interval-ms", "9000")
	n := k.node("N1", 8192, 8)
	am, app := k.running(n, nil)
	am.finish(yarn.FinalApplicationStatus_APP_SUCCEEDED)
	k.is(app, yarn.YarnApplicationState_FINISHED)
	k.beats(13*time.Second, n)
	if a := k.state().GetApps()[0]; a.GetState() != "FINISHED" || a.GetAttemptState() != "FINISHED" {
		t.Errorf("it is %s, its attempt %s", a.GetState(), a.GetAttemptState())
	}
}

func TestContainersThatAreKept(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	am, app := k.running(n, func(s *yarn.ApplicationSubmissionContext) { s.KeepContainersAcrossApplicationAttempts = true })
	got := am.given(n, 2)
	am.start(n, got[0])
	n.beat()
	am.crash(n, 1)
	second := k.launched(n)
	r := second.register()
	if len(r.GetContainersFromPreviousAttempts()) != 1 || r.GetContainersFromPreviousAttempts()[0].GetId().GetId() != got[0].GetId().GetId() ||
		len(r.GetNmTokensFromPreviousAttempts()) != 1 {
		t.Fatalf("handed over: %v", r)
	}
	if used := k.report(app).GetAppResourceUsage().GetNumUsedContainers(); used != 2 {
		t.Errorf("%d containers, want 2", used)
	}
	n.ends(got[0].GetId(), 0, "")
	n.beat()
	done := second.allocate().GetCompletedContainerStatuses()
	found := false
	for _, s := range done {
		found = found || s.GetContainerId().GetId() == got[0].GetId().GetId()
	}
	if !found {
		t.Errorf("the end of a container that was kept is not told: %v", done)
	}
}

func (k *kit) kill(app ids.Application) bool {
	k.t.Helper()
	r := ask[*yarn.KillApplicationResponse](k, k.tool, "ClientRMService", &yarn.KillApplicationRequest{ApplicationId: app.Proto(), Diagnostics: "enough"})
	k.Settle()
	return r.GetIsKillCompleted()
}

func TestAnApplicationIsKilled(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	am, app := k.running(n, nil)
	am.given(n, 1)
	waiting := k.submit(nil)
	for _, id := range []ids.Application{app, waiting} {
		if k.kill(id) {
			t.Error("killed before the end was stored")
		}
		if !k.kill(id) {
			t.Error("not killed")
		}
		k.is(id, yarn.YarnApplicationState_KILLED)
		r := k.report(id)
		if !strings.Contains(r.GetDiagnostics(), "Application "+id.String()+" was killed by user at ") || !strings.Contains(r.GetDiagnostics(), "enough") ||
			r.GetFinalApplicationStatus() != yarn.FinalApplicationStatus_APP_KILLED {
			t.Errorf("killed: %v", r)
		}
	}
	if use := k.state().GetUse(); use.GetAllocated().GetMemory() != 0 || use.GetAppsKilled() != 2 {
		t.Errorf("left behind: %v", use)
	}
	if beat := n.beat(); len(beat.GetContainersToCleanup()) != 2 || len(beat.GetApplicationsToCleanup()) != 1 {
		t.Errorf("the node gets %v", beat)
	}
	if len(n.stopped) != 1 {
		t.Errorf("the NodeManager has to stop %v", n.stopped)
	}
}

func TestAnAttemptIsFailedByItsUser(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	am, app := k.running(n, nil)
	ask[*yarn.FailApplicationAttemptResponse](k, k.tool, "ClientRMService", &yarn.FailApplicationAttemptRequest{ApplicationAttemptId: am.attempt})
	n.beat()
	n.beat()
	if r := k.report(app); attemptOf(r) != 2 {
		t.Errorf("attempt %d, want 2", attemptOf(r))
	}
}

func TestSubmissionsThatCannotBeAreRefused(t *testing.T) {
	k := newKit(t)
	ok := func() *yarn.ApplicationSubmissionContext {
		return &yarn.ApplicationSubmissionContext{
			ApplicationId: ids.Application{Timestamp: 5, ID: 1}.Proto(), AmContainerSpec: &yarn.ContainerLaunchContext{},
			Resource: &yarn.Resource{Memory: 1024, VirtualCores: 1}, User: "ada",
		}
	}
	for _, bad := range []struct {
		change func(*yarn.ApplicationSubmissionContext)
		want   error
	}{
		{func(s *yarn.ApplicationSubmissionContext) { s.ApplicationId = nil }, exceptions.YARN},
		{func(s *yarn.ApplicationSubmissionContext) { s.AmContainerSpec = nil }, exceptions.YARN},
		{func(s *yarn.ApplicationSubmissionContext) { s.UnmanagedAm = true }, exceptions.YARN},
		{func(s *yarn.ApplicationSubmissionContext) { s.Queue = strings.Repeat("q", 5000) }, exceptions.YARN},
		{func(s *yarn.ApplicationSubmissionContext) { s.Resource.Memory = 9000 }, exceptions.InvalidResourceRequest},
		{func(s *yarn.ApplicationSubmissionContext) { s.Resource.VirtualCores = -1 }, exceptions.InvalidResourceRequest},
	} {
		s := ok()
		bad.change(s)
		_, err := askErr[*yarn.SubmitApplicationResponse](k, k.tool, "ClientRMService", &yarn.SubmitApplicationRequest{ApplicationSubmissionContext: s})
		refused(t, err, bad.want, "")
	}
	app := k.submit(func(s *yarn.ApplicationSubmissionContext) { s.Queue = "root" })
	k.is(app, yarn.YarnApplicationState_FAILED)
	if d := k.report(app).GetDiagnostics(); !strings.Contains(d, "root is not a leaf queue") {
		t.Errorf("failed: %s", d)
	}
	_, err := askErr[*yarn.GetApplicationReportResponse](k, k.tool, "ClientRMService",
		&yarn.GetApplicationReportRequest{ApplicationId: ids.Application{Timestamp: 9, ID: 9}.Proto()})
	refused(t, err, exceptions.ApplicationNotFound, "application_9_0009")
}

func TestASubmissionThatIsRepeatedChangesNothing(t *testing.T) {
	k := newKit(t)
	app := k.submit(nil)
	ask[*yarn.SubmitApplicationResponse](k, k.tool, "ClientRMService", &yarn.SubmitApplicationRequest{
		ApplicationSubmissionContext: &yarn.ApplicationSubmissionContext{ApplicationId: app.Proto(), AmContainerSpec: &yarn.ContainerLaunchContext{}},
	})
	if use := k.state().GetUse(); use.GetAppsSubmitted() != 1 || use.GetAppsPending() != 1 {
		t.Errorf("%v", use)
	}
}

func TestWhatClientsMayAsk(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	_, app := k.running(n, nil)
	got := ask[*yarn.GetClusterMetricsResponse](k, k.tool, "ClientRMService", &yarn.GetClusterMetricsRequest{})
	if m := got.GetClusterMetrics(); m.GetNumNodeManagers() != 1 || m.GetNumActiveNms() != 1 {
		t.Errorf("metrics %v", m)
	}
	nodes := ask[*yarn.GetClusterNodesResponse](k, k.tool, "ClientRMService", &yarn.GetClusterNodesRequest{NodeStates: []yarn.NodeState{yarn.NodeState_NS_RUNNING}})
	if r := nodes.GetNodeReports(); len(r) != 1 || r[0].GetUsed().GetMemory() != 1024 || r[0].GetNumContainers() != 1 || r[0].GetRackName() != "/default-rack" {
		t.Errorf("nodes %v", r)
	}
	for _, q := range []struct {
		q    *yarn.GetApplicationsRequest
		want int
	}{
		{&yarn.GetApplicationsRequest{}, 1},
		{&yarn.GetApplicationsRequest{Users: []string{"bob"}}, 0},
		{&yarn.GetApplicationsRequest{ApplicationTypes: []string{"SPARK"}, ApplicationStates: []yarn.YarnApplicationState{yarn.YarnApplicationState_RUNNING}}, 1},
		{&yarn.GetApplicationsRequest{Queues: []string{"root.ada"}, Limit: 5}, 1},
	} {
		if r := ask[*yarn.GetApplicationsResponse](k, k.tool, "ClientRMService", q.q); len(r.GetApplications()) != q.want {
			t.Errorf("%v gives %v", q.q, r)
		}
	}
	queue := ask[*yarn.GetQueueInfoResponse](k, k.tool, "ClientRMService", &yarn.GetQueueInfoRequest{QueueName: "root", IncludeChildQueues: true, IncludeApplications: true, Recursive: true})
	if q := queue.GetQueueInfo(); len(q.GetChildQueues()) == 0 || q.GetState() != yarn.QueueState_Q_RUNNING {
		t.Errorf("queue %v", q)
	}
	if none := ask[*yarn.GetQueueInfoResponse](k, k.tool, "ClientRMService", &yarn.GetQueueInfoRequest{QueueName: "root.none"}); none.GetQueueInfo() != nil {
		t.Errorf("a queue that is none: %v", none)
	}
	s := k.state()
	if len(s.GetApps()) != 1 || s.GetApps()[0].GetState() != "RUNNING" || s.GetScheduler() != "fairScheduler" || s.GetApps()[0].GetAmContainer().GetId() != 1 {
		t.Errorf("state %v", s)
	}
	if r := s.GetApps()[0].GetReport(); r.GetApplicationId().GetId() != app.ID || r.GetHost() != "am.example" {
		t.Errorf("report %v", r)
	}
}

func TestCompletedApplicationsAreForgotten(t *testing.T) {
	k := newKit(t, "yarn.resourcemanager.max-completed-applications", "1")
	first, second := k.submit(nil), k.submit(nil)
	k.kill(first)
	k.kill(second)
	_, err := askErr[*yarn.GetApplicationReportResponse](k, k.tool, "ClientRMService", &yarn.GetApplicationReportRequest{ApplicationId: first.Proto()})
	refused(t, err, exceptions.ApplicationNotFound, "")
	k.is(second, yarn.YarnApplicationState_KILLED)
	if third := k.submit(nil); third.ID != 3 {
		t.Errorf("the third application is %s", third)
	}
}
