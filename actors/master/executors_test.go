package master_test

import (
	"testing"
	"time"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
)

// SPARK-27510: executors that start and exit at once. The count is not set back by RUNNING, and launches are spaced.
func TestAnApplicationWhoseExecutorsExitAtOnceIsRemoved(t *testing.T) {
	k := newKit(t)
	w, d := k.worker("W1", 2, 2048), k.driver("D", 1)
	start, launches := k.Now(), 0
	for len(k.state().ActiveApps) > 0 {
		l := w.launched()
		launches++
		w.report(d.id, l.GetExecId(), deploy.ExecutorState_RUNNING)
		k.Advance(100 * time.Millisecond)
		w.report(d.id, l.GetExecId(), deploy.ExecutorState_EXITED, 1)
	}
	if took := k.Now().Sub(start); launches != 10 || took > 5*time.Minute || took < 5*time.Second {
		t.Errorf("removed after %d launches in %s", launches, took)
	}
	waiting := d.Waiting()
	last := waiting[len(waiting)-1]
	if r, ok := last.(*deploy.ApplicationRemoved); !ok || r.GetMessage() != "FAILED" {
		t.Errorf("the last word is %T %v", last, last)
	}
	same(t, w.Probe, &deploy.ApplicationFinished{Id: d.id})
	s := k.state()
	if s.CompletedApps[0].State != master.ApplicationFailed.String() {
		t.Errorf("%+v", s.CompletedApps)
	}
	f := s.Failures[len(s.Failures)-1]
	if f.Kind != "application" || f.Id != d.id || f.WorkerId != "" || f.State != "FAILED" || f.Reason != "failed 10 times" {
		t.Errorf("the last failure is %v", f)
	}
}

// SPARK-2425, 4498: a healthy application loses an executor now and then.
func TestAnApplicationWithAHealthyExecutorLives(t *testing.T) {
	k := newKit(t)
	w := k.worker("W1", 2, 2048)
	d := k.driver("D", 2)
	w.launched()
	w.report(d.id, 0, deploy.ExecutorState_RUNNING)
	for range 11 {
		l := w.launched()
		w.report(d.id, l.GetExecId(), deploy.ExecutorState_RUNNING)
		k.alive(2*time.Hour, w)
		w.report(d.id, l.GetExecId(), deploy.ExecutorState_EXITED, 1)
	}
	for range 30 { // and even when the others fail at once, though ever later
		l := w.launched()
		w.report(d.id, l.GetExecId(), deploy.ExecutorState_EXITED, 1)
		k.alive(61*time.Second, w)
	}
	if s := k.state(); len(s.ActiveApps) != 1 || len(s.ActiveApps[0].Executors) != 2 {
		t.Errorf("%+v", s)
	}
}

func TestMaxExecutorRetriesMinusOneRemovesNobody(t *testing.T) {
	k := newKit(t, "spark.deploy.maxExecutorRetries", "-1")
	w, d := k.worker("W1", 1, 1024), k.driver("D", 1)
	for range 25 {
		l := w.launched()
		w.report(d.id, l.GetExecId(), deploy.ExecutorState_FAILED)
		k.alive(61*time.Second, w)
	}
	if s := k.state(); len(s.ActiveApps) != 1 {
		t.Errorf("%+v", s)
	}
}
