package executor

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv/conf"
)

// SparkConf.validateSettings: between two heartbeats an executor must not count as lost.
func TestTheHeartbeatIsShorterThanTheTimeoutOfTheNetwork(t *testing.T) {
	for timeout, want := range map[string]string{
		"11s": "", "10s": "spark.network.timeout (10s) must be greater than spark.executor.heartbeatInterval (10s)", "9s": "spark.network.timeout (9s)",
	} {
		c, err := conf.New(map[string]string{"spark.network.timeout": timeout})
		if err != nil {
			t.Fatal(err)
		}
		if err := belowTimeout(c, 10*time.Second); want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", timeout, err, want)
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
