package resourcemanager_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	logtest "github.com/sirupsen/logrus/hooks/test"
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/actors/resourcemanager"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// shelf is a Store that outlives its ResourceManager.
type shelf struct {
	records map[string][]byte
	bad     []error
	latency time.Duration
	fail    error
	unread  error
}

func (s *shelf) Load(*rpcenv.Blocking) (kept []records.Change, bad []error, err error) {
	for _, key := range slices.Sorted(maps.Keys(s.records)) {
		kept = append(kept, records.Change{Key: key, Value: s.records[key]})
	}
	return kept, s.bad, s.unread
}

func (s *shelf) Write(b *rpcenv.Blocking, changes []records.Change) error {
	if s.latency > 0 {
		if err := b.Sleep(s.latency); err != nil {
			return err
		}
	}
	if s.fail != nil {
		return s.fail
	}
	for _, c := range changes {
		if c.Value == nil {
			delete(s.records, c.Key)
		} else {
			s.records[c.Key] = c.Value
		}
	}
	return nil
}

// Place makes the shelf name its records as a directory does.
func (s *shelf) Place(key string) string { return "/shelf/" + key }

// keptKit is a ResourceManager with records.
func keptKit(t *testing.T, settings ...string) (*kit, *shelf) {
	t.Helper()
	s := &shelf{records: map[string][]byte{}}
	return kitWith(t, resourcemanager.Config{Store: s}, settings...), s
}

// restart ends the ResourceManager as kill -9 does and begins another one, at another address, which its peers learn.
func (k *kit) restart() {
	k.t.Helper()
	k.Find("RM").Kill()
	k.Settle()
	k.Advance(1800 * time.Millisecond)
	k.start()
}

func TestAnApplicationOutlivesItsResourceManager(t *testing.T) {
	k, _ := keptKit(t)
	n := k.node("N1", 8192, 8)
	am, app := k.running(n, func(s *yarn.ApplicationSubmissionContext) { s.KeepContainersAcrossApplicationAttempts = true })
	got := am.given(n, 2)
	for _, g := range got {
		am.start(n, g)
	}
	n.beat()
	started := len(n.started)

	k.restart()
	if s := k.state(); s.GetEpoch() != 1 {
		t.Errorf("epoch %d, want 1", s.GetEpoch())
	}
	k.is(app, yarn.YarnApplicationState_ACCEPTED)
	if r := n.beat(); r.GetNodeAction() != yarn.NodeAction_RESYNC {
		t.Fatalf("the node gets %v", r)
	}
	n.register()
	n.beat()
	_, err := am.try(&yarn.AllocateRequest{ResponseId: am.response})
	refused(t, err, exceptions.ApplicationMasterNotRegistered, "RM had restarted")
	r := am.register()
	if len(r.GetContainersFromPreviousAttempts()) != 2 || len(r.GetNmTokensFromPreviousAttempts()) != 1 {
		t.Errorf("registered again: %v", r)
	}
	k.is(app, yarn.YarnApplicationState_RUNNING)
	if rep := k.report(app); attemptOf(rep) != 1 || rep.GetAppResourceUsage().GetNumUsedContainers() != 3 {
		t.Errorf("attempt %d with %v", attemptOf(rep), rep.GetAppResourceUsage())
	}
	am.allocate(anywhere(1))
	n.beat()
	if r := am.allocate(); len(r.GetAllocatedContainers()) != 0 {
		t.Error("a container was given before the wait was over")
	}
	k.beats(10*time.Second, n)
	fresh := am.allocate().GetAllocatedContainers()
	if len(fresh) != 1 {
		t.Fatalf("%d containers, want 1", len(fresh))
	}
	if id, err := ids.ContainerFrom(fresh[0].GetId()); err != nil || id.Epoch != 1 || id.Seq != 1 || !strings.HasPrefix(id.String(), "container_e01_") {
		t.Errorf("the new container is %s, want epoch 1 and number 1", id)
	}
	if len(n.started) != started {
		t.Error("the ApplicationMaster was started again")
	}
	n.ends(got[0].GetId(), -105, "Container killed by the ApplicationMaster.")
	n.beat()
	done := am.allocate().GetCompletedContainerStatuses()
	if len(done) != 1 || done[0].GetExitStatus() != -105 {
		t.Errorf("completed: %v", done)
	}
	am.finish(yarn.FinalApplicationStatus_APP_SUCCEEDED)
	n.ends(am.own, 0, "")
	n.beat()
	k.is(app, yarn.YarnApplicationState_FINISHED)
}

// A node that was lost while the ResourceManager was gone reports nothing: its containers are lost when its time is over.
func TestANodeThatWasLostWhileTheResourceManagerWasGone(t *testing.T) {
	k, _ := keptKit(t, "yarn.nm.liveness-monitor.expiry-interval-ms", "30000")
	n, lost := k.node("N1", 8192, 8), k.node("N2", 8192, 8)
	am, _ := k.running(n, nil)
	stays := am.given(n, 1)[0]
	am.start(n, stays)
	goes := am.given(lost, 1)[0]
	am.start(lost, goes)
	k.beats(time.Second, n, lost)

	k.restart()
	n.register()
	n.beat()
	am.holds = []*yarn.ContainerId{stays.GetId(), goes.GetId(), goes.GetId()}
	am.register()
	k.beats(26*time.Second, n)
	if done := am.allocate().GetCompletedContainerStatuses(); len(done) != 0 {
		t.Errorf("before the node's time is over: %v", done)
	}
	k.beats(4*time.Second, n)
	done := am.allocate().GetCompletedContainerStatuses()
	if len(done) != 1 || done[0].GetExitStatus() != -100 || !proto.Equal(done[0].GetContainerId(), goes.GetId()) {
		t.Errorf("after it: %v, want %v lost", done, goes.GetId())
	}
	// An ApplicationMaster that registers later hears of it at once.
	am.allocate()
	k.restart()
	n.register()
	k.beats(31*time.Second, n)
	am.register()
	if done := am.allocate().GetCompletedContainerStatuses(); len(done) != 1 {
		t.Errorf("registered late: %v", done)
	}
}

func TestAnApplicationMasterHasContainersOfItsOwn(t *testing.T) {
	k, _ := keptKit(t)
	n := k.node("N1", 8192, 8)
	am, _ := k.running(n, nil)
	k.restart()
	other := proto.CloneOf(am.attempt)
	other.ApplicationId.Id++
	am.holds = []*yarn.ContainerId{{AppAttemptId: other, Id: 2}}
	_, err := am.tryRegister()
	refused(t, err, exceptions.InvalidApplicationMasterRequest, "is not of application_")
}

// Ended applications are remembered, and a container that ended during the restart is reported.
func TestWhatWasWhileTheResourceManagerWasGone(t *testing.T) {
	k, _ := keptKit(t)
	n := k.node("N1", 8192, 8)
	am, app := k.running(n, nil)
	got := am.given(n, 1)[0]
	am.start(n, got)
	n.beat()
	killed := k.submit(nil)
	k.kill(killed)
	k.kill(killed)

	n.ends(got.GetId(), 9, "it ended meanwhile")
	k.restart()
	n.register()
	n.beat()
	am.register()
	done := am.allocate().GetCompletedContainerStatuses()
	if len(done) != 1 || done[0].GetExitStatus() != 9 {
		t.Errorf("completed: %v", done)
	}
	k.is(killed, yarn.YarnApplicationState_KILLED)
	k.is(app, yarn.YarnApplicationState_RUNNING)
	if next := k.submit(nil); next.Timestamp == app.Timestamp || next.ID != 1 {
		t.Errorf("the next application is %s, after %s", next, app)
	}
}

// A node that comes back gets the order to forget the applications that ended meanwhile, and unknown ones, with the containers
// gone long ago; those that run stay.
func TestANodeForgetsApplicationsThatEndedMeanwhile(t *testing.T) {
	k, _ := keptKit(t, "yarn.am.liveness-monitor.expiry-interval-ms", "6000")
	n := k.node("N1", 8192, 8)
	am, ended := k.running(n, nil)
	_, runs := k.running(n, nil)
	unknown := ids.Application{Timestamp: ended.Timestamp, ID: 77}
	n.reg.RunningApplications = []*yarn.ApplicationId{ended.Proto(), runs.Proto(), unknown.Proto(), {Id: -1}}
	n.register()
	k.Settle()
	if got := n.beat().GetApplicationsToCleanup(); len(got) != 1 || got[0].GetId() != 77 {
		t.Errorf("registered again, the node has to forget %v, want application 77", got)
	}
	k.restart()
	am.register()
	am.finish(yarn.FinalApplicationStatus_APP_SUCCEEDED)
	k.Advance(20 * time.Second) // no node says that the container ended
	k.is(ended, yarn.YarnApplicationState_FINISHED)
	n.running = nil
	n.register()
	k.Settle()
	if got := n.beat().GetApplicationsToCleanup(); len(got) != 2 || got[0].GetId() != ended.Proto().GetId() || got[1].GetId() != 77 {
		t.Errorf("back at the next ResourceManager, the node has to forget %v, want %s and application 77", got, ended)
	}
}

// An ApplicationMaster that ended while nobody was there has failed, and the next attempt follows.
func TestAnApplicationMasterThatEndedMeanwhile(t *testing.T) {
	k, _ := keptKit(t, "yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms", "0")
	n := k.node("N1", 8192, 8)
	am, app := k.running(n, nil)
	n.ends(am.own, 1, "it ended meanwhile")
	k.restart()
	n.register()
	k.Settle()
	n.beat()
	n.beat()
	if r := k.report(app); attemptOf(r) != 2 {
		t.Fatalf("attempt %d: %v", attemptOf(r), r)
	}
	if second := k.launched(n); second.attempt.GetAttemptId() != 2 {
		t.Error("the second attempt was not started")
	}
}

// An application that was accepted and had no container yet gets one from the next ResourceManager.
func TestAnApplicationThatWaitedWaitsOn(t *testing.T) {
	k, s := keptKit(t, "yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms", "0")
	app := k.submit(nil)
	if _, kept := s.records[app.String()]; !kept {
		t.Fatal("no record")
	}
	k.restart()
	n := k.node("N1", 8192, 8)
	n.beat()
	k.launched(n).register()
	k.is(app, yarn.YarnApplicationState_RUNNING)
}

// After a restart nodes come back one after the other: what a large one has may be asked for before it is there. Later the
// largest node is the limit again.
func TestAskedForALargeNodeThatIsNotBackYet(t *testing.T) {
	k, _ := keptKit(t)
	large, small := k.node("N1", 8192, 8), k.node("N2", 2048, 2)
	am, _ := k.running(large, nil)
	k.restart()
	small.register()
	if r := am.register(); r.GetMaximumCapability().GetMemory() != 8192 {
		t.Errorf("before all nodes are back the largest container is %v", r.GetMaximumCapability())
	}
	am.allocate(sized(1, 4096))
	large.register()
	k.beats(11*time.Second, large, small)
	if got := am.allocate().GetAllocatedContainers(); len(got) != 1 || got[0].GetResource().GetMemory() != 4096 {
		t.Errorf("given %v", got)
	}
	k.restart()
	small.register()
	am.register()
	k.beats(11*time.Second, small)
	if got := ask[*yarn.GetNewApplicationResponse](k, k.tool, "ClientRMService", &yarn.GetNewApplicationRequest{}); got.GetMaximumCapability().GetMemory() != 2048 {
		t.Errorf("clients hear of %v when the large node did not come", got.GetMaximumCapability())
	}
	if _, err := am.try(&yarn.AllocateRequest{Ask: []*yarn.ResourceRequest{sized(1, 4096)}}); !errors.Is(err, exceptions.InvalidResourceRequest) {
		t.Errorf("when the large node did not come: %v", err)
	}
}

// Promises are durable.
func TestNothingIsPromisedBeforeItIsDurable(t *testing.T) {
	k, s := keptKit(t)
	s.latency = 5 * time.Second
	begun := k.Now()
	app := k.submit(nil)
	if took := k.Now().Sub(begun); took < s.latency {
		t.Errorf("answered after %s", took)
	}
	if _, kept := s.records[app.String()]; !kept {
		t.Error("no record")
	}
	for range 2 {
		if k.kill(app) {
			t.Error("killed before the end is durable")
		}
	}
	k.Advance(20 * time.Second)
	if !k.kill(app) {
		t.Error("not killed")
	}
}

func TestAResourceManagerThatCannotWriteEnds(t *testing.T) {
	k, s := keptKit(t)
	s.fail = errors.New("the disk is full")
	k.tool.Send(k.ref("ClientRMService"), &yarn.GetClusterMetricsRequest{})
	q := &yarn.SubmitApplicationRequest{ApplicationSubmissionContext: &yarn.ApplicationSubmissionContext{
		ApplicationId: ids.Application{Timestamp: 5, ID: 1}.Proto(), AmContainerSpec: &yarn.ContainerLaunchContext{},
	}}
	if _, err := askErr[*yarn.SubmitApplicationResponse](k, k.tool, "ClientRMService", q); err == nil {
		t.Error("a submission that nobody keeps was answered")
	}
	if k.Find("RM") != nil {
		t.Error("the ResourceManager goes on")
	}
	k.logged("exit 1: the ResourceManager cannot write its records and ends, since it must not promise what it may forget: the disk is full")
}

func TestABadRecordIsReportedAndTheRestRecovers(t *testing.T) {
	k, s := keptKit(t)
	app := k.submit(nil)
	s.records["application_1_0001"] = []byte{0xff}
	s.records["application_1_0002"] = s.records[app.String()]
	s.records["appattempt_1_0001_000001"] = []byte("x")
	s.records["something"] = nil
	s.bad = []error{errors.New("a file of nonsense")}
	k.Find("RM").Kill()
	k.Settle()
	k.env = k.Env("RM", k.conf)
	log := logtest.NewLocal(k.env.Log().Logger)
	k.begin()
	var told []string
	for _, e := range log.AllEntries() {
		if e.Level == logrus.ErrorLevel {
			told = append(told, e.Message)
		}
	}
	const advice = ": put a good copy in its place and start the ResourceManager again, or remove it and do without it"
	for i, want := range []string{
		"a file of nonsense", "/shelf/appattempt_1_0001_000001: proto:", "/shelf/application_1_0001: proto:",
		"/shelf/application_1_0002: it is the record of " + app.String() + advice,
		"/shelf/something: a ResourceManager keeps no record of this name" + advice,
	} {
		if i >= len(told) || !strings.HasPrefix(strings.ReplaceAll(told[i], "\u00a0", " "), "A record is bad and is not recovered: "+want) || i > 0 && !strings.HasSuffix(told[i], advice) {
			t.Errorf("%q is not logged at %d: %q", want, i, told)
		}
	}
	if apps := k.state().GetApps(); len(apps) != 1 || apps[0].GetReport().GetApplicationId().GetId() != app.ID {
		t.Errorf("recovered %v", apps)
	}
}

func TestAForgottenApplicationLeavesNoRecord(t *testing.T) {
	k, s := keptKit(t, "yarn.resourcemanager.max-completed-applications", "0")
	app := k.submit(nil)
	k.kill(app)
	k.Settle()
	if got := slices.Sorted(maps.Keys(s.records)); !slices.Equal(got, []string{"resource_manager"}) {
		t.Errorf("records %q", got)
	}
}
