package master_test

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
)

// SPARK-27510: executors that start and exit at once are relaunched for ever.
func TestHistoricLaunchLoop(t *testing.T) {
	k := newKit(t, "coherer.compat", "SPARK-27510")
	w, d := k.worker("W1", 2, 2048), k.driver("D", 1)
	start, launches := k.Now(), 0
	for k.Now().Sub(start) < 2*time.Minute {
		l := w.launched()
		launches++
		w.report(d.id, l.GetExecId(), deploy.ExecutorState_RUNNING)
		k.Advance(100 * time.Millisecond)
		w.report(d.id, l.GetExecId(), deploy.ExecutorState_EXITED, 1)
		if launches%100 == 0 {
			w.beat()
		}
	}
	if launches < 1000 || len(k.state().GetActiveApps()) != 1 {
		t.Errorf("%d launches", launches)
	}
}

// Without a sign of life they were counted even so.
func TestHistoricLaunchLoopEndsWithoutRunning(t *testing.T) {
	k := newKit(t, "coherer.compat", "SPARK-27510")
	w, d := k.worker("W1", 2, 2048), k.driver("D", 1)
	for range 10 {
		w.report(d.id, w.launched().GetExecId(), deploy.ExecutorState_FAILED)
	}
	if s := k.state(); len(s.GetActiveApps()) != 0 {
		t.Errorf("%+v", s)
	}
}

// SPARK-2425: an application with a healthy executor is removed at its tenth failure in all its life.
func TestHistoricLifetimeFailures(t *testing.T) {
	k := newKit(t, "coherer.compat", "SPARK-2425")
	w, d := k.worker("W1", 2, 2048), k.driver("D", 2)
	w.launched()
	w.report(d.id, 0, deploy.ExecutorState_RUNNING)
	for n := 1; n <= 10; n++ {
		if s := k.state(); len(s.GetActiveApps()) != 1 {
			t.Fatalf("removed after %d failures", n-1)
		}
		l := w.launched()
		w.report(d.id, l.GetExecId(), deploy.ExecutorState_RUNNING)
		k.alive(2*time.Hour, w)
		w.report(d.id, l.GetExecId(), deploy.ExecutorState_EXITED, 1)
	}
	if s := k.state(); len(s.GetActiveApps()) != 0 {
		t.Errorf("%+v", s.GetActiveApps())
	}
}

// SPARK-16925: an executor that ends with exit code 0 is not replaced until something else happens.
func TestHistoricSilentExit(t *testing.T) {
	k := newKit(t, "coherer.compat", "SPARK-16925")
	w, d := k.worker("W1", 1, 1024), k.driver("D", 1)
	w.launched()
	w.report(d.id, 0, deploy.ExecutorState_RUNNING)
	w.report(d.id, 0, deploy.ExecutorState_EXITED, 0)
	for range 40 {
		w.beat()
		none(t, w.Probe, 15*time.Second)
	}
	k.worker("W2", 1, 1024).launched()
}

// SPARK-8881 and 9731, from the application to the order.
func TestHistoricPlacements(t *testing.T) {
	for _, test := range []struct {
		compat          string
		cores, memory   int32 // of each of four workers
		max             int32
		size, mb        int32
		fixed, historic int // how many cores they get
	}{
		{"SPARK-8881", 16, 65536, 48, 16, 1024, 48, 0},
		{"SPARK-9731", 10, 4096, 40, 0, 3072, 40, 4},
	} {
		for compat, want := range map[string]int{test.compat: test.historic, "fixed": test.fixed} {
			k := newKit(t, "coherer.compat", compat)
			for _, name := range []string{"W1", "W2", "W3", "W4"} {
				k.worker(name, test.cores, test.memory)
			}
			d := k.newDriver("D")
			d.desc.MaxCores, d.desc.MemoryPerExecutorMb, d.desc.CoresPerExecutor = proto.Int32(test.max), test.mb, nil
			if test.size > 0 {
				d.desc.CoresPerExecutor = proto.Int32(test.size)
			}
			d.register()
			if got := k.state().GetActiveApps()[0].GetCoresGranted(); int(got) != want {
				t.Errorf("%s: %d cores, want %d", compat, got, want)
			}
		}
	}
}
