package mapoutput_test

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/driver/mapoutput"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// Spark sends what is longer than spark.shuffle.mapOutput.minSizeForBroadcast, 512 KiB, by broadcast.
func TestALongListOfOutputsIsTheAnswerItself(t *testing.T) {
	const maps, reducers = 2000, 500
	w := rpctest.New(t, 1)
	env := w.Env("Driver", nil)
	ref := w.Register(env, mapoutput.Name, mapoutput.New())
	local, remote := w.ProbeIn(env, "DAG"), w.Probe("E")
	local.Send(ref, mapoutput.RegisterShuffle{Maps: maps})
	status := &storage.MapStatus{Location: &storage.BlockManagerId{ExecutorId: "0"}, Sizes: make([]int64, reducers)}
	for i := range int32(maps) {
		local.Send(ref, mapoutput.RegisterMapOutput{MapIndex: i, Status: status})
	}
	got, err := rpctest.Ask[*storage.MapOutputStatuses](remote, ref, &storage.GetMapOutputStatuses{})
	if err != nil || len(got.GetStatuses()) != maps || proto.Size(got) < 512<<10 {
		t.Errorf("%d statuses in %d bytes, %v", len(got.GetStatuses()), proto.Size(got), err)
	}
}
