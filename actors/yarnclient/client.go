package yarnclient

import (
	"errors"
	"fmt"
	"time"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// Client is the endpoint.
type Client struct {
	cfg     Config
	service rpcenv.Ref
	id      ids.Application // of the application; zero until it is known
	staging string          // the staging directory's URI; empty before it is made
	reports rpcenv.Timer
	polls   rpcenv.Timer
	proxy   rmproxy.Proxy
	handed  *yarn.SubmitApplicationRequest // the submission; nil: not sent yet
	began   time.Time                      // when polling began
	monitor monitor
	silent  time.Time // since when the ResourceManager does not answer; zero: it does
	asking  bool      // a report or a kill is on its way
	running bool      // the listener has got Running
	over    bool

	givenUp func() // answers a GiveUp that came while the files were being copied
}

// New makes a client, to be registered as [Name].
func New(cfg Config) *Client { return &Client{cfg: cfg} }

// OnStart finds the ResourceManager and begins. A Config that is not valid is the end.
func (e *Client) OnStart(c *rpcenv.Context) {
	if err := e.cfg.Validate(c.Conf()); err != nil {
		e.fail(c, err)
		return
	}
	rpcenv.Resolve(c, rpcenv.Ref{Address: e.cfg.ResourceManager, Name: ids.ClientRMService}.String(), func(service rpcenv.Ref, err error) {
		if err != nil {
			e.fail(c, fmt.Errorf("no ResourceManager answers at %s: %w: is it there, and is %s right?",
				e.cfg.ResourceManager, err, rmproxy.ResourceManagerAddress.Key()))
			return
		}
		e.service = service
		if !e.over { // GiveUp may have come meanwhile
			e.begin(c)
		}
	})
}

func (e *Client) begin(c *rpcenv.Context) {
	if e.cfg.Submit != nil {
		e.submit(c)
		return
	}
	e.id, _ = ids.ParseApplication(e.cfg.Kill + e.cfg.Status) // one of them, which was checked
	e.report(c)
}

// Receive is a callback of the endpoint. The ResourceManager only answers; it sends nothing by itself.
func (e *Client) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case GiveUp:
		e.giveUp(c, m)
	case Report:
		e.report(c)
	case rmproxy.Retry:
		e.proxy.Retry(c)
	case Poll:
		e.poll(c)
	default:
		c.Unsupported(m)
	}
}

// poll asks again whether the end is stored, or the submission accepted.
func (e *Client) poll(c *rpcenv.Context) {
	if e.cfg.Kill != "" {
		e.kill(c)
		return
	}
	e.report(c)
}

// beginPolling begins to ask more often, until the submission is accepted or the end stored.
func (e *Client) beginPolling(c *rpcenv.Context) {
	d := YARNPollInterval.Get(c.Conf())
	e.began = c.Now()
	e.polls = c.Every(d, d, Poll{})
}

// unknown is err, in words of the application when the ResourceManager does not know it.
func (e *Client) unknown(err error) error {
	if errors.Is(err, exceptions.ApplicationNotFound) {
		return fmt.Errorf("the ResourceManager at %s knows no application %s: it ended long ago, or another ResourceManager has it", e.cfg.ResourceManager, e.id)
	}
	return err
}

// interval is how often reports are asked for.
func (e *Client) interval(c *conf.Conf) time.Duration {
	if e.cfg.Submit.Mode == submit.Client && !e.running {
		return yarnClientLaunchMonitorInterval.Get(c)
	}
	return yarnReportInterval.Get(c)
}

// report asks for a report of the application, unless an answer is still to come.
func (e *Client) report(c *rpcenv.Context) {
	if e.asking {
		return
	}
	e.asking = true
	q := &yarn.GetApplicationReportRequest{ApplicationId: e.id.Proto()}
	then := func(r *yarn.GetApplicationReportResponse, err error) {
		e.asking = false
		switch {
		case e.over: // the end has been reported; nothing may follow it
		case err != nil:
			e.noReport(c, err)
		default:
			e.silent = time.Time{}
			e.reported(c, r.GetApplicationReport())
		}
	}
	if e.cfg.Submit == nil { // no next tick would ask again
		rmproxy.Ask(&e.proxy, c, e.service, q, then)
		return
	}
	rpcenv.Ask(c, e.service, q, then)
}

// noReport handles a report that did not come. While an application runs, a ResourceManager that is gone may come again.
func (e *Client) noReport(c *rpcenv.Context, err error) {
	switch {
	case e.cfg.Submit == nil:
		e.fail(c, e.unknown(err))
	case errors.Is(err, exceptions.ApplicationNotFound) && e.polls.Active():
		// The ResourceManager was restarted before it had stored the submission. It takes the same id again.
		c.Log().Infof("Re-submit application %s with the same ApplicationSubmissionContext", e.id)
		e.handInAgain(c)
	case errors.Is(err, exceptions.ApplicationNotFound):
		c.Log().Errorf("Application %s not found.", e.id)
		e.ended(c, yarn.YarnApplicationState_KILLED, yarn.FinalApplicationStatus_APP_KILLED, "")
	case rmproxy.Passing(err):
		if e.silent.IsZero() {
			e.silent = c.Now()
			c.Log().Warnf("The ResourceManager at %s does not answer; it is asked again: %v", e.cfg.ResourceManager, err)
		}
		// The next tick asks again. The patience is counted from the first failure, over all ticks.
		if rmproxy.MayRetry(c, e.silent, err) {
			return
		}
		fallthrough
	default:
		c.Log().Errorf("Failed to contact YARN for application %s: %v", e.id, err)
		e.staging = "" // the application may go on, and needs its files
		e.ended(c, yarn.YarnApplicationState_FAILED, yarn.FinalApplicationStatus_APP_FAILED, fmt.Sprintf("Failed to contact YARN for application %s: %v", e.id, err))
	}
}

// reported handles a report.
func (e *Client) reported(c *rpcenv.Context, r *yarn.ApplicationReport) {
	state := r.GetYarnApplicationState()
	if e.cfg.Status != "" {
		e.logReport(c, r, true)
		e.exit(c, "the state of the application is known")
		return
	}
	if e.cfg.Kill != "" {
		e.killReported(c, state)
		return
	}
	if e.polls.Active() {
		e.polled(c, r)
		return
	}
	show, changed := e.monitor.see(state, yarnReportLoggingFrequency.Get(c.Conf()))
	if show {
		e.logReport(c, r, changed)
	}
	switch {
	case over(state):
		e.ended(c, state, r.GetFinalApplicationStatus(), r.GetDiagnostics()+hint(r.GetDiagnostics(), e.cfg.Submit.User))
	case state == yarn.YarnApplicationState_RUNNING && !e.running && !e.cfg.Listener.IsZero():
		e.running = true
		c.Send(e.cfg.Listener, Running{})
		// From here on with the interval of an application that runs.
		c.Cancel(e.reports)
		e.watch(c)
	case e.fireAndForget(c.Conf()):
		e.exit(c, "the application was submitted")
	}
}

// fireAndForget reports whether the process does not wait for the application's end.
func (e *Client) fireAndForget(c *conf.Conf) bool {
	return e.cfg.Submit.Mode == submit.Cluster && !yarnSubmitWaitAppCompletion.Get(c)
}

// watch begins to ask for reports.
func (e *Client) watch(c *rpcenv.Context) {
	d := e.interval(c.Conf())
	e.reports = c.Every(d, d, Report{})
}

// ended is the end of an application that was submitted: the client removes its files and reports the end.
func (e *Client) ended(c *rpcenv.Context, state yarn.YarnApplicationState, final yarn.FinalApplicationStatus, diagnostics string) {
	e.stop(c)
	m := Ended{State: state, Final: final, Diagnostics: diagnostics}
	if e.id != (ids.Application{}) { // else it failed before the ResourceManager gave it one
		m.AppID = e.id.String()
	}
	// In this order: the report may end the process.
	e.clean(c, func() { e.reportEnd(c, m) })
}

// stop ends what the client does by itself: it asks for nothing and hands nothing in any more.
func (e *Client) stop(c *rpcenv.Context) {
	e.over = true
	c.Cancel(e.reports)
	c.Cancel(e.polls)
	e.proxy.Stop(c)
}

// reportEnd is the last thing that a client does with a submission: it reports to the listener, or ends the process.
func (e *Client) reportEnd(c *rpcenv.Context, m Ended) {
	if !e.cfg.Listener.IsZero() {
		c.Send(e.cfg.Listener, m)
		return
	}
	if err := m.Err(); err != nil {
		c.Log().Error(err.Error())
		c.Exit(1, err.Error())
		return
	}
	c.Exit(0, "the application has succeeded")
}

// fail is the end of a client that could not do its task.
func (e *Client) fail(c *rpcenv.Context, err error) {
	if e.over {
		return
	}
	if !e.cfg.Listener.IsZero() {
		e.ended(c, yarn.YarnApplicationState_FAILED, yarn.FinalApplicationStatus_APP_FAILED, err.Error())
		return
	}
	e.stop(c)
	c.Log().Error(err.Error())
	e.clean(c, func() { c.Exit(1, err.Error()) })
}

func (e *Client) exit(c *rpcenv.Context, reason string) {
	e.stop(c)
	c.Exit(0, reason)
}

// clean removes the staging directory, if it was made and is not to stay.
func (e *Client) clean(c *rpcenv.Context, then func()) {
	dir := e.staging
	if dir == "" || YARNPreserveStagingFiles.Get(c.Conf()) {
		then()
		return
	}
	files := e.cfg.Submit.Files
	rpcenv.Run(c, "staging", func(b *rpcenv.Blocking) (struct{}, error) { return struct{}{}, files.Remove(b, dir) }, func(_ struct{}, err error) {
		if err != nil {
			c.Log().WithError(err).Warnf("Failed to clean up the staging directory %s", dir)
		}
		then()
	})
}

// OnConnected is a callback of the endpoint.
func (e *Client) OnConnected(*rpcenv.Context, rpcenv.Address) {}

// OnDisconnected does nothing: the next report finds out whether the ResourceManager answers.
func (e *Client) OnDisconnected(*rpcenv.Context, rpcenv.Address) {}
