package appclient

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// The registration's times and number of tries, fixed in Spark too.
const (
	registrationTimeout = 20 * time.Second
	registrationRetries = 3
	refusedTimeout      = time.Second // when every Master refuses the connection
)

// unresponsive is why a client gives up, in Spark's words.
const unresponsive = "All masters are unresponsive! Giving up."

// registration is the part of the client's state that ends with RegisteredApplication.
type registration struct {
	attempt int          // 1 is the first
	timer   rpcenv.Timer // of the try's end
	refused int          // Masters that refused the connection in this try
}

// masters are the Masters as spark.master has them.
func (a *AppClient) masters() string {
	var all []string
	for _, m := range a.cfg.Masters {
		all = append(all, m.String())
	}
	return "spark://" + strings.Join(all, ",")
}

// registerWithMaster is the next try; the look-ups of the one before are abandoned.
func (a *AppClient) registerWithMaster(c *rpcenv.Context) {
	if a.dead {
		return
	}
	if a.reg.attempt >= registrationRetries {
		a.markDead(c, fmt.Sprintf("%s Tried %s: is a Master running there, and is that its address?", unresponsive, a.masters()))
		return
	}
	a.reg.attempt++
	a.reg.refused = 0
	// Before the look-ups: when all are refused, refused replaces this timer by a shorter one.
	a.reg.timer = c.After(registrationTimeout, RegisterWithMaster{})
	for _, m := range a.cfg.Masters {
		a.tryMaster(c, m)
	}
}

// tryMaster looks a Master up and, if it is there, sends the application to it.
func (a *AppClient) tryMaster(c *rpcenv.Context, m rpcenv.Address) {
	try := a.reg.attempt
	c.Log().Infof("Connecting to master %s... (try %d of %d)", m.SparkURL(), try, registrationRetries)
	rpcenv.Resolve(c, rpcenv.Ref{Address: m, Name: ids.Master}.String(), func(master rpcenv.Ref, err error) {
		switch {
		case try != a.reg.attempt || a.registered || a.dead: // late: one more registration would be one more application
		case err != nil:
			c.Log().WithError(err).Warnf("Failed to connect to master %s", m)
			a.refused(c, err)
		default:
			c.Send(master, &deploy.RegisterApplication{AppDescription: a.cfg.Description, Driver: c.Self().Proto()})
		}
	})
}

// refused ends the try early when no Master can be connected to.
func (a *AppClient) refused(c *rpcenv.Context, err error) {
	if !errors.Is(err, rpcenv.ErrUnreachableDisconnected) || errors.Is(err, rpcenv.ErrHandshake) {
		return // a Master that takes the connection and is silent may be busy
	}
	a.reg.refused++
	if a.reg.refused == len(a.cfg.Masters) {
		c.Cancel(a.reg.timer)
		a.reg.timer = c.After(refusedTimeout, RegisterWithMaster{})
	}
}

// registeredApplication takes the sender for the Master. A duplicate is ignored; one with another id means that the
// Master, or another, took a retry for a new application: it is given back.
func (a *AppClient) registeredApplication(c *rpcenv.Context, m *deploy.RegisteredApplication) {
	if a.refuses(c, "RegisteredApplication", m.GetMasterTerm()) {
		return
	}
	master := c.Ref(m.GetMaster())
	if master.IsZero() {
		master = rpcenv.Ref{Address: c.Sender(), Name: ids.Master}
	}
	switch {
	case a.dead, a.registered && m.GetAppId() != a.appID:
		c.Log().Warnf("Unregistering application %s at %s: it is registered twice, or too late", m.GetAppId(), master.Address)
		c.Send(master, &deploy.UnregisterApplication{AppId: m.GetAppId()})
	case a.registered:
		c.Log().Infof("Ignoring another registration of application %s", a.appID)
	default:
		a.appID, a.master, a.registered = m.GetAppId(), master, true
		c.Cancel(a.reg.timer)
		c.SetLog(c.Log().WithField("app", a.appID))
		c.Send(a.cfg.Listener, Connected{AppID: a.appID})
	}
}

// masterChanged takes another Master, or the same one started again, and says that the application goes on. A client that
// is not registered has nothing to say: it goes on to try.
func (a *AppClient) masterChanged(c *rpcenv.Context, m *deploy.MasterChanged) {
	if a.refuses(c, "MasterChanged", m.GetMasterTerm()) {
		return
	}
	if !a.registered || a.dead {
		c.Log().Warnf("Ignoring MasterChanged from %s: no application is registered here", c.Sender())
		return
	}
	a.master = c.Ref(m.GetMaster())
	if a.master.IsZero() {
		a.master = rpcenv.Ref{Address: c.Sender(), Name: ids.Master}
	}
	c.Log().Infof("Master has changed, new master is at %s", a.master.Address.SparkURL())
	c.Cancel(a.standing)
	a.disconnected = false
	if a.forgotten { // the listener has warned its user: it must hear that a Master knows the application after all
		a.forgotten = false
		c.Send(a.cfg.Listener, Forgotten{})
	}
	// Before the acknowledgement, which may end the Master's recovery: its first decision then knows how many are wanted.
	a.repeatTotals(c)
	c.Send(a.master, &deploy.MasterChangeAcknowledged{AppId: a.appID, NextExecutorId: a.nextExecutor})
}

// repeatTotals asks a new Master for as many executors as the application wanted last: no record has that number.
func (a *AppClient) repeatTotals(c *rpcenv.Context) {
	if a.totals == nil {
		return
	}
	rpcenv.Ask(c, a.master, &deploy.RequestExecutors{AppId: a.appID, Totals: a.totals}, func(ok *rpc.Bool, err error) {
		if !ok.GetValue() { // ok is nil with an err
			c.Log().Warnf("The new master did not take how many executors are wanted: %v %v", ok.GetValue(), err)
		}
	})
}
