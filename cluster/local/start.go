package local

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/driver/bus"
	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/actors/worker"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/node"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/sim"
)

// Config is a cluster for a test. The zero Config is one Master and two Workers in a simulation. Its daemons are members of one gossip, as
// those of coherer are; in a simulation they take no part in any.
type Config struct {
	// Kind of the world; empty: Sim.
	Kind Kind
	// Seed of a simulation.
	Seed uint64
	// Masters is how many; 0 or 1: one. Of several one leads: they are called Master1, Master2 and so on. Processes have one.
	Masters int
	// Workers is how many; 0: two.
	Workers int
	// Cores and MemoryMB of each Worker; 0: one core, 1,024 MiB.
	Cores, MemoryMB int
	// Store has the Master's records; nil: it keeps none. Not with Processes.
	Store records.Store
	// Conf are the settings of all.
	Conf map[string]string
	// EventLog takes the event log of an application by its name; nil writes no event log.
	EventLog func(app string) bus.Log
}

// Cluster is a running cluster of a test.
type Cluster struct {
	World
	Conf *conf.Conf
	// MasterAddress is where the Master listens.
	MasterAddress rpcenv.Address
	// Master and Workers are the daemons; nil when they are processes of their own. Kill calls them Master, Worker1 and so on.
	Master  *node.Node
	Workers []*node.Node
	// Group is several Masters; nil with one Master.
	Group *Group

	store    records.Store
	eventLog func(app string) bus.Log
	t        testing.TB
	observer *Observer
}

// startPatience is how long a cluster may take to be ready.
const startPatience = 30 * time.Second

// Start starts a cluster, waits until every Worker is registered (as processes: until it listens), and takes everything
// down at the end of the test.
func Start(t testing.TB, cfg Config) *Cluster {
	t.Helper()
	cfg.setDefaults()
	dir := ""
	if cfg.Kind == Processes {
		dir = t.TempDir() // before Close is a clean-up, which ends those that write there
	}
	w, err := NewWorld(cfg.Kind, cfg.Seed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	c := &Cluster{World: w, t: t, eventLog: cfg.EventLog}
	if c.Conf, err = conf.New(cfg.Conf, known.All()); err != nil {
		t.Fatal(err)
	}
	if p, ok := w.(*processWorld); ok {
		if c.MasterAddress, err = p.start(t, cfg, dir); err != nil {
			t.Fatal(err)
		}
		return c
	}
	// Both watch the trace from its first record on.
	c.observe()
	beating := c.watchHeartbeats()
	c.store = cfg.Store
	if cfg.Masters > 1 {
		c.startMasters(cfg.Masters)
	} else {
		c.startMaster()
	}
	if c.store != nil {
		if err := w.Settle(startPatience); err != nil { // it reads its records
			t.Fatal(err)
		}
	}
	for i := range cfg.Workers {
		name := fmt.Sprintf("Worker%d", i+1)
		h, ip := w.Process(name)
		n, err := node.Worker(h, c.env(name, ip), worker.Config{
			Masters: c.masters(), Cores: cfg.Cores, MemoryMB: cfg.MemoryMB, ShuffleOutputs: ShuffleOutputs(w, h, ip, c.Conf),
		})
		if err != nil {
			t.Fatal(err)
		}
		c.observer.Daemon(h, n)
		c.enter(h, n, "worker")
		c.Workers = append(c.Workers, n)
	}
	if err := c.Run(func() bool { return beating() >= cfg.Workers }, startPatience); err != nil {
		t.Fatalf("the cluster is not ready: %v", err)
	}
	return c
}

// startMasters starts several, of which one leads in the end.
func (c *Cluster) startMasters(n int) {
	c.t.Helper()
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("Master%d", i+1))
	}
	var err error
	if c.Group, err = NewGroup(c.World, names); err != nil {
		c.t.Fatal(err)
	}
	c.MasterAddress = c.Group.Addresses[0]
	for _, name := range names {
		c.StartMaster(name)
	}
}

// StartMaster starts one of several Masters, again if it was killed.
func (c *Cluster) StartMaster(name string) *node.Node {
	c.t.Helper()
	h, n, err := c.Group.Start(name, c.env(name, ""))
	if err != nil {
		c.t.Fatal(err)
	}
	c.observer.Daemon(h, n)
	c.enter(h, n, membership.RoleMaster)
	return n
}

// masters are where all Masters listen.
func (c *Cluster) masters() []rpcenv.Address {
	if c.Group != nil {
		return c.Group.Addresses
	}
	return []rpcenv.Address{c.MasterAddress}
}

// startMaster starts the Master, at the address of the one before it.
func (c *Cluster) startMaster() {
	c.t.Helper()
	h, ip := c.Process("Master")
	env := c.env("Master", ip)
	if !c.MasterAddress.IsZero() {
		env.Listen = c.MasterAddress
	}
	var err error
	if c.Master, err = node.Master(h, env, master.Config{Store: c.store}); err != nil {
		c.t.Fatal(err)
	}
	c.observer.Daemon(h, c.Master)
	c.MasterAddress = c.Master.Env.Address()
	c.enter(h, c.Master, membership.RoleMaster)
}

// observe watches a simulated cluster: at its end the test fails by each rule of package invariant that was broken.
func (c *Cluster) observe() {
	c.observer = Observe(c.World, c.Conf)
	if c.observer == nil {
		return
	}
	c.t.Cleanup(func() {
		c.observer.Observe()
		for _, v := range c.observer.Violations() {
			c.t.Errorf("%s (after %s)", v, v.At.Sub(sim.Start))
		}
		c.observer.Close()
	})
}

// Run is the World's Run, and looks at the cluster meanwhile.
func (c *Cluster) Run(cond func() bool, within time.Duration) error {
	return c.World.Run(func() bool {
		c.observer.Tick()
		return cond()
	}, within)
}

// Kill is the World's Kill, and lets the observer know.
func (c *Cluster) Kill(name string) error {
	c.observer.Disturb()
	return c.World.Kill(name)
}

func (cfg *Config) setDefaults() {
	if cfg.Kind == "" {
		cfg.Kind = Sim
	}
	if cfg.Workers == 0 {
		cfg.Workers = 2
	}
	if cfg.Cores == 0 {
		cfg.Cores = 1
	}
	if cfg.MemoryMB == 0 {
		cfg.MemoryMB = 1024
	}
}

func (c *Cluster) env(name, ip string) rpcenv.Config {
	log := logrus.New()
	log.SetOutput(c.t.Output())
	log.SetLevel(logrus.WarnLevel)
	return rpcenv.Config{Name: name, Listen: rpcenv.Address{Host: ip}, Conf: c.Conf, Log: logrus.NewEntry(log).WithField("env", name)}
}

// watchHeartbeats counts the Workers' first heartbeats: what a Worker sends once it is registered.
func (c *Cluster) watchHeartbeats() (count func() int) {
	seen := newCounter()
	stop := c.Recorder().Watch(func(r *tracepb.Record) {
		if r.GetKind() == tracepb.Kind_SENT && strings.HasSuffix(r.GetType(), ".Heartbeat") {
			seen.add(r.GetEnv())
			c.Wake()
		}
	})
	c.t.Cleanup(stop)
	return seen.count
}

// Application starts a driver with a program, as a process of the world. done gets its error after the driver has ended.
func (c *Cluster) Application(name string, program func(b *rpcenv.Blocking, a *app.App) error, done func(error)) {
	c.t.Helper()
	h, ip := c.Process(name)
	env, err := rpcenv.New(h, c.env(name, ip))
	if err != nil {
		c.t.Fatal(err)
	}
	cfg := driver.Config{AppName: name, Masters: c.masters(), Transfer: c.Transfer(), Blocks: c.Blocks(env), FS: c.Files()}
	if c.eventLog != nil {
		cfg.EventLog = c.eventLog(name)
	}
	d, err := RunDriver(env, cfg, program, func(err error) {
		done(err)
		c.Wake()
	})
	if err != nil {
		c.t.Fatal(err)
	}
	c.observer.Driver(name, h, d)
}
