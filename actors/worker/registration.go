package worker

import (
	"slices"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// registration is how a Worker stands with its Masters. It mirrors the fields of Worker about its Master.
type registration struct {
	masters []rpcenv.Address    // configured
	members []membership.Member // Masters that Membership reported, in the order of their coming
	found   bool                // Membership reports Masters
	left    []rpcenv.Address    // where Masters listened that said goodbye since another was taken, the latest

	// Set by the Master that accepted this Worker last.
	master    rpcenv.Ref
	toConnect rpcenv.Address // Spark's masterAddressToConnect: where to look for it after a disconnect
	activeURL string
	webUIURL  string
	term      uint64         // the highest leadership heard of
	termFrom  rpcenv.Address // the Master that sent it

	registered bool // a Master's acceptance holds
	connected  bool // the connection to master is up
	deposed    bool // master says that it does not lead
	unreached  bool // the latest look-up of master failed

	retry              rpcenv.Timer // ReregisterWithMaster
	initial, prolonged time.Duration
	slow               bool             // retry ticks at the prolonged interval
	attempts           int              // ticks of retry
	try                uint64           // look-ups of earlier tries are abandoned
	tried              []rpcenv.Address // by this try
}

func (r *registration) start(cfg Config, c *rpcenv.Context) {
	r.masters, r.found = cfg.Masters, cfg.Membership
	fuzz := 0.5 + c.Rand().Float64()
	r.initial, r.prolonged = interval(10, fuzz), interval(60, fuzz)
}

// all are the known Masters, configured ones first.
func (r *registration) all() []rpcenv.Address {
	all := slices.Clone(r.masters)
	for _, m := range r.members {
		if !slices.Contains(all, m.RPC) {
			all = append(all, m.RPC)
		}
	}
	return all
}

// targets are the Masters that a retry goes to: the one that was known before, unless it has left the members, cannot be
// reached, does not lead, or did not answer the first retries. Another leader calls the Workers in its records. A Worker that
// was given up before is in none, and must find that leader itself before spark.worker.timeout is over: until then no Master
// counts what runs here.
func (r *registration) targets() []rpcenv.Address {
	all := r.all()
	if r.master.IsZero() || r.deposed || r.unreached || r.slow || r.found && !slices.Contains(all, r.toConnect) {
		return all
	}
	return []rpcenv.Address{r.toConnect}
}

// isMaster reports whether a is an address of the current Master.
func (r *registration) isMaster(a rpcenv.Address) bool {
	return a == r.master.Address || a == r.toConnect
}

// stale reports whether a message comes from an earlier leadership than the latest, and notes a later one. Masters
// without terms send 0. The Master that led last may send a lower term: then it was started again without its records.
func (r *registration) stale(term uint64, from rpcenv.Address) bool {
	switch {
	case term == 0:
	case term < r.term && from != r.termFrom:
		return true
	default:
		r.term, r.termFrom = term, from
	}
	return false
}

// refuses reports, and logs, that a message of an earlier leadership is to be ignored.
func (w *Worker) refuses(c *rpcenv.Context, what string, term uint64) bool {
	if !w.reg.stale(term, c.Sender()) {
		return false
	}
	c.Log().Warnf("Ignoring %s from %s: its master term is %d, the latest %d", what, c.Sender(), term, w.reg.term)
	return true
}

// registerWithMaster begins to register, with all Masters at once, unless that is under way.
func (w *Worker) registerWithMaster(c *rpcenv.Context) {
	r := &w.reg
	if r.retry.Active() { // each late heartbeat brings a ReconnectWorker, and the connection may end meanwhile
		c.Log().Info("Not spawning another attempt to register with the master, since there is an attempt scheduled already.")
		return
	}
	r.registered, r.attempts, r.slow = false, 0, false
	w.tryMasters(c, r.all())
	r.retry = c.Every(r.initial, r.initial, ReregisterWithMaster{})
}

// reregisterWithMaster is a tick of the retries.
func (w *Worker) reregisterWithMaster(c *rpcenv.Context) {
	r := &w.reg
	r.attempts++
	if r.attempts > workerMaxRegistrationRetries.Get(c.Conf()) {
		c.Exit(1, "All masters are unresponsive! Giving up.")
		return
	}
	c.Log().Infof("Retrying connection to master (attempt # %d)", r.attempts)
	if r.attempts >= workerInitialRegistrationRetries.Get(c.Conf()) {
		c.Cancel(r.retry)
		r.slow = true // from this one on, so that the first that goes to all does not wait for the long interval
		r.retry = c.Every(r.prolonged, r.prolonged, ReregisterWithMaster{})
	}
	w.tryMasters(c, r.targets())
}

// tryMasters begins a new try; the look-ups of the one before are abandoned.
func (w *Worker) tryMasters(c *rpcenv.Context, masters []rpcenv.Address) {
	w.reg.try++
	w.reg.tried = nil
	for _, a := range masters {
		w.tryMaster(c, a)
	}
}

// tryMaster looks a Master up and, if it is there, asks to be registered.
func (w *Worker) tryMaster(c *rpcenv.Context, a rpcenv.Address) {
	w.reg.tried = append(w.reg.tried, a)
	try := w.reg.try
	c.Log().Infof("Connecting to master %s...", a)
	rpcenv.Resolve(c, rpcenv.Ref{Address: a, Name: ids.Master}.String(), func(master rpcenv.Ref, err error) {
		switch {
		case try != w.reg.try: // a Master has accepted this Worker, or the next try has asked it again
		case err != nil:
			c.Log().WithError(err).Warnf("Failed to connect to master %s", a)
			w.reg.unreached = w.reg.unreached || w.reg.isMaster(a)
		default:
			w.reg.unreached = w.reg.unreached && !w.reg.isMaster(a)
			c.Send(master, &deploy.RegisterWorker{
				Id: w.id, Host: w.addr.Host, Port: int32(w.addr.Port), Worker: c.Self().Proto(),
				Cores: int32(w.cfg.Cores), Memory: int32(w.cfg.MemoryMB),
				WorkerWebUiUrl: w.cfg.WebUIURL, MasterAddress: a.Proto(), Resources: w.cfg.Resources, Decommissioned: w.decommissioned,
			})
		}
	})
}

// memberJoined takes note of a Master. A Worker that is not registered tries it at once, unless this try has.
func (w *Worker) memberJoined(c *rpcenv.Context, m membership.MemberJoined) {
	if m.Member.Role != membership.RoleMaster || slices.Contains(w.reg.members, m.Member) {
		return
	}
	w.reg.members = append(w.reg.members, m.Member)
	if w.reg.registered {
		return
	}
	for _, a := range w.reg.targets() {
		if !slices.Contains(w.reg.tried, a) {
			w.tryMaster(c, a)
		}
	}
}

// memberGone forgets a Master, in whichever way it went. The connection to it says whether it is gone.
func (w *Worker) memberGone(gone membership.Member) {
	w.reg.members = slices.DeleteFunc(w.reg.members, func(m membership.Member) bool { return m == gone })
}

// mostLeft bounds the Masters whose goodbyes are remembered: there are not more in a group.
const mostLeft = 8

// memberLeft forgets a Master that said goodbye: the end of the connection to it is no failure.
func (w *Worker) memberLeft(gone membership.Member) {
	if gone.Role == membership.RoleMaster {
		w.reg.left = append(w.reg.left[max(0, len(w.reg.left)-mostLeft+1):], gone.RPC)
	}
	w.memberGone(gone)
}

// registeredWorker takes the sender for the Master, lists for it what runs here, and begins the heartbeats, the first one
// at once. After another registration the heartbeats go on as they were: they never run twice.
func (w *Worker) registeredWorker(c *rpcenv.Context, m *deploy.RegisteredWorker) {
	if w.refuses(c, "RegisteredWorker", m.GetMasterTerm()) {
		return
	}
	if m.GetDuplicate() {
		c.Log().Warnf("Duplicate registration at master %s", c.Sender())
	}
	w.reg.registered = true
	w.changeMaster(c, m.GetMaster(), m.GetMasterWebUiUrl(), rpcenv.AddressOf(m.GetMasterAddress()))
	c.Log().Infof("Successfully registered with master %s", w.reg.activeURL)
	// First of all what ended here, and then what runs: what the Master ordered and finds in neither was lost with the old
	// connection. In the other order an executor that began and ended meanwhile would be LOST to it, not EXITED.
	w.repeatReports(c)
	c.Send(w.reg.master, &deploy.WorkerLatestState{Id: w.id, Executors: w.books.descriptions(), DriverIds: w.driverIDs(), Decommissioned: w.decommissioned})
	w.reportDecommissioned(c)
	w.beginHeartbeats(c)
	w.startCleanup(c)
}

func (w *Worker) beginHeartbeats(c *rpcenv.Context) {
	if !w.heartbeat.Active() {
		w.heartbeat = c.Every(0, heartbeatPeriod(c), SendHeartbeat{})
	}
}

// changeMaster takes a Master: the sender, if the message holds no reference. configured is the address by which this Worker
// reached it.
func (w *Worker) changeMaster(c *rpcenv.Context, master *rpc.EndpointRef, webUIURL string, configured rpcenv.Address) {
	r := &w.reg
	r.master = c.Ref(master)
	if r.master.IsZero() {
		r.master = rpcenv.Ref{Address: c.Sender(), Name: ids.Master}
	}
	r.toConnect = r.master.Address
	if workerPreferConfiguredMasterAddress.Get(c.Conf()) && !configured.IsZero() {
		r.toConnect = configured
	}
	r.activeURL, r.webUIURL = r.master.Address.SparkURL(), webUIURL
	r.connected, r.deposed, r.unreached, r.left = true, false, false, nil
	c.Cancel(r.retry)
	r.try++ // what other Masters' verifiers answer now is of no interest
}

// masterChanged takes another Master, or the same one started again, and lists for it what runs here. The heartbeats go on;
// the new Master gets the reports that the one before did not acknowledge.
func (w *Worker) masterChanged(c *rpcenv.Context, m *deploy.MasterChanged) {
	if w.refuses(c, "MasterChanged", m.GetMasterTerm()) {
		return
	}
	w.changeMaster(c, m.GetMaster(), m.GetMasterWebUiUrl(), rpcenv.Address{})
	c.Log().Infof("Master has changed, new master is at %s", w.reg.activeURL)
	w.reg.registered = true
	c.Send(w.reg.master, w.schedulerState())
	w.reportDecommissioned(c)
	w.beginHeartbeats(c) // the Master that does not know this Worker answers ReconnectWorker, and it registers
	w.repeatReports(c)
}

// schedulerState is what runs here.
func (w *Worker) schedulerState() *deploy.WorkerSchedulerStateResponse {
	r := &deploy.WorkerSchedulerStateResponse{Id: w.id, Decommissioned: w.decommissioned}
	for _, x := range w.books.live {
		r.Executors = append(r.Executors, &deploy.WorkerExecutorStateResponse{Desc: x.description(), Resources: x.resources})
	}
	for _, id := range w.driverIDs() {
		s := &deploy.WorkerDriverStateResponse{DriverId: id}
		if d := w.books.driver(id); d != nil {
			s.Resources = d.resources
		}
		r.Drivers = append(r.Drivers, s)
	}
	return r
}

// masterInStandby is from a Master that does not lead: the one that does will answer, or call. When it is the one that
// this Worker was registered with, retries go to all.
func (w *Worker) masterInStandby(c *rpcenv.Context) {
	c.Log().Debugf("The master at %s is in standby", c.Sender())
	if w.reg.isMaster(c.Sender()) {
		w.reg.deposed = true
	}
}

// registerWorkerFailed ends the process of a Worker that no Master has accepted. A registered one ignores it.
func (w *Worker) registerWorkerFailed(c *rpcenv.Context, m *deploy.RegisterWorkerFailed) {
	if w.refuses(c, "RegisterWorkerFailed", m.GetMasterTerm()) || w.reg.registered {
		return
	}
	c.Exit(1, "Worker registration failed: "+m.GetMessage())
}

// reconnectWorker registers again: the Master had given this Worker up. Each late heartbeat brings one; all but the
// first find a registration under way.
func (w *Worker) reconnectWorker(c *rpcenv.Context, m *deploy.ReconnectWorker) {
	if w.refuses(c, "ReconnectWorker", m.GetMasterTerm()) {
		return
	}
	c.Log().Infof("Master with url %s requested this worker to reconnect.", m.GetMasterUrl())
	w.registerWithMaster(c)
}
