package driver_test

import (
	"testing"
	"time"

	"github.com/coherer/coherer/messages/app"
)

// Each fault is of the settings alone; what is right is tested beside each.
func TestHistoricFaults(t *testing.T) {
	expiry := func(fault string) map[string]string {
		return map[string]string{"coherer.compat": fault, "spark.network.timeout": "20s", "spark.network.timeoutInterval": "10s"}
	}
	t.Run("SPARK-13112: a task comes before the executor is made", func(t *testing.T) {
		r := newRig(t, map[string]string{"coherer.compat": "SPARK-13112"})
		run(r, numbers.With(9))
		e := r.newExecutor("0")
		if err := e.register(1); err != nil {
			t.Fatal(err)
		}
		e.task()
	})
	t.Run("SPARK-13519: nobody hears of an executor that is given up", func(t *testing.T) {
		r := newRig(t, expiry("SPARK-13519"))
		e := r.launched("0", 1)
		r.Advance(40 * time.Second)
		if !r.heardPart("Executor heartbeat timed out after") || len(e.Waiting()) > 0 || len(r.killed) > 0 {
			t.Errorf("the executor got %v, the Master killed %q", e.Waiting(), r.killed)
		}
	})
	t.Run("SPARK-27348: the backend keeps an executor that is silent", func(t *testing.T) {
		r := newRig(t, expiry("SPARK-27348"))
		e := r.launched("0", 1)
		run(r, numbers.With(9))
		e.task()
		r.Advance(40 * time.Second)
		if got := r.changes(); len(got) != 1 || len(e.Waiting()) > 0 || len(r.killed) > 0 || !r.heardPart("Reason: Executor heartbeat timed out after") {
			t.Errorf("heard %+v, the executor got %v", got, e.Waiting())
		}
	})
	t.Run("none", func(t *testing.T) {
		r := newRig(t, expiry("fixed"))
		e := r.launched("0", 1)
		run(r, numbers.With(9))
		e.task()
		r.Advance(40 * time.Second)
		if m, ok := e.Next().(*app.StopExecutor); !ok || !r.heardPart("exited caused by one of the running tasks) Reason: Executor heartbeat timed out") {
			t.Errorf("the executor got %T", m)
		}
	})
}
