package worker

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// Name is what the endpoint is called.
const Name = ids.Worker

// Worker is the endpoint: one machine's share of a standalone cluster. It mirrors org.apache.spark.deploy.worker.Worker.
type Worker struct {
	cfg  Config
	id   string
	addr rpcenv.Address
	// pagesURL is where the pages of logs are found; empty: nowhere.
	pagesURL string
	reg      registration
	books    *books
	reports  reports

	heartbeat      rpcenv.Timer
	cleanup        rpcenv.Timer
	decommissioned bool                     // no more executors are taken
	ending         bool                     // nothing more is started
	stopping       []rpcenv.Call[*rpc.Bool] // Shutdown, unanswered until all executors have ended
}

// New makes a Worker, to be registered as [Name].
func New(cfg Config) *Worker { return &Worker{cfg: cfg} }

// OnStart begins to register. A Config that is not valid ends the process with code 1.
func (w *Worker) OnStart(c *rpcenv.Context) {
	w.books = newBooks(workerRetainedExecutors.Get(c.Conf()), workerRetainedDrivers.Get(c.Conf())) // OnStop needs them in any case
	if err := w.cfg.Validate(); err != nil {
		c.Exit(1, err.Error())
		return
	}
	w.addr = c.Env().Address()
	w.id = w.cfg.ID
	if w.id == "" {
		w.id = workerID(workerIDPattern.Get(c.Conf()), c.Now(), w.addr)
	}
	w.pagesURL = w.findPages(c)
	c.SetLog(c.Log().WithField("worker", w.id))
	c.Log().Infof("Starting Spark worker %s with %d cores, %d MiB RAM", w.addr, w.cfg.Cores, w.cfg.MemoryMB)
	w.reg.start(w.cfg, c)
	w.registerWithMaster(c)
}

// OnStop ends the executors and drivers. It reports nothing: the Master sees the connection end.
func (w *Worker) OnStop(c *rpcenv.Context) {
	for _, x := range w.books.live {
		x.kill()
	}
	for _, d := range w.books.drivers {
		if d.running && !d.killed {
			d.process.Kill(workerDriverTerminateTimeout.Get(c.Conf()))
		}
	}
}

// Receive is the table of what a Worker understands.
func (w *Worker) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	// Registration.
	case *deploy.RegisteredWorker:
		w.registeredWorker(c, m)
	case *deploy.RegisterWorkerFailed:
		w.registerWorkerFailed(c, m)
	case *deploy.ReconnectWorker:
		w.reconnectWorker(c, m)
	case *deploy.MasterInStandby:
		w.masterInStandby(c)
	case *deploy.MasterChanged:
		w.masterChanged(c, m)
	case ReregisterWithMaster:
		w.reregisterWithMaster(c)
	case membership.MemberJoined:
		w.memberJoined(c, m)
	case membership.MemberLeft:
		w.memberLeft(m.Member)
	case membership.MemberFailed:
		w.memberGone(m.Member)
	case membership.MemberSuspected, membership.MemberRefuted: // nothing is sure yet
	case SendHeartbeat:
		w.sendHeartbeat(c)
	// Decommission.
	case WorkerDecommissionSigReceived:
		w.workerDecommissionSigReceived(c)
	case *deploy.DecommissionWorker:
		w.decommissionWorker(c, m)
	// Executors.
	case *deploy.LaunchExecutor:
		w.launchExecutor(c, m)
	case *deploy.KillExecutor:
		w.killExecutor(c, m)
	case *deploy.ApplicationFinished:
		w.applicationFinished(c, m)
	case ExecutorStateChanged:
		w.executorStateChanged(c, m)
	// Drivers.
	case *deploy.LaunchDriver:
		w.launchDriver(c, m)
	case *deploy.KillDriver:
		w.killDriver(c, m)
	case relaunchDriver:
		w.relaunchDriver(c, m)
	case DriverStateChanged:
		w.driverStateChanged(c, m)
	// Reports.
	case repeatReport:
		w.repeatReport(c, m)
	case WorkDirCleanup:
		w.workDirCleanup(c)
	case Shutdown:
		w.shutdown(c, m)
	// Pages.
	case *deploy.RequestWorkerState:
		w.requestWorkerState(c, m)
	default:
		c.Unsupported(m)
	}
}

// OnConnected does nothing.
func (w *Worker) OnConnected(*rpcenv.Context, rpcenv.Address) {}

// OnDisconnected registers again when the connection to the Master is gone.
func (w *Worker) OnDisconnected(c *rpcenv.Context, peer rpcenv.Address) {
	if !w.reg.isMaster(peer) {
		return
	}
	c.Log().Infof("%s Disassociated !", peer)
	switch {
	case w.reg.connected && slices.ContainsFunc(w.reg.left, w.reg.isMaster):
		c.Log().Info("The master has left the cluster. Waiting for another, or for it to come back...")
	case w.reg.connected:
		c.Log().Error("Connection to master failed! Waiting for master to reconnect...")
	}
	w.reg.connected = false // heartbeats pause; executors run on, and reports wait for the next registration
	w.registerWithMaster(c)
}

func (w *Worker) sendHeartbeat(c *rpcenv.Context) {
	if w.reg.connected {
		c.Send(w.reg.master, &deploy.Heartbeat{WorkerId: w.id, Worker: c.Self().Proto()})
	}
}

// heartbeatPeriod is a quarter of spark.worker.timeout.
func heartbeatPeriod(c *rpcenv.Context) time.Duration {
	return membership.WorkerTimeout.Get(c.Conf()) / 4
}

// workerID fills in a pattern; one that does not take time, host and port is replaced by the default.
func workerID(pattern string, at time.Time, addr rpcenv.Address) string {
	stamp := at.Format("20060102150405")
	if id := fmt.Sprintf(pattern, stamp, addr.Host, addr.Port); !strings.Contains(id, "%!") {
		return id
	}
	standard, _ := workerIDPattern.Default()
	return fmt.Sprintf(standard, stamp, addr.Host, addr.Port)
}

// interval is the time between registration tries, in whole seconds: base stretched by fuzz.
func interval(base, fuzz float64) time.Duration {
	return time.Duration(math.Round(base*fuzz)) * time.Second
}
