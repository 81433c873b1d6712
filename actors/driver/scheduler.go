package driver

import (
	"fmt"
	"strconv"
	"time"

	"github.com/coherer/coherer/actors/appclient"
	"github.com/coherer/coherer/actors/driver/allocation"
	"github.com/coherer/coherer/actors/driver/bus"
	"github.com/coherer/coherer/actors/driver/dag"
	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/exclude"
	"github.com/coherer/coherer/actors/driver/heartbeat"
	"github.com/coherer/coherer/actors/driver/pools"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/actors/driver/yarnscheduler"
	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// ErrDuplicateExecutor fails the registration of an executor whose id is taken.
var ErrDuplicateExecutor = rpcenv.NewRefusal("driver.duplicate-executor", "Duplicate executor ID")

// Scheduler is the endpoint CoarseGrainedScheduler: it owns the executors and the task sets.
type Scheduler struct {
	cfg       Config
	executors executors
	tasks     *tasks.Scheduler
	// allocations are the pools of the allocation file; nil without one.
	allocations *pools.Allocations
	racks       func(host string) string // nil: no host has one
	exclude     exclude.Config
	cpus        int
	maxSize     int // of a LaunchTask, in bytes
	starving    rpcenv.Timer
	saidSmall   bool   // the log has that an executor takes no task
	appID       string // "" until the cluster manager has given one
	forgotten   string // why no executor comes, when the Master does not know the application, and what to do; "": it may know it
	stopping    bool
	began       time.Time
	ready       bool // tasks may start: see isReady
	historic    faults
	posts       bool // events go to LiveListenerBus, by way of DAGScheduler

	dag, appClient rpcenv.Ref
	yarn           rpcenv.Ref // YarnScheduler; zero on a standalone cluster
	expected       int        // executors that an application on YARN begins with
	lastID         int32      // the highest executor id that was registered
	lastEnd        string     // of an executor, in words; "": none has ended that the application did not want to
	// watchers get each ExecutorChange, in this order.
	watchers []rpcenv.Ref
	// allocation is ExecutorAllocationManager; the zero Ref without spark.dynamicAllocation.enabled.
	allocation rpcenv.Ref
}

// newScheduler makes a Scheduler without executors.
func newScheduler(cfg Config) *Scheduler { return &Scheduler{cfg: cfg, executors: newExecutors()} }

// OnStart is a callback of the endpoint.
func (s *Scheduler) OnStart(c *rpcenv.Context) {
	s.cpus = submit.TaskCPUs.Get(c.Conf())
	s.posts = s.cfg.wantsEvents() // first: what starts below may post
	s.historic = faultsOf(c.Conf())
	s.maxSize = rpcenv.RPCMessageMaxSize.Get(c.Conf()) << 20
	s.startTasks(c)
	here := func(name string) rpcenv.Ref { return c.Env().Ref(c.Self().Address, name) }
	s.dag, s.appClient = here(dag.Name), here(appclient.Name)
	if s.cfg.YARN != nil {
		s.startOnYARN(c, here(yarnscheduler.Name))
	}
	s.watchers = []rpcenv.Ref{here(heartbeat.Name), here(storage.MasterName), s.dag}
	if !s.cfg.Listener.IsZero() {
		s.watchers = append(s.watchers, s.cfg.Listener)
	}
	if allocation.Enabled(c.Conf()) {
		s.allocation = here(allocation.Name)
		s.watchers = append(s.watchers, s.allocation)
	}
	if s.cfg.Local != nil {
		s.startLocal(c)
	}
	s.began = c.Now()
	// The first comes at once, as in Spark: a driver that waits for nothing is ready before the first job.
	c.Every(0, schedulerReviveInterval.Get(c.Conf()), ReviveOffers{})
}

// Receive is a callback of the endpoint.
func (s *Scheduler) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	// Of executors.
	case *app.RetrieveSparkAppConfig:
		s.retrieveSparkAppConfig(c, m)
	case *app.RegisterExecutor:
		s.registerExecutor(c, m)
	case *app.LaunchedExecutor:
		s.launchedExecutor(c, m)
	case *app.StatusUpdate:
		s.statusUpdate(c, m)
	case *app.RemoveExecutor:
		s.removedBySelf(c, m)
	case *app.ExecutorDecommissioning:
		s.executorDecommissioning(c, m)

	// Of coherer why.
	case *app.RequestWaits:
		s.requestWaits(c, m)

	// Of the DAGScheduler, the HeartbeatReceiver and the program.
	case tasks.SubmitTasks:
		s.submitTasks(c, m)
	case tasks.CancelTasks:
		s.cancelTasks(c, m)
	case tasks.RequestSlots:
		s.requestSlots(c, m)
	case event.MapOutputMoved:
		s.tasks.OutputMoved(m.MapID)
	case tasks.PartitionCompleted:
		s.apply(c, s.tasks.PartitionCompleted(m.Stage, m.Partition, c.Now()))
	case heartbeat.ExpireExecutor:
		s.expireExecutor(c, m)
	case heartbeat.Progress:
		s.progress(c, m)
	case allocation.RequestTotalExecutors:
		s.requestTotalExecutors(c, m)
	case allocation.KillExecutors:
		s.killExecutors(c, m)
	case allocation.DecommissionExecutors:
		s.decommissionExecutors(c, m)
	case StopExecutors:
		s.stopExecutors(c, m)
	case StopDriver:
		s.stopDriver(c, m)

	// Timers.
	case ReviveOffers:
		s.reviveOffers(c)
	case CheckSpeculatableTasks:
		s.apply(c, s.tasks.Speculate(c.Now()))
	case AbortUnschedulable:
		s.apply(c, s.tasks.AbortUnschedulable(m.Abort, c.Now()))
	case RemoveDisconnected:
		s.removeDisconnected(c, m)
	case StarvationCheck:
		s.starvationCheck(c)

	default:
		if !s.appClientEvent(c, m) && !s.yarnEvent(c, m) {
			c.Unsupported(m)
		}
	}
}

// retrieveSparkAppConfig returns the settings as the user gave them, sorted by key; a Conf has only those that begin with spark.
// or coherer.
func (s *Scheduler) retrieveSparkAppConfig(c *rpcenv.Context, m *app.RetrieveSparkAppConfig) {
	answer := &app.SparkAppConfig{}
	for _, p := range c.Conf().Pairs() {
		answer.SparkProperties = append(answer.SparkProperties, &app.Property{Key: p.Key, Value: p.Value})
	}
	rpcenv.Reply(c, m, answer)
}

func (s *Scheduler) registerExecutor(c *rpcenv.Context, m *app.RegisterExecutor) {
	e := &executor{
		id: m.GetExecutorId(), host: m.GetHostname(), ref: c.Ref(m.GetExecutorRef()), totalCores: int(m.GetCores()),
	}
	switch {
	case e.id == "" || e.totalCores < 1 || e.ref.IsZero():
		rpcenv.Fail(c, m, fmt.Errorf("%w: RegisterExecutor needs an id, a reference and at least one core", rpcenv.ErrRefused))
		return
	case s.tasks.Excludes(e.id, e.host):
		rpcenv.Fail(c, m, fmt.Errorf("%w: %s", ErrExcluded, e.id))
		return
	case !s.executors.add(e):
		// The first one stays: it may run tasks. The executor that is refused ends its process.
		rpcenv.Fail(c, m, fmt.Errorf("%w: %s", ErrDuplicateExecutor, e.id))
		return
	}
	if n, err := strconv.ParseInt(e.id, 10, 32); err == nil {
		// Another ApplicationMaster asks for it, to number its executors from there on.
		s.lastID = max(s.lastID, int32(n))
	}
	c.Log().Infof("Registered executor %s (%s) with ID %s", e.ref, e.ref.Address, e.id)
	if e.totalCores < s.cpus && !s.saidSmall {
		s.saidSmall = true
		c.Log().Warnf("Executor %s on %s: %s", e.id, e.host, s.tooSmall("it", e.totalCores))
	}
	e.becomes(c, "REGISTERED", "")
	// Before the answer: after it the executor sends heartbeats and registers its block manager, and both books must know it
	// then.
	s.publish(c, event.ExecutorChange{Kind: event.ExecutorAdded, ExecutorID: e.id, Host: e.host, Cores: e.totalCores})
	s.post(c, event.ExecutorRegistered{Executor: m})
	rpcenv.Reply(c, m, &rpc.Bool{Value: true})
	if s.historic.offersEarly {
		s.offerCores(c, e)
	}
}

// publish sends the change to all watchers.
func (s *Scheduler) publish(c *rpcenv.Context, change event.ExecutorChange) {
	for _, w := range s.watchers {
		c.Send(w, change)
	}
}

// listen sends an event to the listener, if the driver has one.
func (s *Scheduler) listen(c *rpcenv.Context, e rpcenv.Message) {
	if !s.cfg.Listener.IsZero() {
		c.Send(s.cfg.Listener, e)
	}
}

// post sends an event to DAGScheduler, which posts it to LiveListenerBus, if the driver has one.
func (s *Scheduler) post(c *rpcenv.Context, e rpcenv.Message) {
	if s.posts {
		c.Send(s.dag, e)
	}
}

// toBus sends the start of the application to LiveListenerBus itself: DAGScheduler may not be there yet.
func (s *Scheduler) toBus(c *rpcenv.Context, e event.ApplicationStart) {
	if s.posts {
		c.Send(c.Env().Ref(c.Self().Address, bus.Name), e)
	}
}

// tellAllocation sends a message to ExecutorAllocationManager, if the driver has one.
func (s *Scheduler) tellAllocation(c *rpcenv.Context, m rpcenv.Message) {
	if !s.allocation.IsZero() {
		c.Send(s.allocation, m)
	}
}

// launchedExecutor comes once; a second one would free cores that tasks hold and is ignored.
func (s *Scheduler) launchedExecutor(c *rpcenv.Context, m *app.LaunchedExecutor) {
	if e := s.executors.byID[m.GetExecutorId()]; e != nil && !e.launched {
		s.offerCores(c, e)
	}
}

// offerCores makes an executor's cores available to tasks.
func (s *Scheduler) offerCores(c *rpcenv.Context, e *executor) {
	e.launched, e.freeCores = true, e.totalCores
	e.becomes(c, "LAUNCHED", "")
	if !s.ready { // this executor may be the one that all waited for
		s.offerAll(c)
		return
	}
	s.makeOffers(c, e.offer(), false)
}

// stopExecutors is the first step of the driver's orderly end.
func (s *Scheduler) stopExecutors(c *rpcenv.Context, m StopExecutors) {
	c.Log().Info("Asking each executor to shut down")
	// First, so that the connections which end now are no losses.
	s.stopping = true
	for _, e := range s.executors.sorted {
		c.Send(e.ref, &app.StopExecutor{})
	}
	rpcenv.Reply(c, m, &rpc.Bool{Value: true})
}

func (s *Scheduler) stopDriver(c *rpcenv.Context, m StopDriver) {
	rpcenv.Reply(c, m, &rpc.Bool{Value: true})
	c.Stop()
}

// reviveOffers also notices that the application has waited for long enough, though it has no executor.
func (s *Scheduler) reviveOffers(c *rpcenv.Context) {
	s.isReady(c)
	s.offerAll(c)
}
