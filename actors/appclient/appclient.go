package appclient

import (
	"fmt"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// Name is what the endpoint is called.
const Name = "AppClient"

// AppClient is the endpoint. It mirrors StandaloneAppClient.ClientEndpoint.
type AppClient struct {
	cfg Config
	reg registration

	registered   bool
	appID        string
	master       rpcenv.Ref
	term         uint64                  // the highest leadership heard of
	termFrom     rpcenv.Address          // the Master that sent it
	nextExecutor int32                   // one more than the highest id heard of
	totals       []*deploy.ProfileTarget // that the driver wanted last; nil: it has said nothing
	disconnected bool                    // the listener has Disconnected
	standing     rpcenv.Timer            // while disconnected
	forgotten    bool                    // the listener has Forgotten
	dead         bool                    // the listener has Dead
	warned       string                  // the last warning of a message that comes too early
}

// New makes a client, to be registered as [Name].
func New(cfg Config) *AppClient { return &AppClient{cfg: cfg} }

// OnStart begins to register. With a Config that is not valid the application is dead at once.
func (a *AppClient) OnStart(c *rpcenv.Context) {
	if err := a.cfg.Validate(); err != nil {
		a.markDead(c, err.Error())
		return
	}
	a.registerWithMaster(c)
}

// Receive is the table of what a client understands.
func (a *AppClient) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	// From the Master.
	case *deploy.RegisteredApplication:
		a.registeredApplication(c, m)
	case *deploy.ApplicationRemoved:
		a.applicationRemoved(c, m)
	case *deploy.ExecutorAdded:
		a.executorAdded(c, m)
	case *deploy.ExecutorUpdated:
		a.executorUpdated(c, m)
	case *deploy.WorkerRemoved:
		a.workerRemoved(c, m)
	case *deploy.MasterChanged:
		a.masterChanged(c, m)
	// From the driver.
	case StopAppClient:
		a.stopAppClient(c, m)
	case RequestExecutors:
		a.requestExecutors(c, m)
	case KillExecutors:
		a.killExecutors(c, m)
	case RegisterWithMaster:
		a.registerWithMaster(c)
	case CheckStanding:
		a.checkStanding(c)
	default:
		c.Unsupported(m)
	}
}

// OnConnected does nothing.
func (a *AppClient) OnConnected(*rpcenv.Context, rpcenv.Address) {}

// OnDisconnected reports to the listener, once, that the Master is gone. The client waits for another to call, as in Spark.
func (a *AppClient) OnDisconnected(c *rpcenv.Context, peer rpcenv.Address) {
	if peer != a.master.Address || a.disconnected || a.dead {
		return
	}
	a.disconnected = true // until MasterChanged
	c.Log().Warnf("Connection to %s failed; waiting for master to reconnect...", peer)
	c.Send(a.cfg.Listener, Disconnected{})
	d := StarvationTimeout.Get(c.Conf())
	a.standing = c.Every(d, d, CheckStanding{})
}

// checkStanding asks whether a Master is back that does not know the application: then no Master will ever call.
func (a *AppClient) checkStanding(c *rpcenv.Context) {
	at := a.master
	rpcenv.Ask(c, at, &deploy.RequestRefusals{AppId: a.appID}, func(r *deploy.Refusals, _ error) { // r is nil without an answer
		// Only an ALIVE Master that does not know the application is an answer: a standby or a recovering one may still get the
		// records. Meanwhile another Master may have called, or the client may have ended.
		if r.GetFound() || r.GetMasterState() != master.RecoveryAlive.String() || at != a.master || !a.disconnected || a.dead || a.forgotten {
			return
		}
		c.Cancel(a.standing)
		a.forgotten = true
		c.Send(a.cfg.Listener, Forgotten{Reason: fmt.Sprintf("the Master at %s does not know application %s: it was started again without its records (%s): "+
			"submit the application again", at.Address, a.appID, master.RecoveryMode.Key())})
	})
}

// refuses reports whether a message comes from an earlier leadership than the latest, and notes a later one. Masters
// without terms send 0. The Master that led last may send a lower term: then it was started again without its records.
func (a *AppClient) refuses(c *rpcenv.Context, what string, term uint64) bool {
	switch {
	case term == 0:
	case term < a.term && c.Sender() != a.termFrom:
		c.Log().Warnf("Ignoring %s from %s: its master term is %d, the latest %d", what, c.Sender(), term, a.term)
		return true
	default:
		a.term, a.termFrom = term, c.Sender()
	}
	return false
}

func (a *AppClient) markDead(c *rpcenv.Context, reason string) {
	if a.dead {
		return
	}
	a.dead = true
	c.Cancel(a.standing)         // no Master's answer matters any more
	if a.cfg.Listener.IsZero() { // no listener could say it to the user
		c.Log().Error(reason)
		return
	}
	c.Send(a.cfg.Listener, Dead{Reason: reason})
}

func (a *AppClient) applicationRemoved(c *rpcenv.Context, m *deploy.ApplicationRemoved) {
	if a.refuses(c, "ApplicationRemoved", m.GetMasterTerm()) {
		return
	}
	a.markDead(c, "Master removed our application: "+m.GetMessage())
	c.Stop()
}

func (a *AppClient) executorAdded(c *rpcenv.Context, m *deploy.ExecutorAdded) {
	if a.refuses(c, "ExecutorAdded", m.GetMasterTerm()) {
		return
	}
	id := a.fullID(m.GetId())
	a.nextExecutor = max(a.nextExecutor, m.GetId()+1)
	c.Log().Infof("Executor added: %s on %s (%s) with %d core(s)", id, m.GetWorkerId(), m.GetHostPort(), m.GetCores())
	c.Send(a.cfg.Listener, ExecutorAdded{
		FullID: id, WorkerID: m.GetWorkerId(), HostPort: m.GetHostPort(), Cores: int(m.GetCores()), MemoryMB: int(m.GetMemory()),
	})
}

func (a *AppClient) executorUpdated(c *rpcenv.Context, m *deploy.ExecutorUpdated) {
	if a.refuses(c, "ExecutorUpdated", m.GetMasterTerm()) {
		return
	}
	id, text := a.fullID(m.GetId()), ""
	if m.Message != nil {
		text = " (" + m.GetMessage() + ")"
	}
	c.Log().Infof("Executor updated: %s is now %s%s", id, m.GetState(), text)
	switch m.GetState() { // RUNNING is for the log alone: an executor that runs registers with the driver itself
	case deploy.ExecutorState_KILLED, deploy.ExecutorState_FAILED, deploy.ExecutorState_LOST, deploy.ExecutorState_EXITED:
		c.Send(a.cfg.Listener, ExecutorRemoved{
			FullID: id, Message: m.GetMessage(), ExitStatus: m.ExitStatus, WorkerHost: m.WorkerHost,
		})
	case deploy.ExecutorState_DECOMMISSIONED:
		c.Send(a.cfg.Listener, ExecutorDecommissioned{FullID: id, Message: m.GetMessage(), WorkerHost: m.WorkerHost})
	}
}

func (a *AppClient) workerRemoved(c *rpcenv.Context, m *deploy.WorkerRemoved) {
	if a.refuses(c, "WorkerRemoved", m.GetMasterTerm()) {
		return
	}
	c.Log().Infof("Master removed worker %s: %s", m.GetId(), m.GetMessage())
	c.Send(a.cfg.Listener, WorkerRemoved{ID: m.GetId(), Host: m.GetHost(), Message: m.GetMessage()})
}

func (a *AppClient) stopAppClient(c *rpcenv.Context, m StopAppClient) {
	if a.registered {
		c.Send(a.master, &deploy.UnregisterApplication{AppId: a.appID})
	}
	a.dead = true
	rpcenv.Reply(c, m, &rpc.Bool{Value: true})
	c.Stop()
}

func (a *AppClient) requestExecutors(c *rpcenv.Context, m RequestExecutors) {
	if !a.registered {
		a.warn(c, "Attempted to request executors before driver fully initialized.")
		rpcenv.Reply(c, m, &rpc.Bool{Value: false})
		return
	}
	a.totals = m.Totals // also if the ask fails: the next Master gets what was wanted last
	call := rpcenv.Defer(c, m)
	rpcenv.Ask(c, a.master, &deploy.RequestExecutors{AppId: a.appID, Totals: m.Totals}, func(ok *rpc.Bool, err error) {
		if err != nil {
			call.Fail(fmt.Errorf("request executors: %w", err))
			return
		}
		call.Reply(ok)
	})
}

func (a *AppClient) killExecutors(c *rpcenv.Context, m KillExecutors) {
	if !a.registered {
		a.warn(c, "Attempted to kill executors before registering with Master.")
		rpcenv.Reply(c, m, &rpc.Bool{Value: false})
		return
	}
	call := rpcenv.Defer(c, m)
	rpcenv.Ask(c, a.master, &deploy.KillExecutors{AppId: a.appID, ExecutorIds: m.IDs}, func(ok *rpc.Bool, err error) {
		if err != nil {
			call.Fail(fmt.Errorf("kill executors %v: %w", m.IDs, err))
			return
		}
		call.Reply(ok)
	})
}

// warn logs once that a message comes too early: ExecutorAllocationManager asks again each 100 ms.
func (a *AppClient) warn(c *rpcenv.Context, text string) {
	if a.warned != text {
		a.warned = text
		c.Log().Warn(text)
	}
}

// fullID is the application's id and the executor's.
func (a *AppClient) fullID(id int32) string { return fmt.Sprintf("%s/%d", a.appID, id) }
