package local_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/coherer/coherer/actors/driver/bus"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/rpcenv"
)

// Whether memory has records or their encoding is said in the events of the dataset and of its blocks.
func TestEventsSayHowBlocksAreKept(t *testing.T) {
	for _, level := range []rdd.StorageLevel{rdd.MemoryOnly, rdd.MemoryOnlySer} {
		var log memoryLog
		c := local.Start(t, local.Config{
			Conf:     map[string]string{"spark.executor.memory": "512m", "spark.eventLog.logBlockUpdates.enabled": "true"},
			EventLog: func(string) bus.Log { return &log },
		})
		ended := make(chan error, 1)
		c.Application("A", func(b *rpcenv.Blocking, a *app.App) error {
			_, err := rdd.Count(b.Context(), a, cachedNumbers.With(cacheArgs{Level: level}))
			return err
		}, func(err error) { ended <- err })
		wantEnd(t, c, ended)
		want := fmt.Appendf(nil, `"Storage Level":{"Use Disk":false,"Use Memory":true,"Use Off Heap":false,"Deserialized":%t,"Replication":1}`, level.Deserialized)
		said := map[string]int{}
		for _, line := range log.lines {
			kind, _, _ := bytes.Cut(bytes.TrimPrefix(line, []byte(`{"Event":"SparkListener`)), []byte(`"`))
			if bytes.Contains(line, want) {
				said[string(kind)]++
			}
		}
		if said["JobStart"] != 1 || said["BlockUpdated"] != 3 {
			t.Errorf("%s: it is said by %v, want the start of the job and three blocks", level, said)
		}
	}
}
