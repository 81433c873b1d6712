package master_test

import (
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// request asks for so many executors of each profile.
func (d *driver) request(app string, totals ...*deploy.ProfileTarget) bool {
	d.k.t.Helper()
	ok, err := rpctest.Ask[*rpc.Bool](d.Probe, d.k.ref, &deploy.RequestExecutors{AppId: app, Totals: totals})
	if err != nil {
		d.k.t.Fatal(err)
	}
	return ok.GetValue()
}

func total(profile *deploy.ResourceProfile, n int32) *deploy.ProfileTarget {
	return &deploy.ProfileTarget{Profile: profile, Total: n}
}

// dynamic registers an application that wants no executor yet.
func (k *kit) dynamic(name string) *driver {
	d := k.newDriver(name)
	d.desc.InitialExecutorLimit = proto.Int32(0)
	d.register()
	return d
}

var standard = &deploy.ResourceProfile{}

// Trace 10, as observed: totals are absolute, and each answer comes behind what it caused.
func TestRequestExecutors(t *testing.T) {
	k := newKit(t)
	w, d := k.worker("W1", 4, 4096), k.dynamic("D")
	none(t, w.Probe, time.Second)
	var order []string
	d.On(func(_ *rpcenv.Context, m rpcenv.Message) bool {
		_, added := m.(*deploy.ExecutorAdded)
		if added {
			order = append(order, "ExecutorAdded")
		}
		return added
	})
	for _, n := range []int32{1, 2, 2, 0} {
		d.Do(func(c *rpcenv.Context) {
			q := &deploy.RequestExecutors{AppId: d.id, Totals: []*deploy.ProfileTarget{total(standard, n)}}
			rpcenv.Ask(c, k.ref, q, func(ok *rpc.Bool, err error) {
				if err != nil || !ok.GetValue() {
					order = append(order, "refused")
				}
				order = append(order, "answer")
			})
		})
		k.Settle()
	}
	want := []string{"ExecutorAdded", "answer", "ExecutorAdded", "answer", "answer", "answer"}
	if !slices.Equal(order, want) {
		t.Errorf("%v, want %v", order, want)
	}
	if s := k.state().GetActiveApps()[0]; len(s.Executors) != 2 { // a lower total ends no executor
		t.Errorf("%+v", s.Executors)
	}
	w.launched()
	w.launched()
	w.report(d.id, 0, deploy.ExecutorState_EXITED, 137) // recorded: not replaced, the total is 0
	none(t, w.Probe, 2*time.Minute)
}

func TestRequestExecutorsOfAnUnknownApplicationAndOfNonsense(t *testing.T) {
	k := newKit(t)
	w, d := k.worker("W1", 4, 4096), k.dynamic("D")
	if d.request("app-unknown", total(standard, 1)) {
		t.Error("an unknown application was answered true")
	}
	if d.request(d.id, total(standard, 1), total(&deploy.ResourceProfile{Id: 1, ExecutorMemoryMb: -5}, 1)) {
		t.Error("an executor with -5 MiB was answered true")
	}
	if d.request(d.id, total(standard, -1)) || d.request(d.id, total(nil, 1)) {
		t.Error("nonsense was answered true")
	}
	none(t, w.Probe, time.Second) // one bad total: none of them counts
}

// An application's profiles are served by id, and each has its own target.
func TestProfilesAreServedByID(t *testing.T) {
	k := newKit(t)
	w := k.newWorker("W1", 8, 8192)
	w.reg.Resources = []*deploy.ResourceInformation{{Name: "gpu", Addresses: []string{"a", "b", "c"}}}
	w.Send(k.ref, w.reg)
	next[*deploy.RegisteredWorker](t, w.Probe)
	d := k.dynamic("D")
	gpu := &deploy.ResourceProfile{
		Id: 2, ExecutorCores: proto.Int32(2), ExecutorMemoryMb: 1024,
		ExecutorResources: []*deploy.ResourceRequirement{{Name: "gpu", Amount: 2}},
	}
	big := &deploy.ResourceProfile{Id: 1, ExecutorCores: proto.Int32(3), ExecutorMemoryMb: 2048}
	if !d.request(d.id, total(gpu, 2), total(big, 1), total(standard, 1)) {
		t.Error("refused")
	}
	k.Settle()
	for _, want := range []*deploy.LaunchExecutor{
		{RpId: 0, Cores: 1, Memory: 512},
		{RpId: 1, Cores: 3, Memory: 2048},
		{RpId: 2, Cores: 2, Memory: 1024, Resources: []*deploy.ResourceInformation{{Name: "gpu", Addresses: []string{"a", "b"}}}},
	} {
		l := w.launched()
		got := &deploy.LaunchExecutor{RpId: l.GetRpId(), Cores: l.GetCores(), Memory: l.GetMemory(), Resources: l.GetResources()}
		if !proto.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	none(t, w.Probe, time.Second) // a second one would want two of one gpu
	w.report(d.id, 2, deploy.ExecutorState_EXITED, 137)
	if l := w.launched(); l.GetRpId() != 2 || !slices.Equal(l.GetResources()[0].GetAddresses(), []string{"a", "b"}) {
		t.Errorf("%v", l) // what was given back is given again
	}
}

// Recorded: KillExecutors, then RequestExecutors with the same total; the kill's own schedule may not replace what was
// killed when the total was lowered before.
func TestKillExecutorsIsAnsweredBehindWhatItCauses(t *testing.T) {
	k := newKit(t)
	k.worker("W1", 4, 4096)
	d := k.dynamic("D")
	d.request(d.id, total(standard, 1))
	k.Settle()
	d.added()
	var order []string
	d.On(func(_ *rpcenv.Context, m rpcenv.Message) bool {
		if _, added := m.(*deploy.ExecutorAdded); added {
			order = append(order, "ExecutorAdded")
		}
		return true
	})
	d.Do(func(c *rpcenv.Context) {
		rpcenv.Ask(c, k.ref, &deploy.KillExecutors{AppId: d.id, ExecutorIds: []string{"0"}}, func(*rpc.Bool, error) {
			order = append(order, "answer")
		})
	})
	k.Settle()
	if want := []string{"ExecutorAdded", "answer"}; !slices.Equal(order, want) {
		t.Errorf("%v, want %v", order, want)
	}
}

func TestAWorkerWithBadResourcesIsRefused(t *testing.T) {
	k := newKit(t)
	for i, bad := range [][]*deploy.ResourceInformation{
		{{Addresses: []string{"0"}}},
		{{Name: "gpu"}, {Name: "gpu"}},
		{{Name: "gpu", Addresses: []string{"0", "0"}}},
		{{Name: "gpu", Addresses: []string{""}}},
	} {
		w := k.newWorker("W"+string(rune('1'+i)), 1, 1024)
		w.reg.Resources = bad
		w.Send(k.ref, w.reg)
		next[*deploy.RegisterWorkerFailed](t, w.Probe)
	}
}
