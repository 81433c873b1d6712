package master_test

import (
	"errors"
	"regexp"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
)

// SPARK-20305: a record that cannot be read is reported, and does not stop the recovery.
func TestABadRecordIsReportedAndTheRestRecovers(t *testing.T) {
	k, s := lasting(t)
	w := k.worker("W1", 4, 4096)
	s.bad = []error{errors.New("app_torn: it is torn")}
	s.records["app_rubbish"] = []byte{0xff}
	s.records["worker_rubbish"] = []byte{0xff}
	s.records["driver_rubbish"] = []byte{0xff}
	s.records["what_is_this"] = nil
	s.put("app_other", &deploy.ApplicationRecord{Id: "app-1", Desc: &deploy.ApplicationDescription{MemoryPerExecutorMb: 1}})
	s.put("app_empty", &deploy.ApplicationRecord{Id: "empty"})
	s.put("app_client", &deploy.ApplicationRecord{
		Id: "client", Desc: &deploy.ApplicationDescription{MemoryPerExecutorMb: 1}, Driver: &rpc.EndpointRef{Name: "AppClient"},
	})
	s.put("app_nameless", &deploy.ApplicationRecord{
		Id: "nameless", Desc: &deploy.ApplicationDescription{MemoryPerExecutorMb: 1}, Driver: &rpc.EndpointRef{Address: &rpc.Address{Host: "h", Port: 1}},
	})
	s.put("worker_nothing", &deploy.WorkerRecord{})
	s.put("worker_client", &deploy.WorkerRecord{Registration: &deploy.RegisterWorker{
		Id: "client", Host: "h", Cores: 1, Memory: 1, Worker: &rpc.EndpointRef{Name: "Worker"},
	}})
	s.put("driver_other", &deploy.DriverRecord{Id: "d", Desc: wanted(false)})
	s.records["master_term"] = []byte{0xff}
	s.put("driver_nothing", &deploy.DriverRecord{Id: "nothing"})
	k.restart(master.Config{Store: s})
	next[*deploy.MasterChanged](t, w.Probe)
	w.lists()
	k.isIn("ALIVE")
	k.stands("W1 ALIVE")
	var reported []string
	for _, f := range k.state().GetFailures() {
		if f.GetKind() == "record" {
			reported = append(reported, f.GetReason())
		}
	}
	slices.Sort(reported)
	malformed := regexp.MustCompile(`proto:.*`)
	for i := range reported {
		reported[i] = malformed.ReplaceAllString(reported[i], "proto")
	}
	const callable = "it has no reference to an endpoint that listens"
	want := []string{
		"app_torn: it is torn",
		"record app_client: " + callable,
		"record app_empty: the description is missing",
		"record app_nameless: " + callable,
		"record app_other: it is the record app_app-1",
		"record app_rubbish: proto",
		"record driver_nothing: it is no record of that driver",
		"record driver_other: it is no record of that driver",
		"record driver_rubbish: proto",
		"record master_term: proto",
		"record what_is_this: the kind of this record is unknown",
		"record worker_client: " + callable,
		"record worker_nothing: A worker needs an id, a host and a reference",
		"record worker_rubbish: proto",
	}
	if !slices.Equal(reported, want) {
		t.Errorf("reported\n%q, want\n%q", reported, want)
	}
}

// A record is what the next Master needs: of a Worker its registration with a reference that is complete, of an application and a
// driver when it began.
func TestWhatARecordHas(t *testing.T) {
	k, s := lasting(t)
	w := k.newWorker("W1", 2, 1024)
	w.reg.Worker.Address = nil // the Worker's own address, as in each message
	w.Send(k.ref, w.reg)
	next[*deploy.RegisteredWorker](t, w.Probe)
	if w.reg.Worker.Address != nil {
		t.Error("the message was changed")
	}
	began := k.Now().UnixMilli()
	d := k.driver("D", 1)
	id := k.submit(wanted(false))
	k.Settle()
	read := func(key string, m proto.Message) {
		t.Helper()
		if err := proto.Unmarshal(s.records[key], m); err != nil || len(s.records[key]) == 0 {
			t.Errorf("%s: %v", key, err)
		}
	}
	worker, app, driver := &deploy.WorkerRecord{}, &deploy.ApplicationRecord{}, &deploy.DriverRecord{}
	read("worker_worker-W1", worker)
	read("app_"+d.id, app)
	read("driver_"+id, driver)
	if got := worker.GetRegistration(); !proto.Equal(got.GetWorker(), w.Ref.Proto()) || got.GetCores() != 2 {
		t.Errorf("%v", got)
	}
	if got := app.GetStarted() - began; got < 0 || got > 100 || !proto.Equal(app.GetDriver(), d.Ref.Proto()) {
		t.Errorf("%v", app)
	}
	if got := driver.GetSubmitted() - began; got < 0 || got > 100 || !driver.GetLaunched() {
		t.Errorf("%v", driver)
	}
	k.restart(master.Config{Store: s})
	changed(t, w.Probe)
	w.Send(k.ref, &deploy.WorkerSchedulerStateResponse{Id: w.reg.GetId(), Drivers: []*deploy.WorkerDriverStateResponse{{DriverId: id}}})
	st := k.state()
	if st.GetActiveApps()[0].GetStartMs() != app.GetStarted() || st.GetActiveDrivers()[0].GetStartMs() != driver.GetSubmitted() {
		t.Errorf("%v", st)
	}
}

// A record has the Worker's whole reference; the message that registered it stays as it was sent.
func TestARegistrationIsNotChangedByItsRecord(t *testing.T) {
	k, s := lasting(t)
	k.isIn("ALIVE")
	reg := &deploy.RegisterWorker{Id: "w", Host: "h", Port: 1, Cores: 1, Memory: 1, Worker: &rpc.EndpointRef{Name: k.tool.Ref.Name}}
	k.tool.Send(k.ref, reg) // within the Env, so that the Master has this very message
	k.Settle()
	if reg.Worker.Address != nil {
		t.Errorf("it is changed: %v", reg)
	}
	var r deploy.WorkerRecord
	if err := proto.Unmarshal(s.records["worker_w"], &r); err != nil || !proto.Equal(r.GetRegistration().GetWorker(), k.tool.Ref.Proto()) {
		t.Errorf("%v, %v", &r, err)
	}
}
