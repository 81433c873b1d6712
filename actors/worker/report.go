package worker

import (
	"errors"
	"slices"
	"time"

	"github.com/coherer/coherer/actors/compat"
	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// reports are the last reports about executors and drivers that the Master has not acknowledged, at most one for each: a
// newer one takes the place of the one before. The Worker sends them again each heartbeat period, and after a registration.
type reports struct {
	open []*report // in the order of their making
	seq  uint64
}

// report is the news of an executor or a driver.
type report struct {
	of    string // executor APP/ID or driver ID
	state string
	seq   uint64
	msg   rpcenv.Asks[*rpc.Bool]
	since time.Time // since when a connected Master has not acknowledged it
	under bool      // an ask is under way
}

// put makes the newest report about something.
func (r *reports) put(of, state string, m rpcenv.Asks[*rpc.Bool], now time.Time) *report {
	r.seq++
	p := &report{of: of, state: state, seq: r.seq, msg: m, since: now}
	r.open = append(slices.DeleteFunc(r.open, func(o *report) bool { return o.of == of }), p)
	return p
}

// find is the open report of that number; nil when it was acknowledged or a newer one took its place.
func (r *reports) find(seq uint64) *report {
	for _, p := range r.open {
		if p.seq == seq {
			return p
		}
	}
	return nil
}

func (r *reports) acknowledged(seq uint64) {
	r.open = slices.DeleteFunc(r.open, func(p *report) bool { return p.seq == seq })
}

// report sends the Master the state of an executor, until the Master acknowledges it.
func (w *Worker) report(c *rpcenv.Context, k key, s deploy.ExecutorState, message string, status *int32) {
	m := &deploy.ExecutorStateChanged{AppId: k.app, ExecId: &k.id, State: s, ExitStatus: status}
	if message != "" {
		m.Message = &message
	}
	w.reportToMaster(c, "executor "+k.String(), s.String(), m)
}

// reportToMaster sends a report if a Master is connected, and keeps it until one has acknowledged it.
func (w *Worker) reportToMaster(c *rpcenv.Context, of, state string, m rpcenv.Asks[*rpc.Bool]) {
	p := w.reports.put(of, state, m, c.Now())
	if w.reg.connected {
		w.sendReport(c, p)
	}
}

// sendReport asks the Master to take note of p. It mirrors Worker.syncExecutorStateWithMaster.
func (w *Worker) sendReport(c *rpcenv.Context, p *report) {
	p.under = true
	seq := p.seq
	// A lost report leaves the Master's books wrong for no longer than a heartbeat period.
	limit := min(heartbeatPeriod(c), rpcenv.RPCAskTimeout.Get(c.Conf()))
	rpcenv.Ask(c, w.reg.master, p.msg, func(_ *rpc.Bool, err error) {
		p := w.reports.find(seq)
		switch {
		case p == nil: // a newer report took its place: RUNNING must not be repeated behind EXITED
		case err == nil:
			w.reports.acknowledged(seq)
			w.checkShutdown()
		default:
			p.under = false
			w.reportFailed(c, p, err)
		}
	}, rpcenv.Timeout(membership.WorkerTimeout.Key(), limit))
}

// reportFailed repeats p, at once after a time-out, else a heartbeat period later. A Worker whose Master is connected
// but does not acknowledge for as long as Spark's attempts take ends with code 1: their books differ.
func (w *Worker) reportFailed(c *rpcenv.Context, p *report, err error) {
	patience := time.Duration(workerExecutorStateSyncMaxAttempts.Get(c.Conf())) * rpcenv.RPCAskTimeout.Get(c.Conf())
	switch {
	case compat.Has(c.Conf(), "SPARK-34245"): // for study: no repetition
		w.reports.acknowledged(p.seq)
	case !w.reg.connected: // repeated after the registration
	case c.Now().Sub(p.since) >= patience:
		c.Log().WithError(err).Errorf("Failed to send %s state %s to master for %s, worker is about to exit", p.of, p.state, patience)
		c.Exit(1, "the Master does not acknowledge the state of "+p.of)
	default:
		c.Log().WithError(err).Errorf("Failed to send %s state %s to master, will retry", p.of, p.state)
		if errors.Is(err, rpcenv.ErrUnreachableTimeout) { // the time-out was the pause
			w.sendReport(c, p)
			return
		}
		c.After(heartbeatPeriod(c), repeatReport{seq: p.seq})
	}
}

// repeatReport is the tick for a report that failed.
func (w *Worker) repeatReport(c *rpcenv.Context, m repeatReport) {
	if p := w.reports.find(m.seq); p != nil && !p.under && w.reg.connected {
		w.sendReport(c, p)
	}
}

// repeatReports sends again what no Master acknowledged before this registration.
func (w *Worker) repeatReports(c *rpcenv.Context) {
	for _, p := range w.reports.open {
		p.since = c.Now() // the patience of reportFailed is for a connected Master: it begins anew
		if !p.under {
			w.sendReport(c, p)
		}
	}
}

// shutdown ends all executors and drivers, and answers when the Master has acknowledged the last reports.
func (w *Worker) shutdown(c *rpcenv.Context, m Shutdown) {
	w.ending = true
	w.stopping = append(w.stopping, rpcenv.Defer(c, m))
	for _, x := range w.books.live {
		x.ending = !x.killed // one that the Master has killed stays KILLED, not FAILED
		x.kill()
	}
	w.killDrivers(c)
	w.checkShutdown()
}

// checkShutdown answers Shutdown, once everything has ended and no report is open. Without a connected Master reports are not
// waited for: none may come.
func (w *Worker) checkShutdown() {
	if len(w.books.live) > 0 || len(w.books.drivers) > 0 || w.reg.connected && len(w.reports.open) > 0 {
		return
	}
	for _, call := range w.stopping {
		call.Reply(&rpc.Bool{Value: true})
	}
	w.stopping = nil
}
