package master_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func TestWhatWentWrongIsRemembered(t *testing.T) {
	k := newKit(t)
	w, d := k.worker("W1", 2, 2048), k.driver("D", 1)
	w.launched()
	w.report(d.id, 0, deploy.ExecutorState_RUNNING)
	w.report(d.id, 0, deploy.ExecutorState_EXITED, 3)
	w.launched()
	w.report(d.id, 1, deploy.ExecutorState_EXITED, 0) // is no failure
	w.launched()
	k.Advance(2 * time.Minute) // without a heartbeat
	var got []string
	s := k.state()
	for _, f := range s.Failures {
		got = append(got, fmt.Sprintf("%s %s at %s: %s, %s", f.Kind, f.Id, f.WorkerId, f.State, f.Reason))
	}
	want := []string{
		"executor " + d.id + "/0 at worker-W1: EXITED, Command exited with code 3",
		"worker worker-W1 at worker-W1: DEAD, Not receiving heartbeat for 60 seconds",
		"executor " + d.id + "/2 at worker-W1: LOST, worker lost: Not receiving heartbeat for 60 seconds",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if n := len(s.ActiveApps[0].RemovedExecutors); n != 3 {
		t.Errorf("%d executors of the past, want 3", n)
	}
}

func TestTheFailuresAreBounded(t *testing.T) {
	k := newKit(t, "spark.deploy.maxExecutorRetries", "-1")
	w, d := k.worker("W1", 1, 1024), k.driver("D", 1)
	for id := range int32(60) {
		w.launched()
		w.report(d.id, id, deploy.ExecutorState_FAILED)
		k.alive(time.Minute, w)
	}
	s := k.state()
	if n := len(s.Failures); n != 50 {
		t.Fatalf("%d failures, want the last 50", n)
	}
	if last := s.Failures[49].Id; last != d.id+"/59" {
		t.Errorf("the last is %s", last)
	}
	if n := len(s.ActiveApps[0].RemovedExecutors); n != 50 {
		t.Errorf("%d executors of the past, want 50", n)
	}
}

func TestADemandSaysWhatBlocksIt(t *testing.T) {
	k := newKit(t)
	d := k.driver("D", 4)
	blockers := func() string {
		s := k.state()
		if len(s.Demands) != 1 || s.Demands[0].AppId != d.id {
			t.Fatalf("%v", s.Demands)
		}
		out := ""
		for _, b := range s.Demands[0].Blockers {
			out += fmt.Sprintf("%s %d: %s\n", b.Filter, b.Workers, b.Reason)
		}
		return out
	}
	if got := blockers(); got != "workers 0: no Worker is registered\n" {
		t.Error(got)
	}
	k.worker("W1", 2, 256)
	k.worker("W2", 2, 511)
	if got := blockers(); got != "memory 2: an executor wants 512 MiB of memory, the worker has 256\n" {
		t.Error(got)
	}
	k.worker("W3", 4, 4096)
	if s := k.state(); len(s.Demands) != 0 {
		t.Errorf("%v", s.Demands)
	}
}

// Room is no help while the Master pauses, since executors ended early: status says it as why does.
func TestADemandSaysThatItsApplicationPauses(t *testing.T) {
	k := newKit(t)
	w, d := k.worker("W1", 1, 1024), k.driver("D", 1)
	for id := range int32(4) {
		w.launched()
		w.report(d.id, id, deploy.ExecutorState_RUNNING)
		w.report(d.id, id, deploy.ExecutorState_EXITED, 0)
	}
	s := k.state()
	if len(s.Demands) != 1 || len(s.Demands[0].Blockers) != 1 {
		t.Fatalf("%v", s.Demands)
	}
	b := s.Demands[0].Blockers[0]
	if b.Filter != "wait" || b.Workers != 0 || !strings.Contains(b.Reason, "nothing is launched for another 0.1 s") || b.Help != "wait, or mend what ends them" {
		t.Errorf("%v", b)
	}
	says(t, k.why(d.id), [2]string{"exits", "ended early"}, [2]string{"wait", b.Reason})
	k.Advance(time.Second)
	if s := k.state(); len(s.Demands) != 0 {
		t.Errorf("it was launched: %v", s.Demands)
	}
}

// TestDemandsAreBounded: each costs a look at every Worker.
func TestDemandsAreBounded(t *testing.T) {
	k := newKit(t)
	for i := range 23 {
		k.driver(fmt.Sprintf("D%d", i), 1)
	}
	if s := k.state(); len(s.Demands) != 20 || s.DemandsMore != 3 {
		t.Errorf("%d and %d more", len(s.Demands), s.DemandsMore)
	}
	for range 22 { // drivers come first
		k.submit(wanted(false))
	}
	if s := k.state(); len(s.Demands) != 20 || s.DemandsMore != 25 || s.Demands[19].GetDriverId() == "" {
		t.Errorf("%d and %d more: %v", len(s.Demands), s.DemandsMore, s.Demands)
	}
}

func TestAUserKillsAnApplication(t *testing.T) {
	k := newKit(t)
	w, d := k.worker("W1", 1, 1024), k.driver("D", 1)
	w.launched()
	d.added()
	for i, want := range []bool{true, false} {
		got, err := rpctest.Ask[*rpc.Bool](k.tool, k.ref, &deploy.KillApplication{AppId: d.id})
		if err != nil || got.GetValue() != want {
			t.Fatalf("%d: %v, %v", i, got, err)
		}
	}
	if r := next[*deploy.ApplicationRemoved](t, d.Probe); r.GetMessage() != "KILLED" {
		t.Error(r)
	}
	next[*deploy.KillExecutor](t, w.Probe)
	if s := k.state(); s.CompletedApps[0].State != "KILLED" || s.Workers[0].CoresUsed != 0 || len(s.Failures) != 0 {
		t.Errorf("%v", s)
	}
}

// A demand is of one profile. What only the placement holds back is no demand: no Worker blocks it.
func TestADemandIsOfOneProfile(t *testing.T) {
	k := newKit(t, "coherer.deploy.scheduler", "core-by-core")
	for _, name := range []string{"W1", "W2"} {
		k.worker(name, 4, 4096)
	}
	d := k.newDriver("D")
	d.desc.MaxCores, d.desc.CoresPerExecutor = proto.Int32(4), proto.Int32(4)
	d.register()
	if s := k.state(); len(s.Demands) != 0 || len(s.ActiveApps[0].Executors) != 0 {
		t.Errorf("%v", s)
	}
	d.request(d.id, total(&deploy.ResourceProfile{Id: 7, ExecutorMemoryMb: 5000}, 1))
	if s := k.state(); len(s.Demands) != 1 || s.Demands[0].RpId != 7 || s.Demands[0].Memory != 5000 {
		t.Errorf("%v", s.Demands)
	}
}

func TestAMasterWithoutASubmissionServerHasNoPort(t *testing.T) {
	if s := newKit(t).state(); s.RestPort != nil {
		t.Errorf("port %d", s.GetRestPort())
	}
}
