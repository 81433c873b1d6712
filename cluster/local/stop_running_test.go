package local_test

import (
	"bytes"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver/bus"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/local"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
)

// A driver that ends while tasks run fails their job, ends its executors with their tasks, and leaves a whole event log.
func TestADriverEndsWhileItsTasksRun(t *testing.T) {
	for _, kind := range []local.Kind{local.Sim, local.Processes} {
		t.Run(string(kind), func(t *testing.T) {
			log := &memoryLog{}
			c := local.Start(t, local.Config{Kind: kind, Workers: 2, EventLog: func(string) bus.Log { return log }, Conf: map[string]string{
				"spark.executor.memory": "512m", "spark.scheduler.minRegisteredResourcesRatio": "1",
			}})
			var launched atomic.Int32
			t.Cleanup(c.Recorder().Watch(func(r *tracepb.Record) {
				if r.GetKind() == tracepb.Kind_SENT && r.GetType() == "app.LaunchTask" {
					launched.Add(1)
					c.Wake()
				}
			}))
			ended, failed, running := make(chan error, 1), make(chan error, 1), make(chan func(), 1)
			c.Application("A", func(b *rpcenv.Blocking, a *app.App) error {
				b.Env().Go("job", func(other *rpcenv.Blocking) error {
					_, err := rdd.Count(other.Context(), a.In(other), slow.With(time.Hour))
					failed <- err
					c.Wake()
					return nil
				})
				return b.Wait(func(wake func()) { running <- wake; c.Wake() })
			}, func(err error) { ended <- err })
			until := func(what string, cond func() bool) {
				t.Helper()
				if err := c.Run(cond, time.Minute); err != nil {
					t.Fatalf("%s: %v", what, err)
				}
			}
			until("two tasks run", func() bool { return launched.Load() == 2 && len(running) > 0 && len(c.Executors()) == 2 })
			(<-running)()
			until("the end", func() bool { return len(ended) > 0 && len(failed) > 0 })
			if err := <-ended; err != nil {
				t.Error(err)
			}
			const want = "job events: slow: Job 0 cancelled because SparkContext was shut down"
			if err := <-failed; err == nil || err.Error() != want {
				t.Errorf("the job failed with %v, want %s", err, want)
			}
			until("no executor is left", func() bool { return len(c.Executors()) == 0 })
			text := string(bytes.Join(log.lines, nil))
			for _, event := range []string{`"Event":"SparkListenerJobEnd"`, `"Event":"SparkListenerApplicationEnd"`} {
				if n := bytes.Count([]byte(text), []byte(event)); n != 1 {
					t.Errorf("the event log has %s %d times", event, n)
				}
			}
			if !log.ended {
				t.Error("the event log was not ended")
			}
		})
	}
}
