package master_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// shelf is a Store that outlives its Master.
type shelf struct {
	records map[string][]byte
	bad     []error
	latency time.Duration
	fail    error // of Write
	unread  error // of Load
	writes  int
}

func (s *shelf) Load(*rpcenv.Blocking) (kept []records.Change, bad []error, err error) {
	for _, key := range slices.Sorted(maps.Keys(s.records)) {
		kept = append(kept, records.Change{Key: key, Value: s.records[key]})
	}
	return kept, s.bad, s.unread
}

func (s *shelf) Write(b *rpcenv.Blocking, changes []records.Change) error {
	if s.latency > 0 {
		if err := b.Sleep(s.latency); err != nil {
			return err
		}
	}
	if s.fail != nil {
		return s.fail
	}
	s.writes++
	for _, c := range changes {
		if c.Value == nil {
			delete(s.records, c.Key)
		} else {
			s.records[c.Key] = c.Value
		}
	}
	return nil
}

// keys are the keys of all records, without the term.
func (s *shelf) keys() (all []string) {
	for _, key := range slices.Sorted(maps.Keys(s.records)) {
		if key != "master_term" {
			all = append(all, key)
		}
	}
	return all
}

func (s *shelf) put(key string, m proto.Message) {
	value, err := proto.Marshal(m)
	if err != nil {
		panic(err)
	}
	s.records[key] = value
}

// lasting makes a Master that keeps its records, with settings.
func lasting(t *testing.T, settings ...string) (*kit, *shelf) {
	t.Helper()
	s := &shelf{records: map[string][]byte{}}
	return kitWith(t, master.Config{WebUIURL: "http://m:8080", Store: s}, settings...), s
}

// lead puts a Master into an Env.
func (k *kit) lead(env *rpcenv.Env, cfg master.Config) {
	k.t.Helper()
	k.ep, k.host = &harness{master.New(cfg), k.t}, k.Find(env.Name())
	k.ref = k.Register(env, master.Name, k.ep)
	k.tool = k.ProbeIn(env, "Tool")
}

// restart kills the Master and starts one at its address, by cfg.
func (k *kit) restart(cfg master.Config) {
	k.t.Helper()
	at := k.ref.Address
	old := k.EnvAt(at)
	k.Find("M").Kill()
	env, err := rpcenv.New(k.Host("M", at.Host), rpcenv.Config{Name: "M", Listen: at, Conf: old.Conf()})
	if err != nil {
		k.t.Fatal(err)
	}
	k.lead(env, cfg)
}

// isIn checks the state of the Master.
func (k *kit) isIn(want string) {
	k.t.Helper()
	if s := k.state(); s.GetStatus() != want {
		k.t.Errorf("the Master is %s, want %s", s.GetStatus(), want)
	}
}

// stands checks what the Master knows of its Workers, as NAME STATE COREs used.
func (k *kit) stands(want ...string) {
	k.t.Helper()
	var got []string
	for _, w := range k.state().GetWorkers() {
		got = append(got, strings.TrimPrefix(w.GetId(), "worker-")+" "+w.GetState())
	}
	if !slices.Equal(got, want) {
		k.t.Errorf("Workers %q, want %q", got, want)
	}
}

// lists answers MasterChanged with what the Worker runs.
func (w *worker) lists(executors ...*deploy.ExecutorDescription) {
	w.k.t.Helper()
	m := &deploy.WorkerSchedulerStateResponse{Id: w.reg.GetId()}
	for _, d := range executors {
		m.Executors = append(m.Executors, &deploy.WorkerExecutorStateResponse{Desc: d})
	}
	w.Send(w.k.ref, m)
}

// running is an executor of 1 core and 512 MiB.
func running(app string, id int32) *deploy.ExecutorDescription {
	return &deploy.ExecutorDescription{AppId: app, ExecId: id, Cores: 1, MemoryMb: 512, State: deploy.ExecutorState_RUNNING}
}

func (d *driver) acknowledges(next int32) {
	d.k.t.Helper()
	d.Send(d.k.ref, &deploy.MasterChangeAcknowledged{AppId: d.id, NextExecutorId: next})
}

// exits is the code with which the Master's process ends.
func (k *kit) exits(want int) {
	k.t.Helper()
	ended := func() bool { _, yes := k.host.Exited(); return yes }
	if err := k.Run(ended, time.Minute); err != nil {
		k.t.Fatalf("the Master has not ended: %v", err)
	}
	if code, _ := k.host.Exited(); code != want {
		k.t.Errorf("exit code %d, want %d", code, want)
	}
}

// changed takes a Probe's messages up to MasterChanged.
func changed(t *testing.T, p *rpctest.Probe) {
	t.Helper()
	for {
		if _, ok := p.Next().(*deploy.MasterChanged); ok {
			return
		}
	}
}
