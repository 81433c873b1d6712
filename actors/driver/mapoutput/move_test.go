package mapoutput_test

import (
	"slices"
	"testing"

	"github.com/coherer/coherer/actors/driver/mapoutput"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// updateMapOutput: an output that moves stays that of its attempt, with its sizes, so that it may move again. The first map task's is
// moved and dropped as any other.
func TestAnOutputThatHasMovedIsStillOfItsAttempt(t *testing.T) {
	w := rpctest.New(t, 1)
	env := w.Env("Driver", nil)
	ref := w.Register(env, mapoutput.Name, mapoutput.New(mapoutput.Config{}))
	local := w.ProbeIn(env, "DAG")
	first := at("0")
	first.MapId = 7
	local.Send(ref, mapoutput.RegisterShuffle{Maps: 1})
	local.Send(ref, mapoutput.RegisterMapOutput{Status: first})
	page := func() *storage.MapStatus {
		t.Helper()
		s, err := rpctest.Ask[*storage.MapOutputStatuses](local, ref, &storage.GetMapOutputStatuses{})
		if err != nil {
			t.Fatal(err)
		}
		return s.GetStatuses()[0]
	}
	for _, to := range []string{"1", "2"} {
		local.Send(ref, mapoutput.UpdateMapOutput{MapID: 7, Location: at(to).GetLocation()})
		if s := page(); s.GetLocation().GetExecutorId() != to || s.GetMapId() != 7 || !slices.Equal(s.GetSizes(), []int64{1}) {
			t.Errorf("moved to %s: %v", to, s)
		}
	}
	local.Send(ref, mapoutput.UnregisterMapOutput{Executor: "2", Epoch: 1})
	if s := page(); s.GetLocation() != nil {
		t.Errorf("dropped: %v", s)
	}
}
