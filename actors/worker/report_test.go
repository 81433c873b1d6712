package worker

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace"
)

// A lost last word leaves the Master's books wrong for no longer than two heartbeats.
func TestALostReportIsRepeatedUntilAcknowledged(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	k.run(0)
	k.acknowledge = false
	k.children[0].Exit(0)
	k.untilReports(2)
	k.acknowledge = true
	k.w.Advance(30 * time.Second)
	if len(k.reports) != 3 || k.last() != "EXITED Command exited with code 0 status=0" {
		t.Errorf("reports: %v", k.reports)
	}
	k.w.Advance(time.Hour)
	if len(k.reports) != 3 {
		t.Errorf("repeated an acknowledged report: %v", k.reports[3:])
	}
}

func TestARefusedReportIsRepeated(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	refused := false
	k.master.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		if q, ok := m.(*deploy.ExecutorStateChanged); ok && !refused {
			refused = true
			rpcenv.Fail(c, q, errors.New("not now"))
			return true
		}
		return k.playMaster(c, m)
	})
	began := k.w.Now()
	k.run(0)
	if !refused || k.last() != "RUNNING" {
		t.Errorf("refused %t, reports %v", refused, k.reports)
	}
	if d := k.w.Now().Sub(began).Round(time.Second); d != 15*time.Second {
		t.Errorf("repeated after %s, want a heartbeat period", d)
	}
	if got := k.lines("Failed to send"); !slices.Equal(got, []string{"Failed to send executor $app/0 state RUNNING to master, will retry"}) {
		t.Errorf("logged %q", got)
	}
}

// refusing makes the Master refuse all reports, and counts them.
func (k *kit) refusing() *int {
	n := new(int)
	k.master.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		q, ok := m.(*deploy.ExecutorStateChanged)
		if ok {
			*n++
			rpcenv.Fail(c, q, errors.New("not now"))
		}
		return ok
	})
	return n
}

// Of a report that was refused its tick is left, which a newer report outlives.
func TestATickOfAnOldReportRepeatsNothing(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	refused := k.refusing()
	k.master.Send(k.worker, k.launch(0))
	k.w.Settle()
	k.master.On(k.playMaster)
	k.children[0].Exit(0)
	k.w.Advance(time.Minute)
	if *refused != 1 || len(k.reports) != 1 || k.last() != "EXITED Command exited with code 0 status=0" {
		t.Errorf("%d refused, then %v", *refused, k.reports)
	}
}

func TestAReportThatIsUnderWayIsNotAskedTwice(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	k.acknowledge = false
	k.run(0)
	k.master.Send(k.worker, k.registered(true, 0))
	k.w.Advance(time.Second)
	if len(k.reports) != 1 {
		t.Errorf("reports %v", k.reports)
	}
	// Nor by the tick of its refusal, when a registration has repeated it before.
	k = newKit(t)
	k.join(Config{}, nil)
	refused := k.refusing()
	k.master.Send(k.worker, k.launch(0))
	k.w.Advance(10 * time.Second)
	k.master.On(k.playMaster)
	k.acknowledge = false
	k.master.Send(k.worker, k.registered(true, 0))
	k.w.Advance(14 * time.Second) // the tick comes after 5
	if *refused != 1 || len(k.reports) != 1 {
		t.Errorf("%d refused, then %v", *refused, k.reports)
	}
}

// A Master that does not know this Worker would not know whose executor it hears of.
func TestNothingIsReportedBeforeTheRegistration(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	k.run(0)
	refused := k.refusing()
	k.master.Send(k.worker, k.launch(1))
	k.w.Settle()
	k.w.Find("M").Kill()
	k.w.Settle()
	k.restartMaster()
	next[*deploy.RegisterWorker](k)
	k.children[0].Exit(1)
	k.w.Advance(15 * time.Second)
	if *refused != 1 || len(k.reports) != 1 {
		t.Errorf("%d refused, then %v", *refused, k.reports)
	}
	k.master.Send(k.worker, k.registered(false, 0))
	k.w.Settle()
	if len(k.reports) != 3 || text(k.reports[1]) != "RUNNING" || text(k.reports[2]) != "EXITED Command exited with code 1 status=1" {
		t.Errorf("reports %v", k.reports)
	}
}

// For study, as SPARK-34245 has it.
func TestWithTheOldFaultALostReportStaysLost(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, map[string]string{"coherer.compat": "SPARK-34245"})
	refused := k.refusing()
	k.master.Send(k.worker, k.launch(0))
	k.w.Advance(time.Hour)
	if *refused != 1 {
		t.Errorf("reported %d times, want once", *refused)
	}
	k.master.Send(k.worker, k.registered(true, 0))
	k.w.Settle()
	if *refused != 1 {
		t.Error("reported again after a registration")
	}
}

func TestOnlyTheLastWordIsRepeated(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	k.acknowledge = false
	k.run(0)
	k.children[0].Exit(0)
	k.untilReports(2)
	k.acknowledge = true
	k.w.Advance(5 * time.Minute)
	if len(k.reports) != 3 || k.last() != "EXITED Command exited with code 0 status=0" {
		t.Errorf("reports: %v", k.reports)
	}
}

func TestAWorkerWhoseMasterNeverAcknowledgesExits(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, map[string]string{"spark.worker.executorStateSync.maxAttempts": "2", "spark.rpc.askTimeout": "20s"})
	k.acknowledge = false
	began := k.w.Now()
	k.run(0)
	if code := k.exited(2 * time.Minute); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	// A report waits for 15 s, a quarter of spark.worker.timeout.
	if d := k.w.Now().Sub(began).Round(time.Second); d != 45*time.Second {
		t.Errorf("it gave up after %s, want the first time-out after 40 s", d)
	}
	k = newKit(t)
	k.join(Config{}, map[string]string{"spark.worker.executorStateSync.maxAttempts": "2", "spark.rpc.askTimeout": "15s"})
	k.acknowledge = false
	began = k.w.Now()
	k.run(0)
	k.exited(2 * time.Minute)
	if d := k.w.Now().Sub(began).Round(time.Second); d != 30*time.Second {
		t.Errorf("it gave up after %s, want 30 s", d)
	}
	if got := k.lines("Failed to send"); len(got) != 2 || got[1] != "Failed to send executor $app/0 state RUNNING to master for 30s, worker is about to exit" {
		t.Errorf("logged %q", got)
	}
}

// What another Master, or the same one before, did not acknowledge does not count against the one that accepted last.
func TestPatienceBeginsWithEachRegistration(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, map[string]string{"spark.worker.executorStateSync.maxAttempts": "2", "spark.rpc.askTimeout": "20s"})
	k.acknowledge = false
	k.run(0)
	k.w.Advance(40 * time.Second)
	k.master.Send(k.worker, k.registered(true, 0))
	k.w.Advance(39 * time.Second)
	if _, ended := k.host.Exited(); ended {
		t.Error("it gave up within 40 s of the registration")
	}
	k.exited(15 * time.Second)
}

func TestAReportSurvivesTheConnection(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	k.run(0)
	k.w.Find("M").Kill()
	k.w.Advance(time.Second)
	k.children[0].Exit(1)
	k.w.Advance(time.Minute)
	if len(k.reports) != 1 {
		t.Fatalf("reports without a Master: %v", k.reports)
	}
	k.restartMaster()
	if s := k.accept(false); len(s.GetExecutors()) != 0 || len(s.GetDriverIds()) != 0 {
		t.Errorf("it runs on: %v", s)
	}
	k.untilReports(2)
	if got := k.last(); got != "EXITED Command exited with code 1 status=1" {
		t.Errorf("reported %q", got)
	}
}

func TestAShutdownIsAnsweredWhenTheMasterHeardTheLastWords(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	k.run(0)
	k.acknowledge = false
	answered := false
	k.shutdown(&answered)
	k.untilReports(2)
	if answered || k.last() != "FAILED Worker shutting down status=143" {
		t.Fatalf("answered %t after %q", answered, k.last())
	}
	k.master.Send(k.worker, k.launch(1)) // too late
	k.untilReports(3)
	if got := k.last(); !strings.HasPrefix(got, "FAILED Worker shutting down") {
		t.Errorf("the late order: %q", got)
	}
	k.acknowledge = true
	k.w.Until("the answer", func() bool { return answered })
}

func TestAShutdownIsAnsweredWhenNothingIsLeft(t *testing.T) {
	for name, lose := range map[string]func(k *kit){
		"nothing runs": func(*kit) {},
		// Nobody is there to hear a last word.
		"the Master is gone": func(k *kit) {
			k.run(0)
			k.w.Find("M").Kill()
			k.w.Settle()
		},
	} {
		k := newKit(t)
		k.join(Config{}, nil)
		lose(k)
		answered := false
		k.shutdown(&answered)
		k.w.Settle()
		if !answered {
			t.Errorf("%s: not answered", name)
		}
	}
}

// Between the answer and the end of the process an executor or a driver would run without a Worker.
func TestNothingStartsAfterAShutdown(t *testing.T) {
	k := newDriverKit(t, Config{}, nil)
	answered := false
	k.shutdown(&answered)
	k.w.Settle()
	k.master.Send(k.worker, order(false))
	k.master.Send(k.worker, k.launch(0))
	k.w.Settle()
	if !answered || len(k.started) != 0 || k.last() != "FAILED Worker shutting down" {
		t.Errorf("answered %t, started %v, reports %v", answered, k.started, k.reports)
	}
	k.want()
	for _, e := range k.w.Trace().Entries {
		if e.K == trace.KindState && e.Is == "ignored" {
			t.Errorf("a second answer: %s %s %s", e.Name, e.Subject, e.Why)
		}
	}
}

func TestAShutdownWaitsForTheDrivers(t *testing.T) {
	k := newDriverKit(t, Config{}, nil)
	k.run(false)
	var stubborn asked
	child := k.child()
	k.made.books.drivers[0].process = &stubborn
	answered := false
	k.shutdown(&answered)
	k.w.Settle()
	if answered || len(stubborn) != 1 {
		t.Errorf("answered %t while a driver lives that was asked to end %v", answered, stubborn)
	}
	child.Exit(0)
	k.w.Settle()
	if !answered {
		t.Error("not answered")
	}
}

// What ended while the Worker was away is reported before the list of what runs: an executor that the Master finds in neither
// is LOST to it, and an EXITED that comes later is of an executor that it has forgotten.
func TestEndsAreReportedBeforeTheListOfWhatRuns(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	k.refusing()
	k.master.Send(k.worker, k.launch(0))
	k.w.Settle()
	k.w.Find("M").Kill()
	k.w.Settle()
	k.children[0].Exit(3)
	k.restartMaster()
	var got []string
	k.master.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		switch m := m.(type) {
		case *deploy.ExecutorStateChanged:
			got = append(got, m.GetState().String())
		case *deploy.WorkerLatestState:
			got = append(got, "latest state")
		}
		return k.playMaster(c, m)
	})
	k.accept(true)
	k.w.Settle()
	if want := []string{"EXITED", "latest state"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
