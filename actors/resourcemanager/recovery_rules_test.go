package resourcemanager

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/actors/resourcemanager/rmtest"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/actors/resourcemanager/session"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace"
)

// kept is a Store with records.
type kept struct {
	written
	all     []records.Change
	latency time.Duration
}

func (k *kept) Load(b *rpcenv.Blocking) (all []records.Change, bad []error, err error) {
	if k.latency > 0 {
		err = b.Sleep(k.latency)
	}
	return k.all, nil, err
}

// put adds a record.
func (k *kept) put(t *testing.T, key string, m proto.Message) {
	t.Helper()
	value, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	k.all = append(k.all, records.Change{Key: key, Value: value})
}

// app adds the record of an application of ada, and of attempts in this order.
func (k *kept) app(t *testing.T, id ids.Application, end yarn.YarnApplicationState, attempts ...*yarn.ApplicationAttemptStateData) {
	t.Helper()
	context := aSubmission(id)
	context.MaxAppAttempts = 5
	k.put(t, id.String(), &yarn.ApplicationStateData{ApplicationSubmissionContext: context, User: "ada", ApplicationState: end, FinishTime: 20})
	for _, a := range attempts {
		at, err := ids.AttemptFrom(a.GetAttemptId())
		if err != nil {
			t.Fatal(err)
		}
		k.put(t, at.String(), a)
	}
}

// ofAttempt is the record of an attempt of anApp that has a container on a node, and ended so.
func ofAttempt(n int32, node ids.Node, end yarn.YarnApplicationState) *yarn.ApplicationAttemptStateData {
	id := ids.Attempt{App: rmtest.App, Attempt: n}
	return &yarn.ApplicationAttemptStateData{
		AttemptId: id.Proto(), AppAttemptState: end, AmContainerExitStatus: 1,
		MasterContainer: &yarn.Container{Id: ids.Container{Attempt: id, Seq: 1}.Proto(), NodeId: node.Proto()},
	}
}

// The fault of a bad record is named. A good one is taken.
func TestWhatIsWrongWithARecord(t *testing.T) {
	text := func(m proto.Message) []byte {
		value, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	noApp := &yarn.ApplicationStateData{User: "ada"}
	app := &yarn.ApplicationStateData{ApplicationSubmissionContext: aSubmission(rmtest.App)}
	noAttempt := &yarn.ApplicationAttemptStateData{AttemptId: &yarn.ApplicationAttemptId{ApplicationId: rmtest.App.Proto()}}
	at := &yarn.ApplicationAttemptStateData{AttemptId: rmtest.Attempt.Proto()}
	epoch := func(n int32) []byte { return text(&yarn.ResourceManagerStateData{Epoch: n}) }
	outside := func(n int32) string { return fmt.Sprintf("the epoch is %d: want one from 0 to %d", n, ids.MaxEpoch) }
	for _, is := range []struct {
		key   string
		value []byte
		want  string // how the error ends, "" of a good one
	}{
		{"resource_manager", []byte{0xff}, "cannot parse invalid wire-format data"},
		{"resource_manager", epoch(-1), outside(-1)},
		{"resource_manager", epoch(0), ""},
		{"resource_manager", epoch(ids.MaxEpoch - 1), ""},
		{"resource_manager", epoch(ids.MaxEpoch), outside(ids.MaxEpoch)},
		{rmtest.App.String(), []byte{0xff}, "cannot parse invalid wire-format data"},
		{rmtest.App.String(), text(noApp), "application_0_0000 is no application id: its number counts from 1, its timestamp from 0"},
		{"application_5_0002", text(app), "it is the record of application_5_0001"},
		{rmtest.App.String(), text(app), ""},
		{rmtest.Attempt.String(), []byte{0xff}, "cannot parse invalid wire-format data"},
		{rmtest.Attempt.String(), text(noAttempt), "appattempt_5_0001_000000 is no attempt id: attempts count from 1"},
		{"appattempt_5_0001_000002", text(at), "it is the record of appattempt_5_0001_000001"},
		{rmtest.Attempt.String(), text(at), ""},
		{"container_1", nil, "a ResourceManager keeps no record of this name"},
	} {
		l := &left{attempts: map[ids.Application][]*yarn.ApplicationAttemptStateData{}}
		err := l.add(records.Change{Key: is.key, Value: is.value})
		if is.want == "" && err != nil || is.want != "" && (err == nil || !strings.HasSuffix(err.Error(), is.want)) {
			t.Errorf("%s: %v, want %q", is.key, err, is.want)
		}
		taken := len(l.apps) + len(l.attempts)
		if l.manager != nil {
			taken++
		}
		if (taken == 1) != (is.want == "") {
			t.Errorf("%s: %v, and %d records are taken", is.key, err, taken)
		}
	}
}

// Attempts are recovered in the order of their numbers, in whichever order the Store has their records. Each step is in the trace.
func TestTheOrderOfTheRecordsDoesNotMatter(t *testing.T) {
	k := &kept{}
	n := ids.Node{Host: "h", Port: 1}
	k.app(t, rmtest.App, 0, ofAttempt(3, n, 0), ofAttempt(2, n, yarn.YarnApplicationState_FAILED), ofAttempt(1, n, yarn.YarnApplicationState_FAILED))
	k.app(t, rmtest.OtherAttempt.App, yarn.YarnApplicationState_FAILED) // the scheduler did not take it
	v := newService(t, k)
	var heard []scheduler.AppAttemptAdded
	for _, m := range rmtest.Got[session.RegisterAttempt](v.Rig, v.AMS) {
		heard = append(heard, scheduler.AppAttemptAdded{Attempt: m.Attempt})
	}
	if want := []scheduler.AppAttemptAdded{{Attempt: ids.Attempt{App: rmtest.App, Attempt: 3}}}; !slices.Equal(heard, want) {
		t.Errorf("the ApplicationMasterService heard of %v", heard)
	}
	var states []string
	for _, e := range v.Trace().Entries {
		if e.K == trace.KindState {
			states = append(states, strings.TrimSpace(fmt.Sprintf("%s %s: %s > %s, %s", e.Name, e.Subject, e.Was, e.Is, e.Why)))
		}
	}
	want := []string{
		"application application_5_0001:  > NEW, recovered", "application application_5_0001: NEW > ACCEPTED, recovered",
		"attempt appattempt_5_0001_000001:  > NEW, recovered", "attempt appattempt_5_0001_000001: NEW > FAILED, recovered",
		"attempt appattempt_5_0001_000002:  > NEW, recovered", "attempt appattempt_5_0001_000002: NEW > FAILED, recovered",
		"attempt appattempt_5_0001_000003:  > NEW, recovered", "attempt appattempt_5_0001_000003: NEW > LAUNCHED, recovered",
		"application application_5_0002:  > NEW, recovered", "application application_5_0002: NEW > FAILED, recovered",
	}
	if !slices.Equal(states, want) {
		t.Errorf("steps:\n%s\nwant\n%s", strings.Join(states, "\n"), strings.Join(want, "\n"))
	}
	if a := v.s.byID[rmtest.OtherAttempt.App]; a == nil || a.finalStatus() != yarn.FinalApplicationStatus_APP_FAILED {
		t.Errorf("recovered: %v", a)
	}
}

// A recovered application has its place: its user's groups are not asked for. The scheduler hears whose container runs.
func TestARecoveredApplicationHasItsPlace(t *testing.T) {
	k := &kept{}
	k.app(t, rmtest.App, 0, ofAttempt(1, ids.Node{Host: "h", Port: 1}, 0))
	s := newClientRMService(Config{Store: k, Groups: func(*rpcenv.Blocking, string) ([]string, error) { return nil, errors.New("asked") }})
	r := rmtest.New(t, ids.ClientRMService, s)
	added, attempts := rmtest.Got[rpcenv.Message](r, r.Scheduler), []scheduler.AppAttemptAdded(nil)
	for _, m := range added {
		switch m := m.(type) {
		case scheduler.AppAdded:
			if m.App != rmtest.App || m.User != "ada" || m.Queue != "root.a" || !slices.Equal(m.Groups, []string{"ada"}) || m.GroupsErr != nil {
				t.Errorf("the scheduler heard %+v", m)
			}
		case scheduler.AppAttemptAdded:
			attempts = append(attempts, m)
		}
	}
	if want := []scheduler.AppAttemptAdded{{Attempt: rmtest.Attempt, AM: rmtest.Container(1)}}; !slices.Equal(attempts, want) {
		t.Errorf("the scheduler heard of %+v, want %+v", attempts, want)
	}
	r.Errors = nil // nobody answered
}

// An attempt that was begun by the life before is ended on its node.
func TestARecoveredAttemptIsEndedOnItsNode(t *testing.T) {
	k := &kept{latency: time.Second}
	v := newService(t, k)
	k.app(t, rmtest.App, 0, ofAttempt(1, v.node(), 0))
	v.Pass(1000)
	v.kill(rmtest.App, "")
	stops := rmtest.Got[*yarn.StopContainersRequest](v.Rig, v.nm)
	if len(stops) != 1 || len(stops[0].GetContainerId()) != 1 || !proto.Equal(stops[0].GetContainerId()[0], rmtest.Container(1).Proto()) {
		t.Errorf("the node has to end %v", stops)
	}
}

// As many applications that have ended are kept as now should be; the oldest go, with their records.
func TestTheNextLifeMayKeepFewer(t *testing.T) {
	k := &kept{}
	var all []ids.Application
	for i := range int32(4) {
		all = append(all, ids.Application{Timestamp: 5, ID: i + 1})
		k.app(t, all[i], yarn.YarnApplicationState_KILLED)
	}
	v := newService(t, k, "yarn.resourcemanager.max-completed-applications", "2")
	var removed []string
	for _, c := range k.changes {
		if c.Value == nil {
			removed = append(removed, c.Key)
		}
	}
	if want := []string{all[0].String(), all[1].String()}; !slices.Equal(removed, want) || len(v.s.apps) != 2 || v.s.byID[all[1]] != nil || v.s.byID[all[2]] == nil {
		t.Errorf("records removed: %q, want %q", removed, want)
	}
	v.kill(v.submit(), "")
	if v.s.byID[all[2]] != nil || v.s.byID[all[3]].machine.State != machine.AppKilled {
		t.Error("the next end does not make the oldest one go")
	}
}

// badRecords is a Store with a record that is none.
type badRecords struct{ written }

func (badRecords) Load(*rpcenv.Blocking) (kept []records.Change, bad []error, err error) {
	return []records.Change{{Key: "what"}}, nil, nil
}

// A bad record of a Store without places is logged by its name.
func TestABadRecordIsToldByItsName(t *testing.T) {
	v := newService(t, &badRecords{})
	v.Logged("A record is bad and is not recovered: record what: a ResourceManager keeps no record of this name: put a good copy in its place and start the ResourceManager again, or remove it and do without it")
}
