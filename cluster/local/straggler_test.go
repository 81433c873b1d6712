package local_test

import (
	"testing"
	"time"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/rpcenv"
)

var eightSeconds = rdd.Define("local test: eight tasks of a second", func(int) rdd.Dataset[int64] {
	return rdd.Sleep(rdd.Range(0, 8, 8), func(int64) time.Duration { return time.Second })
})

// A process that stands still is no lost one: it is connected, and its heartbeats are missed after two minutes only. With
// spark.speculation its task is done elsewhere, once the others have shown how long one takes; without, the job waits.
func TestAJobDoesNotWaitForAStraggler(t *testing.T) {
	for speculation, most := range map[string]time.Duration{"true": 10 * time.Second, "false": 5 * time.Minute} {
		c := local.Start(t, local.Config{Workers: 4, Cores: 2, Seed: 1, Conf: map[string]string{
			"spark.speculation": speculation, "spark.speculation.quantile": "0.75", "spark.executor.memory": "512m",
		}})
		ended := make(chan error, 1)
		began := c.Simulated().Now()
		c.Application("A", func(b *rpcenv.Blocking, a *app.App) error {
			n, err := rdd.Count(b.Context(), a, eightSeconds.With(0))
			if n != 8 {
				t.Errorf("the job counted %d of 8", n)
			}
			ended <- err
			return err
		}, func(error) {})
		c.Simulated().Advance(500 * time.Millisecond)
		straggler := c.Simulated().Find("Exec1")
		straggler.Pause()
		if err := c.Run(func() bool { return len(ended) > 0 }, 10*time.Minute); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
		took := c.Simulated().Now().Sub(began)
		if took > most || speculation == "false" && took < time.Minute {
			t.Errorf("with spark.speculation=%s the job took %s", speculation, took)
		}
	}
}
