package applicationmaster

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// finishInterval is after how long an end that is not stored yet is reported again.
const finishInterval = 100 * time.Millisecond

// defaultStatus is what becomes of an application whose ApplicationMaster ends without knowing: in cluster mode another
// attempt is due, in client mode the driver knows.
func (m *ApplicationMaster) defaultStatus() yarn.FinalApplicationStatus {
	if m.cfg.ClusterMode {
		return yarn.FinalApplicationStatus_APP_FAILED
	}
	return yarn.FinalApplicationStatus_APP_UNDEFINED
}

// userEnded takes the end of the program.
func (m *ApplicationMaster) userEnded(c *rpcenv.Context, msg UserEnded) {
	switch {
	case msg.Code != 0:
		m.finish(c, yarn.FinalApplicationStatus_APP_FAILED, msg.Code, fmt.Sprintf("User application exited with status %d: %s", msg.Code, msg.Err))
	case msg.Err != "":
		m.finish(c, yarn.FinalApplicationStatus_APP_FAILED, ExitExceptionUserClass, "User class threw exception: "+msg.Err)
	default:
		m.finish(c, yarn.FinalApplicationStatus_APP_SUCCEEDED, ExitSuccess, "")
	}
}

// terminated takes a request from outside to end the process. It mirrors the shutdown hook.
func (m *ApplicationMaster) terminated(c *rpcenv.Context) {
	m.finish(c, m.defaultStatus(), ExitEarly, "Shutdown hook called before final status was reported.")
}

// finish ends the application; the first call wins. In cluster mode an ApplicationMaster that never registered had no driver.
func (m *ApplicationMaster) finish(c *rpcenv.Context, status yarn.FinalApplicationStatus, code int, message string) {
	if m.finished {
		return
	}
	m.finished, m.status, m.exitCode = true, status, code
	if m.cfg.ClusterMode && !m.registered {
		m.status, m.exitCode = yarn.FinalApplicationStatus_APP_FAILED, ExitSCNotInited
	}
	m.message = cut(message, int(yarnFinalMessageLimit.Get(c.Conf())))
	m.launches = nil // launches that wait for their turn are dropped
	c.Log().Infof("Final app status: %s, exitCode: %d, (reason: %s)", m.status, m.exitCode, m.message)
	was := ""
	if m.registered {
		was = "REGISTERED"
	}
	c.State("application master", m.cfg.Attempt.String(), was, "FINISHING", m.message)
	c.Cancel(m.timer)
	// A registration that waits for its next try must not go on beside the end.
	m.proxy.Cancel(c)
	if m.context != nil && m.alloc == nil {
		// The program's thread waits for an allocator that will never be.
		m.context.Fail(fmt.Errorf("%w: %s", rpcenv.ErrRefused, m.message))
	}
	m.end(c)
}

// cut is at most so many bytes of a message, as text that a ResourceManager can read.
func cut(message string, limit int) string {
	message = strings.ToValidUTF8(message, "?")
	return strings.ToValidUTF8(message[:min(limit, len(message))], "") // without the half of a letter
}

// end unregisters and removes what the client staged, unless another attempt will want it, and then ends the process. It
// mirrors the shutdown hook of ApplicationMaster.run.
func (m *ApplicationMaster) end(c *rpcenv.Context) {
	exit := func(c *rpcenv.Context) { c.Exit(m.exitCode, m.message) }
	switch {
	case int(m.cfg.Attempt.Attempt) >= maxAttempts(c.Conf()) || m.driverIsOver():
		// No other attempt will want the files.
		m.cleanupStaging(c, func(c *rpcenv.Context) { m.unregister(c, exit) })
	case m.status == yarn.FinalApplicationStatus_APP_SUCCEEDED:
		// In this order: if YARN does not hear of the success, it starts another attempt, which wants the files.
		m.unregister(c, func(c *rpcenv.Context) { m.cleanupStaging(c, exit) })
	default: // not unregistered, so that YARN starts another attempt, which wants the files
		exit(c)
	}
}

// driverIsOver reports whether the driver, in client mode, said that it ends: another attempt would find none.
func (m *ApplicationMaster) driverIsOver() bool { return !m.cfg.ClusterMode && m.shutdownAs != nil }

// maxAttempts is how many attempts the application has.
func maxAttempts(c *conf.Conf) int {
	most := rmproxy.AMMaxAttempts.Get(c)
	if n, set := submit.YARNMaxAppAttempts.Find(c); set {
		return min(most, n)
	}
	return most
}

// unregister reports the application's end to the ResourceManager, until that has stored it.
func (m *ApplicationMaster) unregister(c *rpcenv.Context, then func(*rpcenv.Context)) {
	if !m.registered {
		then(c)
		return
	}
	q := &yarn.FinishApplicationMasterRequest{
		Diagnostics: m.message, TrackingUrl: m.cfg.HistoryURL, FinalApplicationStatus: m.status,
		ApplicationAttemptId: m.cfg.Attempt.Proto(), AmRmToken: m.token,
	}
	rmproxy.Ask(&m.proxy, c, m.rm, q, func(r *yarn.FinishApplicationMasterResponse, err error) {
		switch {
		case errors.Is(err, exceptions.ApplicationMasterNotRegistered):
			// It was restarted and forgot this attempt, which has to register before it may end.
			m.registerToFinish(c, then)
		case err == nil && !r.GetIsUnregistered():
			m.proxy.After(c, finishInterval, func(c *rpcenv.Context) { m.unregister(c, then) })
		default:
			if err != nil {
				warnUnreported(c, err)
			}
			then(c)
		}
	})
}

func warnUnreported(c *rpcenv.Context, err error) {
	c.Log().Warnf("The ResourceManager does not know that the application has ended: %v", err)
}

// registerToFinish registers with a ResourceManager that forgot this one, so that it takes the end.
func (m *ApplicationMaster) registerToFinish(c *rpcenv.Context, then func(*rpcenv.Context)) {
	rmproxy.Ask(&m.proxy, c, m.rm, m.registration(c.Self().Address), func(_ *yarn.RegisterApplicationMasterResponse, err error) {
		if err != nil {
			warnUnreported(c, err)
			then(c)
			return
		}
		m.unregister(c, then)
	})
}

// cleanupStaging removes what the client staged. A failure is logged: the application has ended all the same.
func (m *ApplicationMaster) cleanupStaging(c *rpcenv.Context, then func(*rpcenv.Context)) {
	if m.cfg.Staging == nil {
		then(c)
		return
	}
	rpcenv.Run(c, "staging", func(b *rpcenv.Blocking) (struct{}, error) {
		return struct{}{}, m.cfg.Staging.Remove(b)
	}, func(_ struct{}, err error) {
		if err != nil {
			c.Log().Warnf("Failed to cleanup staging dir: %v", err)
		}
		then(c)
	})
}
