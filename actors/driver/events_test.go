package driver_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/driver/bus"
	"github.com/coherer/coherer/actors/driver/heartbeat"
	"github.com/coherer/coherer/actors/driver/listener"
	"github.com/coherer/coherer/actors/driver/status"
	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// eventLog is an event log in memory.
type eventLog struct {
	t     *testing.T
	appID string
	lines [][]byte
	ended bool
}

func (l *eventLog) Start(appID string) error {
	l.appID = appID
	return nil
}

func (l *eventLog) Write(lines [][]byte) error {
	l.lines = append(l.lines, lines...)
	return nil
}

func (l *eventLog) End() error {
	l.ended = true
	return nil
}

// of are the events of a kind.
func of[E listener.Event](l *eventLog) (out []E) {
	l.t.Helper()
	for _, line := range l.lines {
		e, err := listener.Decode(line)
		if err != nil {
			l.t.Fatal(err)
		}
		if e, ok := e.(E); ok {
			out = append(out, e)
		}
	}
	return out
}

// logged makes a rig whose driver writes an event log.
func logged(t *testing.T, pairs map[string]string, change func(*driver.Config)) (*rig, *eventLog) {
	t.Helper()
	l := &eventLog{t: t}
	return newRigWith(t, 1, pairs, func(cfg *driver.Config) {
		cfg.EventLog, cfg.User, cfg.Process.System = l, "ada", listener.Properties{{Key: "os.name", Value: "test"}}
		if change != nil {
			change(cfg)
		}
	}), l
}

// reports makes an executor report the end of a task.
func (e *executor) reports(d *app.TaskDescription, fields string) {
	e.r.t.Helper()
	u, err := endOf(d, fields)
	if err != nil {
		e.r.t.Fatal(err)
	}
	e.Send(e.r.at(driver.Name), u)
	e.r.Settle()
}

// instant is a Transfer that brings as many bytes as the test says.
type instant struct{ bytes int }

func (i *instant) Fetch(_ *rpcenv.Blocking, from rpcenv.Address, ids []string, each func(int, []byte) error) error {
	if from != (rpcenv.Address{Host: "host0", Port: 7000}) || !slices.Equal(ids, []string{storage.TaskResultID(1)}) {
		return fmt.Errorf("%s has no %s", from, ids)
	}
	return each(0, make([]byte, i.bytes))
}

// stop ends the driver with an exit code.
func (r *rig) stop(code int) (err error) {
	r.t.Helper()
	done := false
	r.env.Go("stop", func(b *rpcenv.Blocking) error {
		err, done = r.driver.StopWith(b, code), true
		return nil
	})
	r.Until("the driver's end", func() bool { return done })
	return err
}

// What the scheduler knows of executors and tasks is in the event log, in one order with the events of jobs.
func TestTheEventLogHasExecutorsAndTasks(t *testing.T) {
	r, l := logged(t, nil, func(cfg *driver.Config) { cfg.Transfer = &instant{5} })
	e := r.launched("0", 1)
	job := run(r, tasksOf.With(2))
	r.Advance(50 * time.Millisecond)
	began := r.Now().Add(-50 * time.Millisecond).UnixMilli() // a message takes up to a millisecond from here on
	e.reports(e.started(), "state=FAILED failure={kind=ExceptionFailure message=broken}")
	e.reports(e.started(), "result={count=0 size=5 blockManager={executorId=0 host=host0 port=7000}}")
	if m, ok := e.Next().(*app.LaunchTask); !ok || m.GetData().GetIndex() != 1 {
		t.Fatalf("%v", m)
	} else {
		e.reports(m.GetData(), "")
	}
	job.counts()
	if err := r.stop(3); err != nil {
		t.Error(err)
	}
	if l.appID != "app-1" || !l.ended {
		t.Errorf("the log of %q, ended %t", l.appID, l.ended)
	}
	start, env, end := of[*listener.ApplicationStart](l), of[*listener.EnvironmentUpdate](l), of[*listener.ApplicationEnd](l)
	if len(start) != 1 || start[0].AppName != "test" || start[0].User != "ada" || len(env) != 1 || env[0].System.Get("os.name") != "test" {
		t.Errorf("the application: %+v, its process: %+v", start, env)
	}
	if len(end) != 1 || end[0].ExitCode == nil || *end[0].ExitCode != 3 {
		t.Errorf("its end: %+v", end)
	}
	if all := of[*listener.ExecutorAdded](l); len(all) != 1 || all[0].ExecutorID != "0" || all[0].Info.Host != "host0" || all[0].Info.TotalCores != 1 {
		t.Errorf("executors: %+v", all)
	}
	var starts []string
	for _, s := range of[*listener.TaskStart](l) {
		i := s.Task
		starts = append(starts, fmt.Sprintf("TID %d: task %d.%d of partition %d at %s %s, %d ms after the job", i.ID, i.Index, i.Attempt, i.Partition, i.ExecutorID, i.Host, i.Launched-began))
	}
	want := []string{
		"TID 0: task 0.0 of partition 0 at 0 host0, 1 ms after the job", "TID 1: task 0.1 of partition 0 at 0 host0, 51 ms after the job",
		"TID 2: task 1.0 of partition 1 at 0 host0, 51 ms after the job",
	}
	if !slices.Equal(starts, want) {
		t.Errorf("starts\n%s\nwant\n%s", strings.Join(starts, "\n"), strings.Join(want, "\n"))
	}
	if all := of[*listener.TaskGettingResult](l); len(all) != 1 || all[0].Task.ID != 1 || all[0].Task.GettingResult != began+51 {
		t.Errorf("results that were fetched: %+v", all)
	}
	if _, err := rpctest.Ask[bus.Status](r.ProbeIn(r.env, "late"), r.at(bus.Name), bus.Query{Of: status.Application{}}); !errors.Is(err, rpcenv.ErrRefusedNotFound) {
		t.Errorf("the bus is still there: %v", err)
	}
}

// A copy of a slow task is known as such.
func TestTheEventLogHasCopiesOfSlowTasks(t *testing.T) {
	r, l := logged(t, map[string]string{"spark.speculation": "true", "spark.speculation.quantile": "0.5"}, nil)
	slow, quick := r.launched("0", 1), r.launched("1", 1)
	run(r, tasksOf.With(2))
	r.Advance(time.Second)
	quick.reports(quick.started(), "")
	r.Advance(10 * time.Second)
	if got := quick.started(); got.GetAttemptNumber() != 1 {
		t.Fatalf("no copy: %v", got)
	}
	_ = slow
	all := of[*listener.TaskStart](l)
	if len(all) != 3 || all[0].Task.Speculative || all[1].Task.Speculative || !all[2].Task.Speculative {
		t.Errorf("%+v", all)
	}
}

// Failures that exclude an executor are events.
func TestTheEventLogHasExclusions(t *testing.T) {
	r, l := logged(t, map[string]string{"spark.excludeOnFailure.enabled": "true", "spark.excludeOnFailure.stage.maxFailedTasksPerExecutor": "1"}, nil)
	all := []*executor{r.launched("0", 1), r.launched("1", 1)}
	run(r, tasksOf.With(1))
	r.Settle()
	for _, e := range all {
		if len(e.Waiting()) == 0 {
			continue
		}
		e.reports(e.started(), "state=FAILED failure={kind=ExceptionFailure message=broken}")
		got := of[*listener.Exclusion](l)
		if len(got) != 2 || got[1].Name != "ExecutorExcludedForStage" || got[1].ExecutorID != e.id || got[1].TaskFailures == nil || *got[1].TaskFailures != 1 {
			t.Errorf("%+v", got)
		}
		break
	}
}

// What a heartbeat says of an executor's memory comes with the end of the stage; one that says nothing is no event.
func TestTheEventLogHasThePeaksOfExecutors(t *testing.T) {
	r, l := logged(t, map[string]string{"spark.eventLog.logStageExecutorMetrics": "true"}, nil)
	e := r.launched("0", 1)
	run(r, tasksOf.With(1))
	d := e.started()
	receiver := r.ProbeIn(r.env, "receiver")
	send := func(peaks ...*app.StagePeaks) int {
		receiver.Send(r.at(driver.Name), heartbeat.Progress{ExecutorID: "0", Peaks: peaks})
		r.Settle()
		n := 0
		for _, m := range r.Trace().Entries {
			if m.Type == "ExecutorMetricsUpdate" && strings.HasSuffix(m.To, "/"+bus.Name) {
				n++
			}
		}
		return n
	}
	if n := send(); n != 0 {
		t.Errorf("%d events without peaks", n)
	}
	if n := send(&app.StagePeaks{Metrics: &app.ExecutorMetrics{Heap: 77}}); n != 1 {
		t.Errorf("%d events of peaks", n)
	}
	e.reports(d, "")
	got := of[*listener.StageExecutorMetrics](l)
	if text, err := json.Marshal(got); err != nil || len(got) != 1 || got[0].ExecutorID != "0" || !strings.Contains(string(text), ":77,") {
		t.Errorf("%s, %v", text, err)
	}
}

// A driver that serves pages starts a bus, which answers the pages' queries; a driver without pages and without an event log starts none.
func TestPagesNeedNoEventLog(t *testing.T) {
	c, err := conf.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	r := newRigWith(t, 1, nil, func(cfg *driver.Config) { cfg.Status = status.New(c) })
	r.launched("0", 1)
	asker := r.ProbeIn(r.env, "pages")
	got, err := rpctest.Ask[bus.Status](asker, r.at(bus.Name), bus.Query{Of: status.Application{}})
	if a, ok := got.Value.(status.ApplicationInfo); err != nil || got.Err != nil || !ok || a.Name != "test" || a.ID != "app-1" {
		t.Errorf("%+v, %v", got, err)
	}
	without := newRig(t, 1, nil, nil)
	if _, err := rpctest.Ask[bus.Status](without.ProbeIn(without.env, "pages"), without.at(bus.Name), bus.Query{Of: status.Application{}}); err == nil {
		t.Error("there is a bus that nobody wants")
	}
	without.NoDrops()
	if err := without.stop(0); err != nil {
		t.Error(err)
	}
}

// On YARN the ApplicationMaster's id begins the log.
func TestTheEventLogOfAnApplicationOnYARN(t *testing.T) {
	l := &eventLog{t: t}
	w := rpctest.New(t, 1)
	r := &rig{World: w, t: t, env: w.Env("Driver", nil)}
	var err error
	r.driver, err = driver.Start(r.env, driver.Config{AppName: "test", EventLog: l, YARN: &driver.YARN{AppID: "application_1_0001"}})
	if err != nil {
		t.Fatal(err)
	}
	r.Settle()
	if l.appID != "application_1_0001" {
		t.Errorf("the log is of %q", l.appID)
	}
	if got := r.waits(r.ProbeIn(r.env, "asker")); got.GetAppId() != "application_1_0001" {
		t.Errorf("it waits as %v", got)
	}
	if err := r.stop(4); err != nil {
		t.Error(err)
	}
	if end := of[*listener.ApplicationEnd](l); len(end) != 1 || *end[0].ExitCode != 4 || !l.ended {
		t.Errorf("its end: %+v", end)
	}
}

// Block managers are in the log because BlockManagerMaster knows the bus, too.
func TestTheEventLogHasBlockManagers(t *testing.T) {
	r, l := logged(t, nil, nil)
	r.keeping("0", 1)
	r.Settle()
	all := of[*listener.BlockManagerAdded](l)
	if len(all) != 2 || all[1].ID != (listener.BlockManagerID{ExecutorID: "0", Host: "host0", Port: 7000}) {
		t.Errorf("%+v", all)
	}
}
