package mapoutput_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/coherer/coherer/actors/driver/mapoutput"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func at(executor string) *storage.MapStatus {
	return &storage.MapStatus{Location: &storage.BlockManagerId{ExecutorId: executor}, Sizes: []int64{1}}
}

func TestTheBookOfMapOutputs(t *testing.T) {
	w := rpctest.New(t, 1)
	env := w.Env("Driver", nil)
	ref := w.Register(env, mapoutput.Name, mapoutput.New())
	local, remote := w.ProbeIn(env, "DAG"), w.Probe("E")
	for _, k := range []struct {
		m    rpcenv.Message
		want string
	}{
		{mapoutput.RegisterMapOutput{Status: at("0")}, "unknown"},
		{mapoutput.RegisterShuffle{Maps: 3}, "[- - -] 0"},
		{mapoutput.RegisterMapOutput{MapIndex: 0, Status: at("0")}, "[0 - -] 0"},
		{mapoutput.RegisterMapOutput{MapIndex: 2, Status: at("1")}, "[0 - 1] 0"},
		{mapoutput.RegisterMapOutput{MapIndex: 3, Status: at("1")}, "[0 - 1] 0"},
		{mapoutput.RegisterShuffle{Maps: 3}, "[0 - 1] 0"},
		{mapoutput.IncrementEpoch{Epoch: 1}, "[0 - 1] 1"},
		{mapoutput.UnregisterMapOutput{MapIndex: 0, Executor: "1", Epoch: 2}, "[0 - 1] 2"},
		{mapoutput.UnregisterMapOutput{MapIndex: 2, Executor: "1", Epoch: 3}, "[0 - -] 3"},
		{mapoutput.UnregisterMapOutput{MapIndex: -1, Executor: "1", Epoch: 3}, "[0 - -] 3"},
		{mapoutput.RemoveOutputsOnExecutor{Executor: "0", Epoch: 2}, "[- - -] 3"},
		{mapoutput.UnregisterShuffle{}, "unknown"},
	} {
		local.Send(ref, k.m)
		got := "unknown"
		s, err := rpctest.Ask[*storage.MapOutputStatuses](remote, ref, &storage.GetMapOutputStatuses{})
		switch {
		case err == nil:
			got = fmt.Sprint(short(s), " ", s.GetEpoch())
		case !errors.Is(err, mapoutput.ErrUnknownShuffle):
			t.Error(err)
		}
		if got != k.want {
			t.Errorf("after %T%+v: %s, want %s", k.m, k.m, got, k.want)
		}
	}
}

func short(s *storage.MapOutputStatuses) []string {
	var out []string
	for _, m := range s.GetStatuses() {
		if m.GetLocation() == nil {
			out = append(out, "-")
			continue
		}
		out = append(out, m.GetLocation().GetExecutorId())
	}
	return out
}
