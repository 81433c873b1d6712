package master

import (
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// Name is the endpoint's name.
const Name = ids.Master

// Master is the endpoint. It mirrors org.apache.spark.deploy.master.Master.
type Master struct {
	cfg   Config
	state RecoveryState

	workers         roster
	idToWorker      map[string]*workerInfo
	addressToWorker map[rpcenv.Address]*workerInfo

	apps         []*applicationInfo // in the order of registration, which is that of scheduling
	idToApp      map[string]*applicationInfo
	addressToApp map[rpcenv.Address]*applicationInfo
	completed    []*applicationInfo
	failures     []*deploy.Failure // the oldest first
	nextApp      int

	drivers  driverBooks
	journal  *rpcenv.Journal[records.Change] // nil: nothing is kept
	elected  bool                            // the records are read, or being read
	awaiting []rpcenv.Call[*rpc.Bool]        // AwaitLeadership, unanswered
	awaited  awaited

	connections map[rpcenv.Address]int // how many there are to each peer
	doubts      *membership.Doubts     // of Workers
	relaunch    rpcenv.Timer
	relaunchAt  time.Time
	ranking     ranking
	sparkURL    string
}

// New makes a Master. Without a Store and an election it is ALIVE from its start.
func New(cfg Config) *Master {
	m := &Master{
		cfg: cfg, state: RecoveryAlive, workers: newRoster(),
		idToWorker:      map[string]*workerInfo{},
		addressToWorker: map[rpcenv.Address]*workerInfo{},
		idToApp:         map[string]*applicationInfo{},
		addressToApp:    map[rpcenv.Address]*applicationInfo{},
		drivers:         newDriverBooks(),
		connections:     map[rpcenv.Address]int{},
	}
	m.doubts = membership.NewDoubts(membership.Nodes{Endpoint: ids.Worker, Has: m.hasWorker, GiveUp: m.notAnswering})
	if cfg.Store != nil || cfg.Election {
		m.state = RecoveryStandby
	}
	if cfg.Store != nil {
		m.journal = rpcenv.NewJournal(cfg.Store.Write, m.notDurable)
	}
	return m
}

// CheckForWorkerTimeOut is the Master's timer.
type CheckForWorkerTimeOut struct{ rpcenv.Local }

// RelaunchExecutors ends the wait of an application whose executors ended early. Spark has no such wait.
type RelaunchExecutors struct{ rpcenv.Local }

// OnStart is a callback of the endpoint.
func (m *Master) OnStart(c *rpcenv.Context) {
	c.Log().Infof("Starting Spark master at %s", m.url(c))
	c.Every(0, membership.WorkerTimeout.Get(c.Conf()), CheckForWorkerTimeOut{})
	// With a Store alone no rival exists: the Master elects itself. With an election it waits for ElectedLeader.
	if m.cfg.Store != nil && !m.cfg.Election {
		m.electedLeader(c, ElectedLeader{})
	}
}

// Receive is a callback of the endpoint.
func (m *Master) Receive(c *rpcenv.Context, msg rpcenv.Message) {
	switch msg := msg.(type) {
	case ElectedLeader:
		m.electedLeader(c, msg)
	case RevokedLeadership:
		m.revokedLeadership(c)
	case AwaitLeadership:
		m.awaitLeadership(c, msg)
	case CompleteRecovery:
		m.completeRecovery(c)
	case *deploy.MasterChangeAcknowledged:
		m.masterChangeAcknowledged(c, msg)
	case *deploy.WorkerSchedulerStateResponse:
		m.workerSchedulerStateResponse(c, msg)
	case *deploy.RegisterWorker:
		m.registerWorker(c, msg)
	case *deploy.Heartbeat:
		m.heartbeat(c, msg)
	case *deploy.WorkerLatestState:
		m.workerLatestState(c, msg)
	case CheckForWorkerTimeOut:
		m.checkForWorkerTimeOut(c)
	case *deploy.WorkerDecommissioning:
		m.workerDecommissioning(c, msg)
	case *deploy.DecommissionWorkersOnHosts:
		m.decommissionWorkersOnHosts(c, msg)
	case DecommissionWorkers:
		m.decommissionWorkers(c, msg)
	case *deploy.RegisterApplication:
		m.registerApplication(c, msg)
	case *deploy.UnregisterApplication:
		m.unregisterApplication(c, msg)
	case *deploy.ExecutorStateChanged:
		m.executorStateChanged(c, msg)
	case *deploy.RequestExecutors:
		m.requestExecutors(c, msg)
	case *deploy.KillExecutors:
		m.killExecutors(c, msg)
	case membership.MemberJoined:
		m.memberJoined(c, msg)
	case membership.MemberSuspected, membership.MemberRefuted, membership.MemberFailed, membership.MemberLeft:
		m.doubts.News(c, msg)
	case RelaunchExecutors:
		m.schedule(c)
	case *deploy.KillApplication:
		m.killApplication(c, msg)
	case *deploy.RequestMasterState:
		m.requestMasterState(c, msg)
	case *deploy.RequestRefusals:
		m.requestRefusals(c, msg)
	case *deploy.RequestSubmitDriver:
		m.requestSubmitDriver(c, msg)
	case *deploy.RequestKillDriver:
		m.requestKillDriver(c, msg)
	case *deploy.RequestKillAllDrivers:
		m.requestKillAllDrivers(c, msg)
	case *deploy.RequestDriverStatus:
		m.requestDriverStatus(c, msg)
	case *deploy.DriverStateChanged:
		m.driverStateChanged(c, msg)
	case *deploy.RequestClearCompletedDriversAndApps:
		m.requestClearCompletedDriversAndApps(c, msg)
	case *deploy.RequestReadyz:
		m.requestReadyz(c, msg)
	default:
		c.Unsupported(msg)
	}
}

// OnConnected is a callback of the endpoint.
func (m *Master) OnConnected(_ *rpcenv.Context, peer rpcenv.Address) { m.connections[peer]++ }

// OnDisconnected is a callback of the endpoint. A peer with another open connection is not gone: it came back before the
// Master saw the end of its old connection (SPARK-23191).
func (m *Master) OnDisconnected(c *rpcenv.Context, peer rpcenv.Address) {
	if m.connections[peer]--; m.connections[peer] > 0 {
		c.Log().Warnf("%s lost a connection and has another one, keeping it.", peer)
		return
	}
	delete(m.connections, peer)
	if w := m.addressToWorker[peer]; w != nil {
		c.Log().Infof("%s got disassociated, removing it.", peer)
		m.removeWorker(c, w, peer.String()+" got disassociated")
	}
	if app := m.addressToApp[peer]; app != nil {
		m.seekDriver(c, app)
	}
	m.completeIfPossible(c) // the recovery may have waited for this peer alone
}

// url is by what Workers know which Master orders them.
func (m *Master) url(c *rpcenv.Context) string {
	if m.sparkURL == "" { // it never changes
		m.sparkURL = c.Self().Address.SparkURL()
	}
	return m.sparkURL
}
