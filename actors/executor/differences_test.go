package executor_test

import (
	"maps"
	"testing"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/storage"
)

// Spark reads the files of another executor on the same machine itself.
func TestAMapOutputOfAnotherExecutorHereIsFetchedLikeAnyOther(t *testing.T) {
	r := newRig(t)
	r.launch(mapTask(t, 0, 0))
	r.outputs = append(r.outputs, r.end().GetResult().GetMapStatus())
	r.blocks.others[9] = maps.Clone(r.blocks.own)
	clear(r.blocks.own)
	r.outputs[0].Location = &storage.BlockManagerId{ExecutorId: "1", Host: "10.0.0.2", Port: 9}
	r.launch(reduceTask(t, 5))
	if u := r.end(); u.GetState() != app.TaskState_FINISHED || u.GetResult().GetCount() == 0 {
		t.Error(u)
	}
	r.blocks.others = nil
	r.launch(reduceTask(t, 6))
	if u := r.end(); u.GetFailure().GetKind() != "FetchFailed" {
		t.Error("without the other's block port:", u)
	}
}
