package nodemanager

import (
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/rpcenv"
)

// Logs are the output of containers on this machine, by their applications. What its methods do may take long.
type Logs interface {
	// List is which applications have output here.
	List(b *rpcenv.Blocking) ([]LogsOf, error)
	// Remove removes an application's output. Nothing there is no error.
	Remove(b *rpcenv.Blocking, app ids.Application) error
}

// LogsOf is the output of an application, and when it changed last.
type LogsOf struct {
	App     ids.Application
	Changed time.Time
}

// removeLogs is the timer that ends the time for which an application's output is kept.
type removeLogs struct {
	rpcenv.Local
	app ids.Application
}

// keepOldLogs keeps the output that earlier NodeManagers left for as long as that of an application that ends now.
func (n *ContainerManager) keepOldLogs(c *rpcenv.Context) {
	if n.cfg.Logs == nil {
		return
	}
	logs := n.cfg.Logs
	rpcenv.Run(c, "logs", func(b *rpcenv.Blocking) ([]LogsOf, error) { return logs.List(b) }, func(all []LogsOf, err error) {
		if err != nil {
			c.Log().WithError(err).Warn("Not all output of earlier containers was found: it stays")
		}
		for _, l := range all {
			n.keepLogs(c, l.App, l.Changed)
		}
	})
}

// keepLogs keeps an application's output for yarn.nodemanager.log.retain-seconds since a time. It mirrors
// NonAggregatingLogHandler.
func (n *ContainerManager) keepLogs(c *rpcenv.Context, app ids.Application, since time.Time) {
	retain := nodeManagerLogRetain.Get(c.Conf())
	if n.cfg.Logs != nil && retain >= 0 {
		c.After(max(0, since.Add(retain).Sub(c.Now())), removeLogs{app: app})
	}
}

// removeLogs removes an application's output, unless the application is here again.
func (n *ContainerManager) removeLogs(c *rpcenv.Context, m removeLogs) {
	if n.books.app(m.app) != nil { // its next end sets the timer again
		return
	}
	logs, app := n.cfg.Logs, m.app
	rpcenv.Run(c, "logs", func(b *rpcenv.Blocking) (struct{}, error) { return struct{}{}, logs.Remove(b, app) }, func(_ struct{}, err error) {
		if err != nil {
			c.Log().WithError(err).Errorf("Could not remove the output of %s", app)
		}
	})
}
