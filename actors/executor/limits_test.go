package executor

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/executor/fetch"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv/conf"
)

// Each bound of a fetch is that of its setting; without settings they are Spark's.
func TestTheBoundsOfFetchesAreThoseOfTheSettings(t *testing.T) {
	for _, k := range []struct {
		settings map[string]string
		want     fetch.Limits
	}{
		{nil, fetch.Limits{InFlight: 48 << 20, Requests: 1<<31 - 1, Blocks: 1<<31 - 1, ToMemory: 200 << 20, Retries: 3, RetryWait: 5 * time.Second}},
		{
			map[string]string{
				"spark.reducer.maxSizeInFlight": "2m", "spark.reducer.maxReqsInFlight": "3", "spark.reducer.maxBlocksInFlightPerAddress": "4",
				"spark.network.maxRemoteBlockSizeFetchToMem": "5k", "spark.shuffle.io.maxRetries": "6", "spark.shuffle.io.retryWait": "7s",
			},
			fetch.Limits{InFlight: 2 << 20, Requests: 3, Blocks: 4, ToMemory: 5 << 10, Retries: 6, RetryWait: 7 * time.Second},
		},
	} {
		c, err := conf.New(k.settings)
		if err != nil {
			t.Fatal(err)
		}
		if got := fetchLimits(c); got != k.want {
			t.Errorf("%v: %+v, want %+v", k.settings, got, k.want)
		}
	}
}

// ExecutorMetrics.compareAndUpdatePeakValues: each measure has a peak of its own.
func TestEachMeasureHasAPeakOfItsOwn(t *testing.T) {
	a := &app.ExecutorMetrics{Heap: 1, OffHeap: 20, Execution: 3, Storage: 40, Unified: 5, GcCount: 60, GcMs: 7}
	b := &app.ExecutorMetrics{Heap: 10, OffHeap: 2, Execution: 30, Storage: 4, Unified: 50, GcCount: 6, GcMs: 70}
	want := &app.ExecutorMetrics{Heap: 10, OffHeap: 20, Execution: 30, Storage: 40, Unified: 50, GcCount: 60, GcMs: 70}
	for _, got := range []*app.ExecutorMetrics{highest(a, b), highest(b, a)} {
		if !proto.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	if got := highest(nil, a); !proto.Equal(got, a) || got == a {
		t.Errorf("the first measure: %v", got)
	}
}

// The folders of a task's checkpoints go by their nodes; datasets that are kept as blocks have none.
func TestWhereATaskFindsItsCheckpoints(t *testing.T) {
	w := &work{desc: &app.TaskDescription{Persisted: []*app.PersistedNode{{Node: 1, RddId: 4}, {Node: 3, RddId: 5, Checkpoint: "/c/rdd-5"}}}}
	if got := w.checkpoints(); len(got) != 1 || got[3] != "/c/rdd-5" {
		t.Errorf("%v", got)
	}
}
