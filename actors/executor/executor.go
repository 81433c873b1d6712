package executor

import (
	"fmt"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/driver/heartbeat"
	"github.com/coherer/coherer/actors/driver/mapoutput"
	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/actors/storage/blocks"
	"github.com/coherer/coherer/actors/storage/memory"
	"github.com/coherer/coherer/actors/worker"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// Executor is the endpoint Executor (org.apache.spark.executor.CoarseGrainedExecutorBackend).
type Executor struct {
	cfg   Config
	state state

	driver    rpcenv.Ref // CoarseGrainedScheduler
	tracker   rpcenv.Ref
	blocks    rpcenv.Ref
	heartbeat rpcenv.Ref
	memory    *memory.Manager
	cached    *blocks.Store
	// shuffleServer is who serves this executor's map outputs: its block manager, or the shuffle service of its host.
	shuffleServer  *storagepb.BlockManagerId
	shuffleService rpcenv.Ref // the zero Ref before it registers there
	failures       int        // heartbeats in a row without an answer
}

// New makes the endpoint.
func New(cfg Config) *Executor { return &Executor{cfg: cfg, state: newState()} }

// Messages of an Executor to itself.
type (
	// RegisteredExecutor says that the driver accepted the registration.
	RegisteredExecutor struct{ rpcenv.Local }
	// SendHeartbeat is the tick of the heartbeater.
	SendHeartbeat struct{ rpcenv.Local }
	// Shutdown ends the process, stopGrace after StopExecutor or the driver's end.
	Shutdown struct {
		rpcenv.Local
		Code   int
		Reason string
	}
)

// OnStart registers with the driver.
func (e *Executor) OnStart(c *rpcenv.Context) {
	c.SetLog(c.Log().WithField("executor", e.cfg.Args.ExecutorID))
	e.memory = newMemory(c.Conf())
	e.cached = blocks.New(e.memory, e.cfg.IO.Blocks)
	e.cfg.IO.Blocks.Serve(e.cached.Bytes)
	rpcenv.Resolve(c, e.cfg.Args.DriverURL, func(ref rpcenv.Ref, err error) {
		if err != nil {
			e.exit(c, 1, fmt.Sprintf("Cannot register with driver: %s: %v", e.cfg.Args.DriverURL, err), false) // the driver is not known
			return
		}
		e.driver = ref
		e.tracker = rpcenv.Ref{Address: ref.Address, Name: mapoutput.Name}
		e.blocks = rpcenv.Ref{Address: ref.Address, Name: storage.MasterName}
		e.register(c)
	})
}

func (e *Executor) register(c *rpcenv.Context) {
	a := e.cfg.Args
	q := &app.RegisterExecutor{
		ExecutorId: a.ExecutorID, ExecutorRef: c.Self().Proto(), Hostname: a.Hostname, Cores: int32(a.Cores),
		ResourceProfileId: int32(a.ProfileID),
		Resources:         e.cfg.Resources, LogUrls: e.cfg.LogURLs, Attributes: e.cfg.Attributes,
	}
	rpcenv.Ask(c, e.driver, q, func(_ *rpc.Bool, err error) {
		if err != nil {
			e.exit(c, 1, fmt.Sprintf("Cannot register with driver: %s: %v", a.DriverURL, err), false)
			return
		}
		c.Send(c.Self(), RegisteredExecutor{})
	})
}

// Receive is a callback of the endpoint.
func (e *Executor) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case RegisteredExecutor:
		e.registeredExecutor(c)
	case *app.LaunchTask:
		e.launchTask(c, m.GetData())
	case *app.KillTask:
		e.killTask(c, m)
	case *storagepb.RemoveBlock:
		e.removeBlock(c, m)
	case *storagepb.RemoveRdd:
		e.removeRDD(c, m)
	case *storagepb.RemoveBroadcast:
		e.removeBroadcast(c, m)
	case *storagepb.ReplicateBlock:
		e.replicateBlock(c, m)
	case *storagepb.CopyBlock:
		e.copyBlock(c, m)
	case MigrateBlocks:
		e.migrateBlocks(c)
	case ReportBlocks:
		e.reportBlocks(c, m)
	case *app.StopExecutor:
		e.stopExecutor(c)
	case *app.DecommissionExecutor:
		e.decommissionExecutor(c)
	case ExecutorDecommissionSigReceived:
		e.executorDecommissionSigReceived(c, m)
	case CheckDecommission:
		e.checkDecommission(c)
	case retryRegistration:
		e.registerWithShuffleServer(c, m.attempt)
	case SendHeartbeat:
		e.sendHeartbeat(c)
	case Shutdown:
		c.Exit(m.Code, m.Reason)
	default:
		c.Unsupported(m)
	}
}

// registeredExecutor registers the block manager, at the shuffle service too, finds the HeartbeatReceiver, and only then takes tasks.
func (e *Executor) registeredExecutor(c *rpcenv.Context) {
	e.registerBlockManager(c, false, func() { e.findShuffleServer(c) })
}

// findReceiver finds the HeartbeatReceiver, begins the heartbeats and takes tasks.
func (e *Executor) findReceiver(c *rpcenv.Context) {
	rpcenv.Resolve(c, rpcenv.Ref{Address: e.driver.Address, Name: heartbeat.Name}.String(), func(ref rpcenv.Ref, err error) {
		if err != nil {
			e.exit(c, 1, fmt.Sprintf("Unable to create executor due to %v", err), true)
			return
		}
		e.heartbeat = ref
		period := ExecutorHeartbeatInterval.Get(c.Conf())
		// The first one comes after a random part of a second period, so that executors do not all beat at once.
		first := period + time.Duration(c.Rand().Int64N(int64(period)))
		c.Every(first, period, SendHeartbeat{})
		e.state.ready = true
		// Last: the driver sends tasks as soon as it has this (SPARK-13112).
		c.Send(e.driver, &app.LaunchedExecutor{ExecutorId: e.cfg.Args.ExecutorID})
	})
}

func (e *Executor) registerBlockManager(c *rpcenv.Context, again bool, then func()) {
	q := &storagepb.RegisterBlockManager{
		BlockManagerId: e.blockManagerID(), IsReRegister: &again, MaxOnHeapMemSize: e.memory.MaxStorage(),
		StorageEndpoint: c.Self().Proto(),
	}
	rpcenv.Ask(c, e.blocks, q, func(r *storagepb.BlockManagerRegistered, err error) {
		switch {
		case err != nil:
			e.exit(c, 1, fmt.Sprintf("Unable to create executor due to %v", err), true)
		case r.GetBlockManagerId().GetExecutorId() == storage.InvalidExecutor:
			// The driver has given this executor up: what it computes from here on counts for nobody.
			e.exit(c, exitReregistrationFailure, "Exiting executor due to block manager re-registration failure", false)
		default:
			then()
		}
	})
}

func (e *Executor) blockManagerID() *storagepb.BlockManagerId {
	at := e.cfg.IO.Blocks.Address()
	return &storagepb.BlockManagerId{ExecutorId: e.cfg.Args.ExecutorID, Host: at.Host, Port: int32(at.Port)}
}

// sendHeartbeat asks the HeartbeatReceiver. Too many failures in a row end the process with 56.
func (e *Executor) sendHeartbeat(c *rpcenv.Context) {
	q := &app.Heartbeat{
		ExecutorId: e.cfg.Args.ExecutorID, BlockManagerId: e.blockManagerID(), RunningTasks: e.state.runningTasks(),
		Progress: e.state.progress(c.Now()), Peaks: e.poll(),
	}
	period := ExecutorHeartbeatInterval
	rpcenv.Ask(c, e.heartbeat, q, func(r *app.HeartbeatResponse, err error) {
		if err != nil {
			// An ask times out with its period, so that failures in a row are periods in a row.
			e.failures++
			c.Log().Warnf("Issue communicating with driver in heartbeater: %v", err)
			if limit := executorHeartbeatMaxFailures.Get(c.Conf()); e.failures >= limit {
				e.exit(c, exitHeartbeatFailure, fmt.Sprintf("Unable to send heartbeats to driver more than %d times", limit), false)
			}
			return
		}
		e.failures = 0
		if r.GetReregisterBlockManager() {
			c.Log().Info("Told to re-register on heartbeat")
			e.registerAgain(c)
		}
	}, rpcenv.Timeout(period.Key(), period.Get(c.Conf())))
}

// Exit codes of ExecutorExitCode: HEARTBEAT_FAILURE and BLOCK_MANAGER_REREGISTRATION_FAILED.
const (
	exitHeartbeatFailure      = 56
	exitReregistrationFailure = 58
)

// stopGrace is how long an executor lives on after StopExecutor or the end of its driver. Spark's JVM takes as long or
// longer to end, so that the Master's KillExecutor finds it: its Worker reports KILLED, as recorded of real Spark, and not
// EXITED.
const stopGrace = 100 * time.Millisecond

// stopExecutor ends in good order, a moment later, so that messages sent before go out. Of several ends the first one counts.
func (e *Executor) stopExecutor(c *rpcenv.Context) {
	e.state.stopping = true
	e.shutdown(c, Shutdown{Reason: "stopped by the driver"})
}

func (e *Executor) shutdown(c *rpcenv.Context, how Shutdown) {
	c.Env().Stop(worker.WatcherName) // the Worker may go first
	c.After(stopGrace, how)
}

// OnConnected is a callback of the endpoint.
func (e *Executor) OnConnected(*rpcenv.Context, rpcenv.Address) {}

// OnDisconnected ends the process when the driver is gone.
func (e *Executor) OnDisconnected(c *rpcenv.Context, peer rpcenv.Address) {
	if e.driver.Address != peer || e.state.stopping {
		return
	}
	e.state.stopping = true
	reason := fmt.Sprintf("Driver %s disassociated! Shutting down.", peer)
	c.Log().Errorf("Executor self-exiting due to : %s", reason)
	e.shutdown(c, Shutdown{Code: 1, Reason: reason})
}

// exit ends the process, unless it ends already. With notify it sends the driver the reason; the driver must be known then.
func (e *Executor) exit(c *rpcenv.Context, code int, reason string, notify bool) {
	if e.state.stopping {
		return
	}
	level := logrus.ErrorLevel
	if code == 0 {
		level = logrus.InfoLevel
	}
	c.Log().Logf(level, "Executor self-exiting due to : %s", reason)
	if notify {
		c.Send(e.driver, &app.RemoveExecutor{ExecutorId: e.cfg.Args.ExecutorID, Reason: reason})
	}
	c.Exit(code, reason)
}
