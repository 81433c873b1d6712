package resourcemanager_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"
	logtest "github.com/sirupsen/logrus/hooks/test"
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager"
	"github.com/coherer/coherer/messages/yarn"
)

// put writes a record.
func (s *shelf) put(t *testing.T, key string, m proto.Message) {
	t.Helper()
	value, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	s.records[key] = value
}

// holds fails the test unless a record says what is wanted.
func (s *shelf) holds(t *testing.T, key string, want proto.Message) {
	t.Helper()
	got := want.ProtoReflect().New().Interface()
	if err := proto.Unmarshal(s.records[key], got); err != nil {
		t.Fatal(key, err)
	}
	if !proto.Equal(got, want) {
		t.Errorf("%s:\n  %v\nwant\n  %v", key, got, want)
	}
}

// The records are what the next life has: of an application and its attempt before the end, and with it.
func TestWhatTheRecordsSay(t *testing.T) {
	k, s := keptKit(t)
	key := func(b []byte) *yarn.MasterKey { return &yarn.MasterKey{KeyId: 1, Bytes: b} }
	s.holds(t, "resource_manager", &yarn.ResourceManagerStateData{
		ContainerTokenMasterKey: key(k.cfg.Keys.Container), NmTokenMasterKey: key(k.cfg.Keys.NM), AmRmTokenMasterKey: key(k.cfg.Keys.AMRM),
	})
	n := k.node("N1", 8192, 8)
	begun := k.Now().UnixMilli()
	am, app := k.running(n, nil)
	id := ids.Attempt{App: app, Attempt: 1}
	_, own := n.startedLast()
	info := k.state().GetApps()[0]
	submitted := info.GetReport().GetStartTime()
	if len(info.GetAttempts()) != 1 || submitted < begun || submitted > begun+10 || info.GetAttempts()[0].GetStartTime() != submitted {
		t.Fatalf("not submitted soon after %d: %v", begun, info)
	}
	application := &yarn.ApplicationStateData{
		SubmitTime: submitted, StartTime: submitted, User: "ada",
		ApplicationSubmissionContext: &yarn.ApplicationSubmissionContext{
			ApplicationId: app.Proto(), ApplicationName: "app", Queue: "root.ada", User: "ada", ApplicationType: "SPARK",
			AmContainerSpec: &yarn.ContainerLaunchContext{Command: []string{"run-am"}}, Resource: &yarn.Resource{Memory: 1024, VirtualCores: 1},
		},
	}
	attempt := &yarn.ApplicationAttemptStateData{
		AttemptId: id.Proto(), StartTime: submitted, AmContainerExitStatus: -1000,
		MasterContainer: &yarn.Container{
			Id: own, NodeId: n.reg.GetNodeId(), NodeHttpAddress: fmt.Sprintf("%s:8042", n.reg.GetNodeId().GetHost()), Resource: &yarn.Resource{Memory: 1024, VirtualCores: 1},
			Priority: &yarn.Priority{}, ContainerToken: n.started[0].GetContainerToken(),
		},
	}
	s.holds(t, app.String(), application)
	s.holds(t, id.String(), attempt)

	asked := k.Now().UnixMilli()
	am.finish(yarn.FinalApplicationStatus_APP_SUCCEEDED)
	ended := k.report(app).GetFinishTime()
	if ended < asked || ended > asked+10 {
		t.Errorf("ended at %d, asked for at %d", ended, asked)
	}
	application.ApplicationState, application.FinishTime, application.Diagnostics = yarn.YarnApplicationState_FINISHED, ended, "done"
	attempt.AppAttemptState, attempt.FinishTime, attempt.Diagnostics = yarn.YarnApplicationState_FINISHED, ended, "done"
	attempt.FinalTrackingUrl, attempt.FinalApplicationStatus = "http://am.example:4041", yarn.FinalApplicationStatus_APP_SUCCEEDED
	s.holds(t, app.String(), application)
	s.holds(t, id.String(), attempt)
}

// The next life reports ended applications and attempts like the one before, with cause and time.
func TestWhatEndedIsTheSameAfterARestart(t *testing.T) {
	k, _ := keptKit(t)
	n := k.node("N1", 16384, 16)
	once := func(s *yarn.ApplicationSubmissionContext) { s.MaxAppAttempts = 1 }
	done, _ := k.running(n, func(s *yarn.ApplicationSubmissionContext) {
		s.ApplicationTags, s.Priority = []string{"blue"}, &yarn.Priority{Priority: 3}
	})
	done.finish(yarn.FinalApplicationStatus_APP_FAILED)
	n.ends(done.own, 0, "")
	n.beat()
	crashed, _ := k.running(n, once)
	crashed.crash(n, 7)
	twice, _ := k.running(n, nil)
	twice.crash(n, 8)
	second := k.launched(n)
	second.register()
	k.kill(ids.Application{Timestamp: k.state().GetStartedOn(), ID: 3})
	k.kill(k.submit(nil))
	k.Advance(3e9)
	before := k.state()
	k.restart()
	after := k.state()
	if len(before.GetApps()) != 4 || len(after.GetApps()) != 4 {
		t.Fatalf("%d and %d applications", len(before.GetApps()), len(after.GetApps()))
	}
	for i, a := range after.GetApps() {
		b := before.GetApps()[i]
		for _, x := range []*yarn.AppInfo{a, b} { // what no record has
			x.LaunchTime, x.Totals = 0, nil
			x.Report.Host, x.Report.RpcPort, x.Report.Progress, x.Report.AppResourceUsage = "", 0, 0, nil
			if at := x.Attempts[0]; at.State == "FINISHED" { // it is written before the container ends
				at.ExitStatus = 0
			}
		}
		if !proto.Equal(a, b) {
			t.Errorf("application %d after the restart:\n  %v\nbefore:\n  %v", i, a, b)
		}
	}
	if u := after.GetUse(); u.GetAppsSubmitted() != 4 || u.GetAppsCompleted() != 1 || u.GetAppsFailed() != 1 || u.GetAppsKilled() != 2 {
		t.Errorf("counted: %v", u)
	}
}

// lifeOf begins a ResourceManager with the records of an application and its attempts, and returns what it logs as errors.
func lifeOf(t *testing.T, app *yarn.ApplicationStateData, attempts ...*yarn.ApplicationAttemptStateData) (*kit, *shelf, []string) {
	t.Helper()
	k, s := keptKit(t, "yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms", "0")
	if app != nil {
		id, err := ids.ApplicationFrom(app.GetApplicationSubmissionContext().GetApplicationId())
		if err != nil {
			t.Fatal(err)
		}
		s.put(t, id.String(), app)
	}
	for _, a := range attempts {
		id, err := ids.AttemptFrom(a.GetAttemptId())
		if err != nil {
			t.Fatal(err)
		}
		s.put(t, id.String(), a)
	}
	return k, s, k.again()
}

// again begins the next life and returns what it logs as errors meanwhile.
func (k *kit) again() (told []string) {
	k.t.Helper()
	k.Find("RM").Kill()
	k.Settle()
	k.env = k.Env("RM", k.conf)
	log := logtest.NewLocal(k.env.Log().Logger)
	k.begin()
	for _, e := range log.AllEntries() {
		if e.Level == logrus.ErrorLevel {
			told = append(told, strings.ReplaceAll(e.Message, "\u00a0", " "))
		}
	}
	return told
}

// A ResourceManager may die between the end of an attempt and that of its application: the next one draws the conclusion.
func TestTheEndOfAnAttemptCountsForItsApplicationAfterARestart(t *testing.T) {
	app := ids.Application{Timestamp: 5, ID: 1}
	attempt := func(number int32, end yarn.YarnApplicationState) *yarn.ApplicationAttemptStateData {
		return &yarn.ApplicationAttemptStateData{
			AttemptId: ids.Attempt{App: app, Attempt: number}.Proto(), AppAttemptState: end, Diagnostics: "so it was", AmContainerExitStatus: 1,
			StartTime: 10, FinishTime: 20,
		}
	}
	finished := attempt(1, yarn.YarnApplicationState_FINISHED)
	finished.FinalApplicationStatus = yarn.FinalApplicationStatus_APP_SUCCEEDED
	for _, is := range []struct {
		name     string
		end      yarn.YarnApplicationState // of the application, as its record has it
		most     int32
		attempts []*yarn.ApplicationAttemptStateData
		want     string // states of the application and its attempts, final status, diagnostics
	}{
		{"finished", 0, 0, []*yarn.ApplicationAttemptStateData{finished}, "FINISHED [FINISHED] APP_SUCCEEDED so it was"},
		{"killed", 0, 0, []*yarn.ApplicationAttemptStateData{attempt(1, yarn.YarnApplicationState_KILLED)}, "KILLED [KILLED] APP_KILLED "},
		{
			"failed for the last time", 0, 1,
			[]*yarn.ApplicationAttemptStateData{attempt(1, yarn.YarnApplicationState_FAILED)},
			"FAILED [FAILED] APP_FAILED Application application_5_0001 failed 1 times (global limit =2; local limit is =1) due to so it was. Failing the application.",
		},
		{"failed", 0, 0, []*yarn.ApplicationAttemptStateData{attempt(1, yarn.YarnApplicationState_FAILED)}, "ACCEPTED [FAILED SCHEDULED] APP_UNDEFINED "},
		{
			"failed and begun again", 0, 0,
			[]*yarn.ApplicationAttemptStateData{attempt(1, yarn.YarnApplicationState_FAILED), attempt(2, 0)},
			"ACCEPTED [FAILED LAUNCHED] APP_UNDEFINED AM container is launched, waiting for AM container to Register with RM",
		},
		{"over, its attempt not", yarn.YarnApplicationState_KILLED, 0, []*yarn.ApplicationAttemptStateData{attempt(1, 0)}, "KILLED [KILLED] APP_KILLED as recorded"},
		{"over, its attempt not, and failed", yarn.YarnApplicationState_FAILED, 0, []*yarn.ApplicationAttemptStateData{attempt(1, 0)}, "FAILED [KILLED] APP_FAILED as recorded"},
		{"without an attempt", 0, 0, nil, "ACCEPTED [SCHEDULED] APP_UNDEFINED "},
	} {
		record := &yarn.ApplicationStateData{
			ApplicationSubmissionContext: &yarn.ApplicationSubmissionContext{
				ApplicationId: app.Proto(), Queue: "root.ada", Resource: &yarn.Resource{Memory: 1024, VirtualCores: 1},
				MaxAppAttempts: is.most, AmContainerSpec: &yarn.ContainerLaunchContext{},
			},
			User: "ada", ApplicationState: is.end,
		}
		if is.end != 0 {
			record.Diagnostics, record.FinishTime = "as recorded", 20
		}
		k, _, told := lifeOf(t, record, is.attempts...)
		if len(told) != 0 {
			t.Errorf("%s: %q", is.name, told)
		}
		info := k.state().GetApps()[0]
		var states []string
		for _, a := range info.GetAttempts() {
			states = append(states, a.GetState())
		}
		r := info.GetReport()
		if got := fmt.Sprintf("%s %s %s %s", info.GetState(), states, r.GetFinalApplicationStatus(), r.GetDiagnostics()); got != is.want {
			t.Errorf("%s:\n  %s\nwant\n  %s", is.name, got, is.want)
		}
	}
}

// Readable but wrong records are logged with the fault; the attempts before a gap count.
func TestWrongRecordsAreTold(t *testing.T) {
	const advice = ": put a good copy in its place and start the ResourceManager again, or remove it and do without it"
	app := ids.Application{Timestamp: 5, ID: 1}
	third := &yarn.ApplicationAttemptStateData{AttemptId: ids.Attempt{App: app, Attempt: 3}.Proto()}
	first := &yarn.ApplicationAttemptStateData{AttemptId: ids.Attempt{App: app, Attempt: 1}.Proto()}
	record := &yarn.ApplicationStateData{ApplicationSubmissionContext: &yarn.ApplicationSubmissionContext{ApplicationId: app.Proto()}}
	k, s, told := lifeOf(t, record, first, third)
	if want := "A record is bad and is not recovered: /shelf/appattempt_5_0001_000003: it follows attempt 1" + advice; len(told) != 1 || told[0] != want {
		t.Errorf("told %q, want %q", told, want)
	}
	if a := k.state().GetApps(); len(a) != 1 || len(a[0].GetAttempts()) != 1 {
		t.Errorf("recovered %v", a)
	}

	clear(s.records)
	s.put(t, "appattempt_5_0002_000001", first)
	s.put(t, "appattempt_5_0003_000001", &yarn.ApplicationAttemptStateData{})
	s.put(t, "application_5_0004", &yarn.ApplicationStateData{})
	s.put(t, "resource_manager", &yarn.ResourceManagerStateData{Epoch: ids.MaxEpoch})
	told = k.again()
	for i, want := range []string{
		"/shelf/appattempt_5_0002_000001: it is the record of appattempt_5_0001_000001" + advice, "/shelf/appattempt_5_0003_000001: ",
		"/shelf/application_5_0004: ", fmt.Sprintf("/shelf/resource_manager: the epoch is %d: want one from 0 to %[1]d", ids.MaxEpoch) + advice,
	} {
		if i >= len(told) || !strings.HasPrefix(told[i], "A record is bad and is not recovered: "+want) {
			t.Errorf("told %q, want %d to begin with %q", told, i, want)
		}
	}
	for epoch, want := range map[int32]int32{-1: 0, 0: 1, ids.MaxEpoch - 1: ids.MaxEpoch} {
		clear(s.records)
		s.put(t, "resource_manager", &yarn.ResourceManagerStateData{Epoch: epoch})
		k.again()
		if got := k.state().GetEpoch(); got != want {
			t.Errorf("after epoch %d comes %d, want %d", epoch, got, want)
		}
	}
}

// The keys of the records count over those of the Config; a key that no record has is the Config's.
func TestKeysOfTheRecordsCount(t *testing.T) {
	old := &yarn.MasterKey{KeyId: 4, Bytes: bytes.Repeat([]byte{4}, 32)}
	s := &shelf{records: map[string][]byte{}}
	s.put(t, "resource_manager", &yarn.ResourceManagerStateData{Epoch: 2, NmTokenMasterKey: old})
	k := kitWith(t, resourcemanager.Config{Store: s})
	r := k.newNode("N1", 8192, 8).register()
	if !proto.Equal(r.GetNmTokenMasterKey(), old) || r.GetContainerTokenMasterKey().GetKeyId() != 1 || !bytes.Equal(r.GetContainerTokenMasterKey().GetBytes(), k.cfg.Keys.Container) {
		t.Errorf("keys %v and %v", r.GetNmTokenMasterKey(), r.GetContainerTokenMasterKey())
	}
	s.holds(t, "resource_manager", &yarn.ResourceManagerStateData{
		Epoch: 3, NmTokenMasterKey: old, ContainerTokenMasterKey: r.GetContainerTokenMasterKey(),
		AmRmTokenMasterKey: &yarn.MasterKey{KeyId: 1, Bytes: k.cfg.Keys.AMRM},
	})
}
