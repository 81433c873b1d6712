package driverclient

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// Name is what the endpoint is called.
const Name = "client"

const (
	// failed is Spark's exit code -1, as the parent of the process sees it.
	failed = 255
	// firstReport is when the driver's state is asked for first, reports how often then.
	firstReport = 5 * time.Second
	reports     = 10 * time.Second
	// leaderTries bounds how often the client asks Masters none of which leads.
	leaderTries = 6
	// notAlive begins the answer of a Master that does not lead. It mirrors Utils.BACKUP_STANDALONE_MASTER_PREFIX.
	notAlive = "Current state is not alive"
	noLeader = "None of the Masters leads: try again later, or look at their logs."
)

// Client is the endpoint. It mirrors org.apache.spark.deploy.ClientEndpoint.
type Client struct {
	cfg  Config
	refs map[rpcenv.Address]rpcenv.Ref // Masters that were found
	lost []rpcenv.Address              // Masters
	over bool                          // it has failed: nothing is handled after this callback

	asked   int             // Masters that were asked to submit or to kill and have not answered
	tries   int             // of the submission
	unknown []string        // why a Master may have taken the submission though it did not say so
	id      string          // of the driver; empty until it was submitted
	unsaid  int             // ticks at which a client that does not wait had no answer
	logged  map[string]bool // the drivers whose state the log has
}

// ReportDriverStatus is the tick at which the client asks for the driver's state.
type ReportDriverStatus struct{ rpcenv.Local }

// New makes a client, to be registered as [Name].
func New(cfg Config) *Client {
	return &Client{cfg: cfg, refs: map[rpcenv.Address]rpcenv.Ref{}, logged: map[string]bool{}}
}

// OnStart asks all Masters. A Config that is not valid ends the process.
func (e *Client) OnStart(c *rpcenv.Context) {
	if err := e.cfg.Validate(); err != nil {
		e.fail(c, err.Error())
		return
	}
	first := firstReport
	switch {
	case e.cfg.Status != "":
		e.id, first = e.cfg.Status, 0
	default:
		e.request(c)
	}
	c.Every(first, reports, ReportDriverStatus{})
}

// Receive understands its tick: the Masters answer, they do not call.
func (e *Client) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case ReportDriverStatus:
		e.reportDriverStatus(c)
	default:
		c.Unsupported(m)
	}
}

// OnConnected does nothing.
func (e *Client) OnConnected(*rpcenv.Context, rpcenv.Address) {}

// OnDisconnected counts a Master as lost.
func (e *Client) OnDisconnected(c *rpcenv.Context, peer rpcenv.Address) { e.lose(c, peer, nil) }

// OnNetworkError counts a Master as lost.
func (e *Client) OnNetworkError(c *rpcenv.Context, err error, peer rpcenv.Address) {
	e.lose(c, peer, err)
}

// lose logs once that a Master is gone, with the cause if it is known, and ends the process when no Master is left.
func (e *Client) lose(c *rpcenv.Context, peer rpcenv.Address, cause error) {
	if !slices.Contains(e.cfg.Masters, peer) || slices.Contains(e.lost, peer) {
		return
	}
	e.lost = append(e.lost, peer)
	log := c.Log()
	if cause != nil {
		log = log.WithError(cause)
	}
	log.Errorf("Error connecting to master %s.", peer)
	if len(e.lost) == len(e.cfg.Masters) {
		e.fail(c, "No master is available, exiting.")
	}
}

func (e *Client) fail(c *rpcenv.Context, reason string) {
	e.over = true
	c.Log().Error(reason)
	c.Exit(failed, reason)
}

// each calls then with every Master that can be found: they are looked up once.
func (e *Client) each(c *rpcenv.Context, then func(master rpcenv.Ref)) {
	for _, a := range e.cfg.Masters {
		if slices.Contains(e.lost, a) {
			continue
		}
		if master, found := e.refs[a]; found {
			then(master)
			continue
		}
		e.asked++ // a look-up counts as open too: else considered could give up before the last Master was asked
		rpcenv.Resolve(c, rpcenv.Ref{Address: a, Name: ids.Master}.String(), func(master rpcenv.Ref, err error) {
			e.asked--
			if err != nil {
				e.lose(c, a, err)
				e.considered(c)
				return
			}
			e.refs[a] = master
			then(master)
		})
	}
}

// request asks every Master to submit or to kill the driver.
func (e *Client) request(c *rpcenv.Context) {
	e.tries++
	e.each(c, func(master rpcenv.Ref) {
		e.asked++
		if e.cfg.Launch != nil {
			rpcenv.Ask(c, master, &deploy.RequestSubmitDriver{DriverDescription: e.cfg.Launch}, func(r *deploy.SubmitDriverResponse, err error) {
				e.answered(c, master, r.GetSuccess(), r.GetDriverId(), r.GetMessage(), err)
			})
			return
		}
		rpcenv.Ask(c, master, &deploy.RequestKillDriver{DriverId: e.cfg.Kill}, func(r *deploy.KillDriverResponse, err error) {
			e.answered(c, master, r.GetSuccess(), r.GetDriverId(), r.GetMessage(), err)
		})
	})
}

// answered is a Master's answer to a request.
func (e *Client) answered(c *rpcenv.Context, master rpcenv.Ref, success bool, id, message string, err error) {
	e.asked--
	switch {
	case err != nil:
		c.Log().WithError(err).Warnf("Error sending messages to master %s", master.Address)
		e.unknown = append(e.unknown, fmt.Sprintf("%s: %v", master.Address, err))
	case success && id != "":
		c.Log().Info(message)
		e.id = id
		c.Log().Infof("... waiting before polling master for driver state")
	case strings.HasPrefix(message, notAlive):
		// The next tick asks again.
	default:
		e.fail(c, message)
	}
	e.considered(c)
}

// considered gives up when all Masters were asked and the request has come to nothing.
func (e *Client) considered(c *rpcenv.Context) {
	switch {
	case e.over || e.asked > 0 || e.id != "":
	case len(e.unknown) > 0:
		e.fail(c, "The Masters did not answer; the request may have been taken nevertheless: "+strings.Join(e.unknown, "; "))
	case e.tries >= leaderTries:
		e.fail(c, noLeader)
	}
}

// reportDriverStatus asks every Master for the driver's state. While none leads the request is repeated.
func (e *Client) reportDriverStatus(c *rpcenv.Context) {
	if e.id == "" {
		if e.asked == 0 { // else a Master may still take the submission: a second one would run the driver twice
			e.request(c)
		}
		return
	}
	if e.unsaid++; e.unsaid > leaderTries && !e.waits(c) {
		e.fail(c, noLeader)
		return
	}
	id := e.id
	e.each(c, func(master rpcenv.Ref) {
		rpcenv.Ask(c, master, &deploy.RequestDriverStatus{DriverId: id}, func(r *deploy.DriverStatusResponse, err error) {
			switch {
			case id != e.id: // late: another answer has led on to the driver that runs in its place
			case err != nil:
				c.Log().WithError(err).Warnf("Error sending messages to master %s", master.Address)
			default:
				e.driverStatus(c, r)
			}
		})
	})
}

// driverStatus logs the driver's state, once, and decides whether the process ends.
func (e *Client) driverStatus(c *rpcenv.Context, r *deploy.DriverStatusResponse) {
	if !r.GetFound() {
		switch text := r.GetException(); {
		case strings.HasPrefix(text, notAlive): // the one that leads answers too, or the next tick asks again
		case text != "":
			e.fail(c, text)
		default:
			e.fail(c, fmt.Sprintf("Driver %s does not exist, or has ended long ago.", e.id))
		}
		return
	}
	e.logState(c, r)
	if next := r.GetRelaunchedAs(); next != "" { // RELAUNCHING is no end: with waitAppCompletion the next tick asks for the new id
		e.id = next
	}
	switch {
	case r.Exception != nil:
		c.Exit(failed, "the driver's exception")
	case master.DriverOver(r.GetState()) || !e.waits(c):
		c.Exit(0, "the state of the driver is known")
	}
}

// waits reports whether the process waits for the driver's end.
func (e *Client) waits(c *rpcenv.Context) bool {
	return e.cfg.Launch != nil && submitWaitAppCompletion.Get(c.Conf())
}

// logState writes the driver's state into the log, in Spark's words: once, and again when it has ended.
func (e *Client) logState(c *rpcenv.Context, r *deploy.DriverStatusResponse) {
	key := e.id
	if master.DriverOver(r.GetState()) {
		key += r.GetState().String()
	}
	if e.logged[key] {
		return
	}
	e.logged[key] = true
	c.Log().Infof("State of %s is %s", e.id, r.GetState())
	switch {
	case r.GetState() == deploy.DriverState_RUNNING:
		c.Log().Infof("Driver running on %s (%s)", r.GetWorkerHostPort(), r.GetWorkerId())
	case r.RelaunchedAs != nil:
		c.Log().Infof("It was relaunched as %s", r.GetRelaunchedAs())
	case r.ExitStatus != nil:
		text := fmt.Sprintf("Its process exited with code %d", r.GetExitStatus())
		if words := r.GetLastWords(); words != "" {
			text += ": " + words
		}
		c.Log().Info(text)
	}
	for _, why := range r.GetRefused() {
		c.Log().Infof("It waits: %s", why)
	}
	if r.Exception != nil {
		c.Log().Errorf("Exception from cluster was: %s", r.GetException())
	}
}
