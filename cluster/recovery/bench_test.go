package recovery_test

import (
	"fmt"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/cluster/recovery"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport"
)

// peers are many Workers or clients of applications in one process, each an Env that listens on loopback.
type peers struct {
	b     *testing.B
	host  *transport.Host
	log   *logrus.Entry
	envs  []*rpcenv.Env
	heard atomic.Int64
	want  int64
	done  chan struct{}
}

func newPeers(b *testing.B, want int) *peers {
	log := logrus.New()
	log.SetLevel(logrus.ErrorLevel)
	p := &peers{b: b, host: transport.New(transport.Options{}), log: logrus.NewEntry(log), want: int64(want), done: make(chan struct{})}
	return p
}

// close ends them all, the Master first: it would report the end of each Worker to each application. The next run needs their
// descriptors.
func (p *peers) close(master *rpcenv.Env) {
	master.Close()
	for _, env := range p.envs {
		if env != master {
			env.Close()
		}
	}
	if err := p.host.Close(); err != nil {
		p.b.Error(err)
	}
}

func (p *peers) env(name string) *rpcenv.Env {
	env, err := rpcenv.New(p.host, rpcenv.Config{Name: name, Listen: rpcenv.Address{Host: "127.0.0.1"}, Log: p.log})
	if err != nil {
		p.b.Fatal(err)
	}
	p.envs = append(p.envs, env)
	return env
}

// one counts a peer that was heard of.
func (p *peers) one() {
	if p.heard.Add(1) == p.want {
		close(p.done)
	}
}

func (p *peers) wait() {
	select {
	case <-p.done:
	case <-time.After(time.Minute):
		p.b.Fatalf("%d of %d were heard of", p.heard.Load(), p.want)
	}
}

// workerPeer registers on demand, again each 10 s until it is answered, as a Worker does, and answers MasterChanged.
type workerPeer struct {
	p          *peers
	id         string
	master     rpcenv.Ref
	registered bool
}

type register struct{ rpcenv.Local }

func registration(id string, self rpcenv.Ref) *deploy.RegisterWorker {
	return &deploy.RegisterWorker{
		Id: id, Host: self.Address.Host, Port: int32(self.Address.Port), Worker: self.Proto(), Cores: 4, Memory: 4096,
	}
}

func (w *workerPeer) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case register:
		if w.registered {
			return
		}
		c.Send(w.master, registration(w.id, c.Self()))
		c.After(10*time.Second, register{})
	case *deploy.RegisteredWorker:
		if !w.registered {
			w.registered = true
			w.p.one()
		}
	case *deploy.MasterChanged:
		c.Send(c.Ref(m.GetMaster()), &deploy.WorkerSchedulerStateResponse{Id: w.id})
		w.p.one()
	}
}

// clientPeer acknowledges MasterChanged.
type clientPeer struct {
	p  *peers
	id string
}

func (a *clientPeer) Receive(c *rpcenv.Context, m rpcenv.Message) {
	if m, ok := m.(*deploy.MasterChanged); ok {
		c.Send(c.Ref(m.GetMaster()), &deploy.MasterChangeAcknowledged{AppId: a.id})
		a.p.one()
	}
}

// startMaster starts a Master with a store, nil for none.
func (p *peers) startMaster(store records.Store) (*rpcenv.Env, rpcenv.Ref) {
	env := p.env("Master")
	ref, err := env.Register(master.Name, master.New(master.Config{Store: store}))
	if err != nil {
		p.b.Fatal(err)
	}
	b := env.Blocking(p.b.Context())
	defer b.Close()
	if _, err := rpcenv.AskWait(b, ref, master.AwaitLeadership{}); err != nil {
		p.b.Fatal(err)
	}
	return env, ref
}

func openAt(b *testing.B, path string) *recovery.Directory {
	d, err := recovery.Open(path, recovery.Owner{Role: "Master", Setting: "spark.deploy.recoveryDirectory"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = d.Close() }) // it may be closed already
	return d
}

// registerAll is how long it takes until that many Workers are registered.
func (p *peers) registerAll(n int, master rpcenv.Ref) time.Duration {
	var all []rpcenv.Ref
	var envs []*rpcenv.Env
	for i := range n {
		env := p.env("Worker")
		w, err := env.Register("Worker", &workerPeer{p: p, id: fmt.Sprintf("worker-%d", i), master: master})
		if err != nil {
			p.b.Fatal(err)
		}
		all, envs = append(all, w), append(envs, env)
	}
	began := time.Now()
	for i, env := range envs {
		if err := env.Send(all[i], register{}); err != nil {
			p.b.Fatal(err)
		}
	}
	p.wait()
	return time.Since(began)
}

// BenchmarkRegistration lets many Workers register at once over sockets: from the first RegisterWorker to the last
// RegisteredWorker, connections included.
func BenchmarkRegistration(b *testing.B) {
	const registering = 5000
	for _, mode := range []string{"NONE", "FILESYSTEM"} {
		b.Run(fmt.Sprintf("workers=%d/mode=%s", registering, mode), func(b *testing.B) {
			var took time.Duration
			for range b.N {
				p := newPeers(b, registering)
				var store records.Store
				if mode == "FILESYSTEM" {
					store = openAt(b, b.TempDir())
				}
				master, ref := p.startMaster(store)
				took += p.registerAll(registering, ref)
				p.close(master)
			}
			b.ReportMetric(took.Seconds()/float64(b.N), "s/run")
			b.ReportMetric(float64(registering)*float64(b.N)/took.Seconds(), "workers/s")
		})
	}
}

// The cluster that a Master recovers.
const workers, applications, drivers = 1000, 2000, 2000

// cluster starts its Workers and clients, and is its records.
func (p *peers) cluster() []records.Change {
	var changes []records.Change
	for i := range workers {
		id := fmt.Sprintf("worker-%d", i)
		ref, err := p.env("Worker").Register("Worker", &workerPeer{p: p, id: id})
		if err != nil {
			p.b.Fatal(err)
		}
		changes = append(changes, recordOf(p.b, "worker_"+id, &deploy.WorkerRecord{Registration: registration(id, ref)}))
	}
	for i := range applications {
		id := fmt.Sprintf("app-%d", i)
		ref, err := p.env("Driver").Register("AppClient", &clientPeer{p: p, id: id})
		if err != nil {
			p.b.Fatal(err)
		}
		desc := &deploy.ApplicationDescription{Name: id, MemoryPerExecutorMb: 1 << 20}
		changes = append(changes, recordOf(p.b, "app_"+id, &deploy.ApplicationRecord{Id: id, Desc: desc, Driver: ref.Proto()}))
	}
	for i := range drivers {
		id := fmt.Sprintf("driver-%d", i)
		desc := &deploy.DriverDescription{Cores: 1, Mem: 1024, Supervise: true, Command: &deploy.Command{MainClass: "Main"}}
		changes = append(changes, recordOf(p.b, "driver_"+id, &deploy.DriverRecord{Id: id, Desc: desc}))
	}
	return changes
}

// processTime is the processor time of this process until now: on a machine with other work it says more than the clock. In a
// recovery it covers the Master and all its peers.
func processTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkRecovery lets a Master find a cluster again: from the start of its process's Env until it is ALIVE, with
// every Worker and application called over sockets and heard of.
func BenchmarkRecovery(b *testing.B) {
	b.Run(fmt.Sprintf("workers=%d/applications=%d/drivers=%d", workers, applications, drivers), func(b *testing.B) {
		var took, used time.Duration
		for range b.N {
			p := newPeers(b, workers+applications)
			path := b.TempDir()
			seed := openAt(b, path)
			if err := seed.Write(nil, p.cluster()); err != nil {
				b.Fatal(err)
			}
			if err := seed.Close(); err != nil {
				b.Fatal(err)
			}
			began, before := time.Now(), processTime(b)
			env, ref := p.startMaster(openAt(b, path))
			p.wait()
			untilAlive(b, env, ref)
			took, used = took+time.Since(began), used+processTime(b)-before
			p.close(env)
		}
		b.ReportMetric(took.Seconds()/float64(b.N), "s/run")
		b.ReportMetric(used.Seconds()/float64(b.N), "cpu-s/run")
	})
}

// untilAlive asks until the Master is ALIVE: all peers have answered already, the answers are in its inbox or on the way.
func untilAlive(b *testing.B, env *rpcenv.Env, ref rpcenv.Ref) {
	wait := env.Blocking(b.Context())
	defer wait.Close()
	for {
		s, err := rpcenv.AskWait(wait, ref, &deploy.RequestMasterState{})
		if err != nil {
			b.Fatal(err)
		}
		if s.GetStatus() == "ALIVE" {
			if len(s.GetWorkers()) != workers || len(s.GetActiveApps()) != applications || len(s.GetActiveDrivers()) != drivers {
				b.Fatalf("%d workers, %d applications, %d drivers", len(s.GetWorkers()), len(s.GetActiveApps()), len(s.GetActiveDrivers()))
			}
			return
		}
	}
}

func recordOf(b *testing.B, key string, m proto.Message) records.Change {
	value, err := proto.Marshal(m)
	if err != nil {
		b.Fatal(err)
	}
	return records.Change{Key: key, Value: value}
}
