package executor_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/storage"
)

var (
	slowLines = rdd.Define("executor test: slow lines", func(none) rdd.Dataset[string] {
		return rdd.Sleep(rdd.TextFile("/text", 1), func(string) time.Duration { return time.Second })
	})
	slowSums = rdd.Define("executor test: slow sums", func(none) rdd.Dataset[rdd.Pair[int64, int64]] {
		pairs := rdd.Map(rdd.Range(0, 80, 1), func(n int64) rdd.Pair[int64, int64] { return rdd.PairOf(n, int64(1)) })
		return rdd.Sleep(rdd.ReduceByKey(pairs, func(a, b int64) int64 { return a + b }, 1),
			func(rdd.Pair[int64, int64]) time.Duration { return 100 * time.Millisecond })
	})
)

// A heartbeat has how many records a task has read of its file, and how long it has run. A task that has read nothing is left out.
// The end has the totals.
func TestHeartbeatsHaveTheProgressOfTasksThatRead(t *testing.T) {
	fs := rdd.MemFS{"/text": []byte(strings.Repeat("line\n", 40))}
	r := bootRig(t, nil, func(_ *rig, x *executor.Boot) { x.IO.FS = fs })
	r.expect(&app.LaunchedExecutor{})
	d := task(t, slowLines.With(none{}), 1)
	inv, err := slowLines.With(none{}).Invocation()
	if err != nil {
		t.Fatal(err)
	}
	splits, err := inv.Lineage.Splits(fs, 0)
	if err != nil {
		t.Fatal(err)
	}
	d.Split = splits[0]
	r.launch(d)
	r.launch(task(t, sleeps.With(none{}), 2))
	began := r.Now()
	for {
		q, ok := r.heartbeat.Next().(*app.Heartbeat)
		if !ok {
			t.Fatal("no heartbeat")
		}
		took := r.Now().Sub(began)
		if took > 40*time.Second { // the first task has ended
			if len(q.GetProgress()) != 0 {
				t.Errorf("after %s: %v", took, q.GetProgress())
			}
			break
		}
		// Told every 16 records: of the line that is read after n seconds it is known that it is one of the last 16.
		want := int64(took/time.Second) + 1
		p := q.GetProgress()
		if want < 16 {
			p = append(p, &app.TaskProgress{TaskId: 1, RunMs: took.Milliseconds()})
		}
		if len(p) != 1 || p[0].GetTaskId() != 1 || p[0].GetRecordsRead() != want/16*16 || took.Milliseconds()-p[0].GetRunMs() > 10 {
			t.Errorf("after %s: %v, want %d records", took, q.GetProgress(), want/16*16)
		}
	}
	if res := r.end().GetResult(); res.GetRecordsRead() != 40 || res.GetRunMs() != 40_000 {
		t.Errorf("the result has %d records in %d ms", res.GetRecordsRead(), res.GetRunMs())
	}
}

// Records of a shuffle count as read. What is made up, as the numbers of Range, does not.
func TestRecordsOfAShuffleCountAsRead(t *testing.T) {
	r := newRig(t)
	d := task(t, slowSums.With(none{}), 1)
	shuffle := int32(4)
	d.Node, d.ShuffleId, d.Shuffles, d.Action = 1, &shuffle, []int32{4}, ""
	r.launch(d)
	mapped := r.end().GetResult()
	r.outputs = []*storage.MapStatus{mapped.GetMapStatus()}
	d = task(t, slowSums.With(none{}), 2)
	d.Shuffles = []int32{4}
	r.launch(d)
	reduced := r.end().GetResult()
	got := fmt.Sprint(mapped.GetRecordsRead(), reduced.GetRecordsRead(), reduced.GetRunMs())
	if want := "0 80 8000"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
