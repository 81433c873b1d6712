package dag

import (
	"reflect"
	"testing"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/rdd"
)

// describedFile reads a file, whose number of partitions the lineage does not know, behind which there is a shuffle.
var describedFile = rdd.Define("dag-test-described", func(path string) rdd.Dataset[ones] {
	pairs := rdd.Map(rdd.Indeterminate(rdd.TextFile(path, 2)), func(s string) ones { return rdd.PairOf(s, int64(1)) })
	return rdd.ReduceByKey(pairs, func(a, b int64) int64 { return a + b }, 3)
})

// The start of a job describes its stages for LiveListenerBus, each by the operation that ends it, with the lines of its lineage, the last
// one first. Without a bus nobody wants that.
func TestTheStartOfAJobDescribesItsStages(t *testing.T) {
	r := busRig(t, func(c *Config) { c.FS = rdd.MemFS{"text": []byte("a\nb\nc\n")} })
	inv := under(t, rdd.WithJobGroup(t.Context(), "g", ""), describedFile.With("text"))
	r.submitAll(inv)
	r.Settle()
	if len(r.posted) == 0 {
		t.Fatal("nothing was posted")
	}
	start := r.posted[0].(event.JobStart)
	if start.Properties[rdd.PropertyJobGroup] != "g" || !reflect.DeepEqual(start.Shuffles, []int32{0}) || !reflect.DeepEqual(start.Stages, []int32{0, 1}) {
		t.Errorf("%+v", start)
	}
	n := inv.Lineage.Nodes
	want := []event.StageInfo{
		{
			ID: 0, Name: "ReduceByKey at dag-test-described", Details: n[2].String() + "\n" + n[1].String() + "\n" + n[0].String(), Tasks: 2,
			Parents: []int32{}, RDDs: []event.RDD{
				{ID: 2, Op: "Map", Func: n[2].Func, Parents: []int32{1}, Partitions: 2, Indeterminate: true},
				{ID: 1, Op: "Indeterminate", Func: n[1].Func, Parents: []int32{0}, Partitions: 2, Indeterminate: true},
				{ID: 0, Op: "TextFile", Parents: []int32{}, Partitions: 2},
			},
		},
		{
			ID: 1, Name: "collect at dag-test-described", Details: n[3].String(), Tasks: 3, Parents: []int32{0},
			RDDs: []event.RDD{{ID: 3, Op: "ReduceByKey", Func: n[3].Func, Parents: []int32{2}, Partitions: 3, Indeterminate: true}},
		},
	}
	if n[2].Func == "" || !reflect.DeepEqual(start.Infos, want) {
		t.Errorf("described\n%+v\nwant\n%+v", start.Infos, want)
	}
	r = newRig(t, nil)
	submit(r, narrow.With(0))
	if r.started[0].Infos != nil {
		t.Errorf("described without a bus: %+v", r.started[0].Infos)
	}
}
