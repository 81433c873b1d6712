package master_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// terms notes each message that Probes get and in which terms it was sent.
type terms map[string]map[uint64]int

func (x terms) of(ps ...*rpctest.Probe) {
	for _, p := range ps {
		p.On(func(_ *rpcenv.Context, m rpcenv.Message) bool {
			r := m.(proto.Message).ProtoReflect()
			f := r.Descriptor().Fields().ByName(protoreflect.Name("master_term"))
			if f == nil {
				return false
			}
			name := string(r.Descriptor().Name())
			if x[name] == nil {
				x[name] = map[uint64]int{}
			}
			x[name][r.Get(f).Uint()]++
			return false
		})
	}
}

// Whatever a Master sends in its seventh term says so: Workers and drivers know an order of an older one by that.
func TestAllThatAMasterSendsHasItsTerm(t *testing.T) {
	s := &shelf{records: map[string][]byte{}}
	k := &kit{World: rpctest.New(t, 1), t: t}
	k.lead(k.Env("M", nil), master.Config{Election: true, Store: s})
	k.tool.Send(k.ref, master.ElectedLeader{Term: 7})
	k.isIn("ALIVE")
	seen := terms{}
	newWorker := func(name string, cores int32) *worker {
		w := k.newWorker(name, cores, 4096)
		seen.of(w.Probe)
		w.Send(k.ref, w.reg)
		k.Settle()
		return w
	}
	newDriver := func(name string, cores int32) *driver {
		d := k.newDriver(name)
		d.desc.MaxCores = proto.Int32(cores)
		seen.of(d.Probe)
		d.register()
		k.Settle()
		return d
	}

	w1 := newWorker("W1", 2)
	for n := range 17 { // the last ones are too many
		at := rpcenv.Address{Host: "10.9.9.9", Port: 20000 + n}
		w1.Send(k.ref, &deploy.RegisterWorker{
			Id: fmt.Sprint("x", n), Host: at.Host, Port: int32(at.Port), Cores: 1, Memory: 1, Worker: rpcenv.Ref{Address: at, Name: "Worker"}.Proto(),
		})
	}
	bad := newWorker("Bad", 0)
	d := newDriver("D", 2)
	sick := k.newDriver("Sick")
	seen.of(sick.Probe)
	sick.desc.MemoryPerExecutorMb = 0
	sick.Send(k.ref, &deploy.RegisterApplication{AppDescription: sick.desc, Driver: sick.Ref.Proto()})
	killed := newDriver("Killed", 1)
	ask(k, &deploy.KillApplication{AppId: killed.id})
	bad.beat() // the Master does not know it

	w1.report(d.id, 0, deploy.ExecutorState_RUNNING)
	w1.report(d.id, 9, deploy.ExecutorState_RUNNING) // is killed
	newWorker("W2", 2)
	driver := k.submit(wanted(false))
	ask(k, &deploy.RequestKillDriver{DriverId: driver})
	k.decommissionHosts(w1.reg.GetHost())
	k.Settle()
	if err := k.Reset("D", "M", 0); err != nil { // the driver lives: it gets MasterChanged
		t.Fatal(err)
	}
	k.Settle()
	d.Send(k.ref, &deploy.UnregisterApplication{AppId: d.id})
	newDriver("Last", 1)
	k.Find("W2").Kill() // its executors are lost, and so is the Worker
	k.Settle()

	k.restart(master.Config{Election: true, Store: s})
	k.tool.Send(k.ref, master.ElectedLeader{Term: 7})
	k.Settle()
	k.Advance(2 * time.Minute) // no answer: they are given up
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		if len(seen[name]) != 1 || seen[name][7] == 0 {
			t.Errorf("%s: so many in each term: %v, want all in 7", name, seen[name])
		}
	}
	const want = "ApplicationFinished ApplicationRemoved DecommissionWorker ExecutorAdded ExecutorUpdated KillDriver KillExecutor " +
		"LaunchDriver LaunchExecutor MasterChanged ReconnectWorker RegisterWorkerFailed RegisteredApplication RegisteredWorker WorkerRemoved"
	if got := strings.Join(slices.Sorted(maps.Keys(seen)), " "); got != want {
		t.Errorf("seen are\n%s, want\n%s", got, want)
	}
}
