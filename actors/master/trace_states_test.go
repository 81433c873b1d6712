package master_test

import (
	"testing"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
)

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
