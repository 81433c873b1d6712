package master_test

import (
	"fmt"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/sim"
)

// kit is a Master with Probes around it.
type kit struct {
	*rpctest.World
	t    *testing.T
	ref  rpcenv.Ref
	tool *rpctest.Probe // in the Master's Env
	ep   *harness
	host *sim.Host // the Master's
}

// harness is a Master whose connection events a test can make.
type harness struct {
	*master.Master
	t *testing.T
}

type connectionEvent struct {
	rpcenv.Local
	up   bool
	peer rpcenv.Address
}

func (h *harness) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case connectionEvent:
		if m.up {
			h.OnConnected(c, m.peer)
		} else {
			h.OnDisconnected(c, m.peer)
		}
	default:
		h.Master.Receive(c, m)
	}
	if wrong := h.Misplaced(); wrong != "" {
		h.t.Errorf("after %T: %s", m, wrong)
	}
}

// newKit makes a Master with settings, given as key, value, key, value.
func newKit(t *testing.T, settings ...string) *kit {
	t.Helper()
	return kitWith(t, master.Config{WebUIURL: "http://m:8080"}, settings...)
}

// kitWith is newKit with a Config.
func kitWith(t *testing.T, cfg master.Config, settings ...string) *kit {
	t.Helper()
	pairs := map[string]string{}
	for i := 0; i+1 < len(settings); i += 2 {
		pairs[settings[i]] = settings[i+1]
	}
	cf, err := conf.New(pairs)
	if err != nil {
		t.Fatal(err)
	}
	w := rpctest.New(t, 1)
	w.NoPanic()
	env := w.Env("M", cf)
	k := &kit{World: w, t: t}
	k.lead(env, cfg)
	return k
}

// state is what the Master knows when all that was sent is handled.
func (k *kit) state() *deploy.MasterStateResponse {
	k.t.Helper()
	k.Settle()
	s, err := rpctest.Ask[*deploy.MasterStateResponse](k.tool, k.ref, &deploy.RequestMasterState{})
	if err != nil {
		k.t.Fatal(err)
	}
	return s
}

// next is the Probe's next message, which must be an M.
func next[M rpcenv.Message](t *testing.T, p *rpctest.Probe) M {
	t.Helper()
	got := p.Next()
	m, ok := got.(M)
	if !ok {
		t.Fatalf("got %T %v, want %T", got, got, m)
	}
	return m
}

// same fails the test unless the Probe's next message is want.
func same(t *testing.T, p *rpctest.Probe, want proto.Message) {
	t.Helper()
	got, ok := p.Next().(proto.Message)
	if !ok || !proto.Equal(got, want) {
		t.Fatalf("got  %T %v\nwant %T %v", got, got, want, want)
	}
}

// none fails the test if the Probe has, or gets within d, a message.
func none(t *testing.T, p *rpctest.Probe, d time.Duration) {
	t.Helper()
	p.Quiet(d)
	for _, m := range p.Waiting() {
		t.Errorf("got %T %v, want nothing", m, m)
	}
}

// worker is a Probe that speaks as a Worker.
type worker struct {
	*rpctest.Probe
	k   *kit
	reg *deploy.RegisterWorker
}

// newWorker makes a Worker that is not registered yet.
func (k *kit) newWorker(name string, cores, memory int32) *worker {
	k.t.Helper()
	p := k.ProbeIn(k.Env(name, nil), "Worker")
	return &worker{p, k, &deploy.RegisterWorker{
		Id: "worker-" + name, Host: p.Ref.Address.Host, Port: int32(p.Ref.Address.Port), Worker: p.Ref.Proto(),
		Cores: cores, Memory: memory, MasterAddress: &rpc.Address{Host: "m.example", Port: 7077},
	}}
}

// worker makes a Worker and registers it.
func (k *kit) worker(name string, cores, memory int32) *worker {
	k.t.Helper()
	w := k.newWorker(name, cores, memory)
	w.Send(k.ref, w.reg)
	next[*deploy.RegisteredWorker](k.t, w.Probe)
	return w
}

func (w *worker) beat() {
	w.k.t.Helper()
	w.Send(w.k.ref, &deploy.Heartbeat{WorkerId: w.reg.GetId(), Worker: w.Ref.Proto()})
}

// alive lets d pass in which the Worker sends its heartbeats.
func (k *kit) alive(d time.Duration, ws ...*worker) {
	k.t.Helper()
	for end := k.Now().Add(d); k.Now().Before(end); {
		for _, w := range ws {
			w.beat()
		}
		k.Advance(min(15*time.Second, end.Sub(k.Now())))
	}
}

// report asks as the Worker does when an executor changes.
func (w *worker) report(app string, id int32, state deploy.ExecutorState, exit ...int32) {
	w.k.t.Helper()
	r := &deploy.ExecutorStateChanged{AppId: app, ExecId: proto.Int32(id), State: state}
	for _, code := range exit {
		r.ExitStatus = proto.Int32(code)
		r.Message = proto.String(fmt.Sprintf("Command exited with code %d", code))
	}
	ok, err := rpctest.Ask[*rpc.Bool](w.Probe, w.k.ref, r)
	if err != nil || !ok.GetValue() {
		w.k.t.Fatalf("report of %s/%d %s: %v, %v; want true", app, id, state, ok, err)
	}
}

// launched takes the next LaunchExecutor.
func (w *worker) launched() *deploy.LaunchExecutor {
	w.k.t.Helper()
	return next[*deploy.LaunchExecutor](w.k.t, w.Probe)
}

// driver is a Probe that speaks as an application's client.
type driver struct {
	*rpctest.Probe
	k    *kit
	desc *deploy.ApplicationDescription
	id   string
}

// newDriver makes a client that is not registered yet: executors of 1 core and 512 MiB.
func (k *kit) newDriver(name string) *driver {
	k.t.Helper()
	return &driver{k.ProbeIn(k.Env(name, nil), "AppClient"), k, &deploy.ApplicationDescription{
		Name: name, CoresPerExecutor: proto.Int32(1), MemoryPerExecutorMb: 512,
	}, ""}
}

func (d *driver) register() {
	d.k.t.Helper()
	d.Send(d.k.ref, &deploy.RegisterApplication{AppDescription: d.desc, Driver: d.Ref.Proto()})
	d.id = next[*deploy.RegisteredApplication](d.k.t, d.Probe).GetAppId()
}

// driver registers an application that wants at most so many cores.
func (k *kit) driver(name string, maxCores int32) *driver {
	k.t.Helper()
	d := k.newDriver(name)
	d.desc.MaxCores = proto.Int32(maxCores)
	d.register()
	return d
}

func (d *driver) updated() *deploy.ExecutorUpdated {
	d.k.t.Helper()
	return next[*deploy.ExecutorUpdated](d.k.t, d.Probe)
}

func (d *driver) added() *deploy.ExecutorAdded {
	d.k.t.Helper()
	return next[*deploy.ExecutorAdded](d.k.t, d.Probe)
}

func (w *worker) decommission() {
	w.k.t.Helper()
	w.Send(w.k.ref, &deploy.WorkerDecommissioning{Id: w.reg.GetId(), Worker: w.Ref.Proto()})
	w.k.Settle()
}

func (k *kit) decommissionHosts(hosts ...string) int32 {
	k.t.Helper()
	n, err := rpctest.Ask[*deploy.DecommissionWorkersOnHostsResponse](k.tool, k.ref, &deploy.DecommissionWorkersOnHosts{Hostnames: hosts})
	if err != nil {
		k.t.Fatal(err)
	}
	k.Settle()
	return n.GetCount()
}

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

// gpus are addresses of the resource gpu.
func gpus(addresses ...string) []*deploy.ResourceInformation {
	return []*deploy.ResourceInformation{{Name: "gpu", Addresses: addresses}}
}
