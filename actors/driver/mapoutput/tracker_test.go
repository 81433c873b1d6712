package mapoutput_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/sirupsen/logrus"
	logtest "github.com/sirupsen/logrus/hooks/test"

	"github.com/coherer/coherer/actors/driver/mapoutput"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// onHost is an output of executor 0 on a host.
func onHost(host string) *storage.MapStatus {
	return &storage.MapStatus{Location: &storage.BlockManagerId{ExecutorId: "0", Host: host}, Sizes: []int64{1}}
}

func at(executor string) *storage.MapStatus {
	return &storage.MapStatus{Location: &storage.BlockManagerId{ExecutorId: executor}, Sizes: []int64{1}}
}

func TestTheBookOfMapOutputs(t *testing.T) {
	w := rpctest.New(t, 1)
	w.NoPanic()
	env := w.Env("Driver", nil)
	said := logtest.NewLocal(env.Log().Logger)
	ref := w.Register(env, mapoutput.Name, mapoutput.New(mapoutput.Config{}))
	local, remote := w.ProbeIn(env, "DAG"), w.Probe("E")
	for _, k := range []struct {
		m    rpcenv.Message
		want string
	}{
		{mapoutput.RegisterMapOutput{Status: at("0")}, "unknown"},
		{mapoutput.UnregisterMapOutput{}, "unknown"},
		{mapoutput.RegisterShuffle{Maps: 3}, "[- - -] 0"},
		{mapoutput.RegisterMapOutput{MapIndex: 0, Status: at("0")}, "[0 - -] 0"},
		{mapoutput.RegisterMapOutput{MapIndex: 2, Status: at("1")}, "[0 - 1] 0"},
		{mapoutput.UpdateMapOutput{MapIndex: 2, Location: at("2").GetLocation()}, "[0 - 2] 0"},
		{mapoutput.UpdateMapOutput{MapIndex: 2, MapID: 7, Location: at("1").GetLocation()}, "[0 - 2] 0"}, // of another attempt
		{mapoutput.UpdateMapOutput{MapIndex: 1, Location: at("1").GetLocation()}, "[0 - 2] 0"},
		{mapoutput.UpdateMapOutput{MapIndex: 3, Location: at("1").GetLocation()}, "[0 - 2] 0"},
		{mapoutput.UpdateMapOutput{MapIndex: -1, Location: at("1").GetLocation()}, "[0 - 2] 0"},
		{mapoutput.UpdateMapOutput{Shuffle: 7, Location: at("1").GetLocation()}, "[0 - 2] 0"},
		{mapoutput.UpdateMapOutput{MapIndex: 2, Location: at("1").GetLocation()}, "[0 - 1] 0"},
		{mapoutput.RegisterMapOutput{MapIndex: 3, Status: at("1")}, "[0 - 1] 0"},
		{mapoutput.RegisterMapOutput{MapIndex: -1, Status: at("1")}, "[0 - 1] 0"},
		{mapoutput.RegisterShuffle{Maps: 3}, "[0 - 1] 0"},
		{mapoutput.IncrementEpoch{Epoch: 1}, "[0 - 1] 1"},
		{mapoutput.UnregisterMapOutput{MapIndex: 0, Executor: "1", Epoch: 2}, "[0 - 1] 2"},
		{mapoutput.UnregisterMapOutput{MapIndex: 2, Executor: "1", Epoch: 3}, "[0 - -] 3"},
		{mapoutput.UnregisterMapOutput{MapIndex: -1, Executor: "1", Epoch: 3}, "[0 - -] 3"},
		{mapoutput.UnregisterMapOutput{MapIndex: 3, Executor: "1", Epoch: 3}, "[0 - -] 3"},
		{mapoutput.UnregisterMapOutput{MapIndex: 1, Epoch: 3}, "[0 - -] 3"},
		{mapoutput.RemoveOutputsOnExecutor{Executor: "", Epoch: 2}, "[0 - -] 3"}, // an epoch never falls
		{mapoutput.RemoveOutputsOnExecutor{Executor: "0", Epoch: 4}, "[- - -] 4"},
		{mapoutput.RegisterMapOutput{MapIndex: 1, Status: onHost("h")}, "[- 0 -] 4"},
		{mapoutput.RegisterMapOutput{MapIndex: 2, Status: onHost("i")}, "[- 0 0] 4"},
		{mapoutput.RemoveOutputsOnHost{Host: "", Epoch: 5}, "[- 0 0] 5"},
		{mapoutput.RemoveOutputsOnHost{Host: "h", Epoch: 6}, "[- - 0] 6"},
		{mapoutput.UnregisterAllMapOutput{Shuffle: 1, Epoch: 7}, "[- - 0] 7"},
		{mapoutput.UnregisterAllMapOutput{Epoch: 8}, "[- - -] 8"},
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
	var warnings []string
	for _, e := range said.AllEntries() {
		if e.Level == logrus.WarnLevel {
			warnings = append(warnings, e.Message)
		}
	}
	if want := []string{
		"Asked to register map output 0 of unknown shuffle 0", "Asked to register map output 3 of unknown shuffle 0",
		"Asked to register map output -1 of unknown shuffle 0",
	}; !slices.Equal(warnings, want) {
		t.Errorf("warnings %q", warnings)
	}
	if _, err := rpctest.Ask[*rpc.Bool](local, ref, &rpc.Bool{}); !errors.Is(err, rpcenv.ErrRefusedUnsupported) {
		t.Error(err)
	}
}

// An output that is missing is a status without a place, for a requester in the same Env too.
func TestAMissingOutputIsAnEmptyStatus(t *testing.T) {
	w := rpctest.New(t, 1)
	env := w.Env("Driver", nil)
	ref := w.Register(env, mapoutput.Name, mapoutput.New(mapoutput.Config{}))
	local := w.ProbeIn(env, "DAG")
	local.Send(ref, mapoutput.RegisterShuffle{Maps: 1})
	s, err := rpctest.Ask[*storage.MapOutputStatuses](local, ref, &storage.GetMapOutputStatuses{})
	if err != nil || len(s.GetStatuses()) != 1 || s.GetStatuses()[0] == nil || s.GetStatuses()[0].GetLocation() != nil {
		t.Error(s, err)
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
