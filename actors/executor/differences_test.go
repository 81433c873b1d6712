package executor_test

import (
	"maps"
	"testing"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// Where executors have no files, as in a simulation, those of one machine fetch from each other.
func TestAMapOutputOfAnotherExecutorHereIsFetched(t *testing.T) {
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

func TestAnExecutorThatNeverReachesItsDriverEndsWithACodeOfItsOwn(t *testing.T) {
	w := rpctest.New(t, 1)
	host := w.Host("Exec0", "10.0.0.2")
	nobody := "spark://CoarseGrainedScheduler@10.0.0.99:4040"
	err := executor.Boot{Args: executor.Args{DriverURL: nobody, ExecutorID: "0", Hostname: "10.0.0.2", Cores: 1, AppID: "app"}}.Run(host)
	if err != nil {
		t.Fatal(err)
	}
	w.Until("the executor's end", func() bool { _, ended := host.Exited(); return ended })
	if code, _ := host.Exited(); code != executor.ExitUnreachable || master.UnreachableExit != executor.ExitUnreachable {
		t.Errorf("it ended with %d; the Master knows %d", code, master.UnreachableExit)
	}
}
