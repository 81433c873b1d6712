package local

import (
	"slices"
	"time"

	"github.com/coherer/coherer/actors/applicationmaster"
	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/actors/nodemanager"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/cluster/invariant"
	"github.com/coherer/coherer/cluster/node"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// lookEvery is how much virtual time is between two looks at a cluster.
const lookEvery = time.Second

// Observer watches the cluster in a simulation by a Monitor. Its owner reports the cluster's daemons and drivers as they start,
// and each fault that it causes. In other kinds of World the Observer is nil: then all its methods do nothing.
type Observer struct {
	*invariant.Monitor
	world     World
	disturbed time.Time
	looked    time.Time
	masters   []observed
	workers   []observed // and NodeManagers
	managers  []observed
	yarn      *YARN
	ring      *Ring
	drivers   []observedDriver
	unwatch   func()
}

// observed is a daemon.
type observed struct {
	host rpcenv.Host
	node *node.Node
}

// observedDriver is a driver.
type observedDriver struct {
	name   string
	host   rpcenv.Host
	driver *driver.Driver
}

// Observe begins to watch; nil when w is no simulation.
func Observe(w World, c *conf.Conf) *Observer {
	s := w.Simulated()
	if s == nil {
		return nil
	}
	o := &Observer{world: w, disturbed: s.Now(), looked: s.Now(), Monitor: invariant.New(invariant.Config{
		WorkerTimeout: membership.WorkerTimeout.Get(c), RecoveryTimeout: master.RecoveryTimeout.Get(c),
		YARN: invariant.YARN{
			Heartbeat: rmproxy.NMHeartbeatInterval.Get(c), Update: scheduler.FairUpdateInterval.Get(c),
			NodeExpiry: scheduler.NMExpiry.Get(c), MasterExpiry: rmproxy.AMExpiry.Get(c), KillDelay: nodemanager.NodeManagerKillDelay.Get(c),
			Call: applicationmaster.YARNHeartbeatInterval.Get(c), Attempts: rmproxy.AMMaxAttempts.Get(c),
		},
	})}
	o.unwatch = w.Recorder().Watch(o.See)
	return o
}

// Close ends the watch.
func (o *Observer) Close() {
	if o != nil {
		o.unwatch()
	}
}

// Disturb reports that a fault was caused, or undone: deadlines begin anew.
func (o *Observer) Disturb() {
	if o != nil {
		o.disturbed = o.world.Simulated().Now()
	}
}

// Daemon reports a Master, a Worker, a ResourceManager or a NodeManager.
func (o *Observer) Daemon(h rpcenv.Host, n *node.Node) {
	if o == nil {
		return
	}
	o.Disturb() // a new daemon changes what the others have to do
	switch {
	case n.Master != nil:
		o.masters = append(o.masters, observed{h, n})
	case n.Scheduler != nil:
		o.managers = append(o.managers, observed{h, n})
	default:
		o.workers = append(o.workers, observed{h, n})
	}
}

// Driver reports a driver.
func (o *Observer) Driver(name string, h rpcenv.Host, d *driver.Driver) {
	if o != nil {
		o.drivers = append(o.drivers, observedDriver{name, h, d})
	}
}

// YARN reports what runs in containers.
func (o *Observer) YARN(y *YARN) {
	if o != nil {
		o.yarn, y.observer = y, o
	}
}

// Ring reports the cluster's gossip.
func (o *Observer) Ring(r *Ring) {
	if o != nil {
		o.ring = r
	}
}

// Tick looks at the cluster when a second has passed since the last look.
func (o *Observer) Tick() {
	if o != nil && o.world.Simulated().Now().Sub(o.looked) >= lookEvery {
		o.Observe()
	}
}

// Observe looks at the cluster now.
func (o *Observer) Observe() {
	if o == nil {
		return
	}
	w := o.world.Simulated()
	o.looked = w.Now()
	if w.Faulty() { // while a fault lasts, no deadline runs
		o.disturbed = w.Now()
	}
	// Books of a process that has ended are nobody's. A daemon that starts again is reported anew.
	o.masters = slices.DeleteFunc(o.masters, ended)
	o.workers = slices.DeleteFunc(o.workers, ended)
	o.managers = slices.DeleteFunc(o.managers, ended)
	o.drivers = slices.DeleteFunc(o.drivers, func(d observedDriver) bool { return hasEnded(d.host) })
	s := invariant.Snapshot{Now: w.Now(), Quiet: w.Now().Sub(o.disturbed)}
	for _, x := range o.masters {
		s.Masters = append(s.Masters, masterOf(x, w.Now()))
	}
	for _, x := range o.workers {
		s.Workers = append(s.Workers, x.node.Env.Address())
	}
	for _, d := range o.drivers {
		x := invariant.Driver{Name: d.name, Books: d.driver.Views()}
		x.Needed, x.Target, _ = d.driver.Wants()
		s.Drivers = append(s.Drivers, x)
	}
	for _, r := range o.world.Executors() {
		s.Processes = append(s.Processes, processOf(&r))
	}
	for _, x := range o.managers {
		s.Managers = append(s.Managers, managerOf(x, w.Now()))
	}
	if o.yarn != nil {
		s.Containers = o.yarn.running()
	}
	s.Gossip = o.ring.look()
	o.Look(s)
}

func ended(x observed) bool { return hasEnded(x.host) }

// masterOf are a Master's books.
func masterOf(x observed, now time.Time) invariant.Master {
	state := x.node.Master.State(x.node.Env.Address(), now)
	m := invariant.Master{Name: x.node.Env.Name(), Leads: state.GetStatus() == "ALIVE", Drivers: map[string]string{}}
	for _, w := range state.GetWorkers() {
		m.Workers = append(m.Workers, invariant.Worker{
			ID: w.GetId(), Address: rpcenv.Address{Host: w.GetHost(), Port: int(w.GetPort())}, Alive: w.GetState() == "ALIVE",
			Cores: int(w.GetCores()), CoresUsed: int(w.GetCoresUsed()), Memory: int(w.GetMemory()), MemoryUsed: int(w.GetMemoryUsed()),
			Resources: len(w.GetResources()) > 0,
		})
	}
	for _, a := range state.GetActiveApps() {
		app := invariant.App{ID: a.GetId(), CoresLeft: int(a.GetMaxCores() - a.GetCoresGranted()), NotBefore: time.UnixMilli(a.GetNotBeforeMs())}
		for _, e := range a.GetExecutors() {
			app.Executors = append(app.Executors, invariant.Executor{ID: int(e.GetId()), Worker: e.GetWorkerId()})
		}
		m.Apps = append(m.Apps, app)
	}
	for _, d := range state.GetActiveDrivers() {
		if d.GetState() != deploy.DriverState_SUBMITTED { // it waits, and holds nothing of a Worker
			m.Drivers[d.GetId()] = d.GetWorkerId()
		}
	}
	return m
}

// processOf is an executor's process.
func processOf(r *Running) invariant.Process {
	return invariant.Process{App: r.AppID, ID: number(r.ExecutorID), Worker: r.worker, Cores: r.Cores, Paused: r.Paused()}
}
