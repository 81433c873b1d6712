package local_test

import (
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace"
)

// Executors learn the map outputs by broadcast, also after some were lost with an executor.
func TestMapOutputsByBroadcast(t *testing.T) {
	for _, minSize := range []string{"0", "512k"} {
		settings := map[string]string{"spark.shuffle.mapOutput.minSizeForBroadcast": minSize}
		c := threeExecutors(t, 1, settings, func(c *local.Cluster, b *rpcenv.Blocking, a *app.App) error {
			for range 2 {
				if _, err := sums(b.Context(), a, cacheArgs{Level: rdd.MemoryOnly}); err != nil {
					return err
				}
				if err := c.Kill("Exec" + c.Executors()[0].ExecutorID); err != nil {
					return err
				}
			}
			return nil
		})
		answers, long := 0, 0
		for _, e := range trace.Merge(c.Recorder().Records()).Entries {
			if e.Type == "GetMapOutputStatuses" && e.Form == trace.FormReply {
				answers++
				if strings.Contains(string(e.Body), `"broadcast"`) && !strings.Contains(string(e.Body), `"statuses"`) {
					long++
				}
			}
		}
		if want := map[string]int{"0": answers}[minSize]; answers < 4 || long != want {
			t.Errorf("from %s on: %d of %d answers named a broadcast, want %d of 4 or more", minSize, long, answers, want)
		}
	}
}
