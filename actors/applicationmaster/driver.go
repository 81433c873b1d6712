package applicationmaster

import (
	"fmt"

	"github.com/coherer/coherer/actors/applicationmaster/allocator"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// requestExecutors takes how many executors are wanted. The answer does not wait for the ResourceManager. It is false before the
// allocator is ready.
func (m *ApplicationMaster) requestExecutors(c *rpcenv.Context, q *app.RequestExecutors) {
	answer(m, c, q, func() *rpc.Bool {
		if m.alloc == nil {
			c.Log().Warn("Container allocator is not ready to request executors yet.")
			return &rpc.Bool{}
		}
		for _, t := range q.GetResourceProfileToTotalExecs() {
			// Before anything is taken: a request is taken as a whole or not at all.
			if t.GetProfile().GetId() < 0 {
				c.Log().Warnf("Ignored a request for executors of profile %d: ids of profiles begin at 0", t.GetProfile().GetId())
				return &rpc.Bool{}
			}
			if t.GetTotal() > allocator.MostExecutors {
				c.Log().Warnf("The driver wants %d executors of profile %d: at most %d are asked for", t.GetTotal(), t.GetProfile().GetId(), allocator.MostExecutors)
			}
		}
		if m.alloc.RequestTotal(totalsOf(c.Conf(), q), q.GetExcludedNodes(), c.Now()) {
			m.wake(c)
		}
		return &rpc.Bool{Value: true}
	})
}

// killExecutors gives the containers of executors back. The ResourceManager hears of it with the next regular call: that is
// not made sooner.
func (m *ApplicationMaster) killExecutors(c *rpcenv.Context, q *app.KillExecutors) {
	answer(m, c, q, func() *rpc.Bool {
		if m.alloc == nil {
			c.Log().Warn("Container allocator is not ready to kill executors yet.")
			return &rpc.Bool{}
		}
		c.Log().Infof("Driver requested to kill executor(s) %v.", q.GetExecutorIds())
		for _, id := range q.GetExecutorIds() {
			if !m.alloc.Kill(id) {
				c.Log().Warnf("Attempted to kill unknown executor %s!", id)
			}
		}
		return &rpc.Bool{Value: true}
	})
}

// getExecutorLossReason is answered when the executor's container is known to have ended.
func (m *ApplicationMaster) getExecutorLossReason(c *rpcenv.Context, q *app.GetExecutorLossReason) {
	call := rpcenv.Defer(c, q)
	ask := func() { m.lossReason(c, q.GetExecutorId(), call) }
	if m.locked() {
		m.held = append(m.held, ask)
		return
	}
	ask()
}

func (m *ApplicationMaster) lossReason(c *rpcenv.Context, id string, call rpcenv.Call[*app.ExecutorExited]) {
	if m.alloc == nil {
		c.Log().Warn("Container allocator is not ready to find executor loss reasons yet.")
		call.Fail(fmt.Errorf("%w: the ApplicationMaster has no executors yet", rpcenv.ErrRefused))
		return
	}
	switch reason, how := m.alloc.LossReason(id); how {
	case allocator.Now:
		call.Reply(exited(reason))
	case allocator.Later:
		m.lossCalls[id] = append(m.lossCalls[id], call)
	default:
		c.Log().Warnf("Tried to get the loss reason for non-existent executor %s", id)
		call.Fail(fmt.Errorf("%w: Fail to find loss reason for non-existent executor %s", rpcenv.ErrRefused, id))
	}
	// The reason comes with the answer to a call, so the next one is made soon.
	m.wake(c)
}

// shutdown notes that the driver stops in good order: containers that end from now on have not failed.
func (m *ApplicationMaster) shutdown(_ *rpcenv.Context, q *app.Shutdown) {
	m.shutdownAs = new(q.GetExitCode())
	// From here on ends of containers count as no failures: the driver ends its executors.
	if m.alloc != nil {
		m.alloc.Stopping()
	}
}

// OnConnected is a callback of the endpoint.
func (m *ApplicationMaster) OnConnected(*rpcenv.Context, rpcenv.Address) {}

// OnDisconnected ends the application with its driver, in client mode. In cluster mode the driver is no peer.
func (m *ApplicationMaster) OnDisconnected(c *rpcenv.Context, peer rpcenv.Address) {
	if peer != m.driver.Address {
		return
	}
	code := int32(0)
	if m.shutdownAs != nil {
		code = *m.shutdownAs
	}
	c.Log().Infof("Driver terminated or disconnected! Shutting down. %s", peer)
	switch treated := yarnClientModeTreatDisconnectAsFailed.Get(c.Conf()); {
	case m.shutdownAs == nil && treated:
		// Without Shutdown the driver may have crashed; Spark takes that for a success unless the setting says otherwise.
		m.finish(c, yarn.FinalApplicationStatus_APP_FAILED, ExitDisconnectedFromDriver, "Application Master lost connection with driver! Shutting down. "+peer.String())
	case code != 0:
		m.finish(c, yarn.FinalApplicationStatus_APP_FAILED, int(code), "")
	default:
		m.finish(c, yarn.FinalApplicationStatus_APP_SUCCEEDED, ExitSuccess, "")
	}
}
