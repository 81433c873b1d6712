package master_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv/trace"
)

// states are the changes of state in the trace that came since the last call.
func (k *kit) states(seen *int) (out []string) {
	k.t.Helper()
	k.Settle()
	for _, e := range k.Trace().Entries {
		if e.K == trace.KindState && strings.HasSuffix(e.At, "/Master") {
			out = append(out, fmt.Sprintf("%s %s: %s > %s, %s", e.Name, e.Subject, e.Was, e.Is, e.Why))
		}
	}
	out, *seen = out[*seen:], len(out)
	return out
}

// The trace has each change of what the Master keeps, of itself too, with the reason: what checks a run reads it there.
func TestTheTraceHasEachChangeOfState(t *testing.T) {
	k, records := lasting(t)
	seen := 0
	check := func(want ...string) {
		t.Helper()
		if got := k.states(&seen); !slices.Equal(got, want) {
			t.Errorf("got\n%q\nwant\n%q", got, want)
		}
	}
	at := k.ref.Address.String()
	check("master " + at + ": STANDBY > ALIVE, elected in term 1")
	w := k.worker("W1", 2, 2048)
	check("worker worker-W1:  > ALIVE, registered")
	d := k.driver("D", 1)
	check("application "+d.id+":  > WAITING, registered",
		"executor "+d.id+"/0:  > LAUNCHING, launched",
		"application "+d.id+": WAITING > RUNNING, first executor launched")
	w.report(d.id, 0, deploy.ExecutorState_RUNNING)
	check("executor " + d.id + "/0: LAUNCHING > RUNNING, ")
	w.report(d.id, 0, deploy.ExecutorState_EXITED, 3)
	check("executor "+d.id+"/0: RUNNING > EXITED, Command exited with code 3", "executor "+d.id+"/1:  > LAUNCHING, launched")
	id := k.submit(wanted(false))
	check("driver "+id+":  > SUBMITTED, submitted", "driver "+id+": SUBMITTED > RUNNING, launched")
	w.driverReport(id, deploy.DriverState_FAILED)
	check("driver " + id + ": RUNNING > FAILED, reported by its worker")
	id = k.submit(wanted(true))
	check("driver "+id+":  > SUBMITTED, submitted", "driver "+id+": SUBMITTED > RUNNING, launched")

	k.restart(master.Config{Store: records})
	k.Settle()
	d.acknowledges(2)
	check("master "+at+": STANDBY > RECOVERING, elected in term 2",
		"application "+d.id+":  > UNKNOWN, recovered",
		"driver "+id+":  > UNKNOWN, recovered",
		"worker worker-W1:  > UNKNOWN, recovered",
		"application "+d.id+": UNKNOWN > WAITING, it acknowledged the master")
	w.Send(k.ref, &deploy.WorkerSchedulerStateResponse{
		Id: w.reg.GetId(), Executors: []*deploy.WorkerExecutorStateResponse{{Desc: running(d.id, 1)}},
		Drivers: []*deploy.WorkerDriverStateResponse{{DriverId: id}},
	})
	check("worker worker-W1: UNKNOWN > ALIVE, it reported its state",
		"driver "+id+": UNKNOWN > RUNNING, its worker has it",
		"executor "+d.id+"/1:  > RUNNING, recovered",
		"master "+at+": RECOVERING > COMPLETING_RECOVERY, all answered, or the time is over",
		"application "+d.id+": WAITING > RUNNING, recovered",
		"master "+at+": COMPLETING_RECOVERY > ALIVE, recovered")
	w.decommission()
	check("worker worker-W1: ALIVE > DECOMMISSIONED, decommissioned", "executor "+d.id+"/1: RUNNING > DECOMMISSIONED, worker decommissioned")
	k.Advance(2 * time.Minute)
	const why = "Not receiving heartbeat for 60 seconds"
	again := k.state().ActiveDrivers[0].Id
	check("worker worker-W1: DECOMMISSIONED > DEAD, "+why,
		"executor "+d.id+"/1: DECOMMISSIONED > LOST, worker lost: "+why,
		"driver "+id+": RUNNING > RELAUNCHING, worker lost: "+why,
		"driver "+again+":  > SUBMITTED, relaunched in place of "+id)
	ask(k, &deploy.RequestKillDriver{DriverId: again})
	check("driver " + again + ": SUBMITTED > KILLED, killed while it waited")
	ask(k, &deploy.KillApplication{AppId: d.id})
	check("application " + d.id + ": RUNNING > KILLED, killed by a user")
	e := k.driver("E", 1)
	e.Send(k.ref, &deploy.UnregisterApplication{AppId: e.id})
	check("application "+e.id+":  > WAITING, registered", "application "+e.id+": WAITING > FINISHED, unregistered")
	w2 := k.worker("W2", 1, 1024)
	f := k.driver("F", 1)
	ok := ask(k, &deploy.DriverStateChanged{DriverId: "nobody", State: deploy.DriverState_FAILED, ExitStatus: proto.Int32(1)})
	if !ok.GetValue() {
		t.Error("a report was answered false")
	}
	k.states(&seen)
	if err := k.Reset("F", "M", 0); err != nil {
		t.Fatal(err)
	}
	check() // the driver is there
	k.Find("W2").Kill()
	gone := w2.Ref.Address.String() + " got disassociated"
	check("worker worker-W2: ALIVE > DEAD, "+gone, "executor "+f.id+"/0: LAUNCHING > LOST, worker lost: "+gone)
}

// What comes twice tries no move that the states refuse, which the log would call an error: a report of a new leader, the launch
// of another executor, a decommission.
func TestARepetitionTriesNoMove(t *testing.T) {
	s := &shelf{records: map[string][]byte{}}
	k, said := loggedWith(t, master.Config{Store: s, Election: true})
	w, d := k.newWorker("W1", 4, 4096), k.newDriver("D")
	d.id = "app-1"
	s.put("app_app-1", &deploy.ApplicationRecord{Id: d.id, Desc: d.desc, Driver: d.Ref.Proto()})
	s.put("worker_worker-W1", &deploy.WorkerRecord{Registration: w.reg})
	k.tool.Send(k.ref, master.ElectedLeader{Term: 1})
	k.isIn("RECOVERING")
	d.acknowledges(1)
	d.acknowledges(1)
	w.lists(running(d.id, 0))
	w.lists(running(d.id, 0))
	k.isIn("ALIVE")
	if n := len(k.state().GetActiveApps()[0].GetExecutors()); n != 4 {
		t.Fatalf("%d executors, want 4", n)
	}
	w.decommission()
	w.decommission()
	k.stands("W1 DECOMMISSIONED")
	for _, e := range said.AllEntries() {
		if e.Level <= logrus.ErrorLevel {
			t.Errorf("an error: %s", e.Message)
		}
	}
}
