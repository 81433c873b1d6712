package storage_test

import (
	"testing"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/messages/rpc"
	pb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func TestBlockManagersRegister(t *testing.T) {
	w := rpctest.New(t, 1)
	env := w.Env("Driver", nil)
	ref := w.Register(env, storage.MasterName, storage.NewMaster())
	scheduler, e := w.ProbeIn(env, "CoarseGrainedScheduler"), w.Probe("E")
	register := func(again bool, want string) {
		t.Helper()
		q := &pb.RegisterBlockManager{BlockManagerId: &pb.BlockManagerId{ExecutorId: "0", Host: "h", Port: 1}, IsReRegister: &again}
		got, err := rpctest.Ask[*pb.BlockManagerRegistered](e, ref, q)
		if err != nil || got.GetBlockManagerId().GetExecutorId() != want || got.GetBlockManagerId().GetPort() != 1 {
			t.Errorf("answer %v, %v, want executor %s", got, err, want)
		}
	}
	alive := func(want bool) {
		t.Helper()
		if got, err := rpctest.Ask[*rpc.Bool](e, ref, &pb.IsExecutorAlive{ExecutorId: "0"}); err != nil || got.GetValue() != want {
			t.Errorf("executor 0 is alive: %v, %v", got, err)
		}
	}
	register(true, "invalid")
	alive(false)
	scheduler.Send(ref, event.ExecutorChange{Kind: event.ExecutorAdded, ExecutorID: "0"})
	register(false, "0")
	alive(true)
	register(true, "0")
	scheduler.Send(ref, event.ExecutorChange{Kind: event.ExecutorLost, ExecutorID: "0"})
	alive(false)
	register(true, "invalid")
	got, err := rpctest.Ask[*pb.BlockLocations](e, ref, &pb.GetLocations{BlockId: "rdd_0_0"})
	if err != nil || len(got.GetLocations()) != 0 {
		t.Errorf("locations %v, %v", got, err)
	}
}

// Spark of SPARK-13519 refused nobody, so that an executor that was given up ran on.
func TestBlockManagersOfOldRegisterForEver(t *testing.T) {
	w := rpctest.New(t, 1)
	settings, err := conf.New(map[string]string{"coherer.compat": "SPARK-13519"})
	if err != nil {
		t.Fatal(err)
	}
	ref := w.Register(w.Env("Driver", settings), storage.MasterName, storage.NewMaster())
	again := true
	q := &pb.RegisterBlockManager{BlockManagerId: &pb.BlockManagerId{ExecutorId: "0", Host: "h", Port: 1}, IsReRegister: &again}
	got, err := rpctest.Ask[*pb.BlockManagerRegistered](w.Probe("E"), ref, q)
	if err != nil || got.GetBlockManagerId().GetExecutorId() != "0" {
		t.Errorf("answer %v, %v", got, err)
	}
}
