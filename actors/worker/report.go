package worker

import (
	"errors"
	"slices"
	"time"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// reports are the last words about executors that the Master has not acknowledged, at most one for each executor: a
// newer one takes the place of the one before. They are asked again each heartbeat period, and after a registration.
type reports struct {
	open []*report // in the order of their making
	seq  uint64
}

// report is one executor's news.
type report struct {
	key   key
	seq   uint64
	msg   *deploy.ExecutorStateChanged
	since time.Time // since when a connected Master has not acknowledged it
	under bool      // an ask is under way
}

// put makes the newest report about an executor.
func (r *reports) put(k key, m *deploy.ExecutorStateChanged, now time.Time) *report {
	r.seq++
	p := &report{key: k, seq: r.seq, msg: m, since: now}
	if i := slices.IndexFunc(r.open, func(o *report) bool { return o.key == k }); i >= 0 {
		r.open = slices.Delete(r.open, i, i+1)
	}
	r.open = append(r.open, p)
	return p
}

// find is the open report of that number; nil when it was acknowledged or a newer one took its place.
func (r *reports) find(k key, seq uint64) *report {
	for _, p := range r.open {
		if p.key == k && p.seq == seq {
			return p
		}
	}
	return nil
}

func (r *reports) acknowledged(p *report) {
	if i := slices.Index(r.open, p); i >= 0 {
		r.open = slices.Delete(r.open, i, i+1)
	}
}

// report tells the Master of an executor, until it acknowledges that.
func (w *Worker) report(c *rpcenv.Context, k key, s deploy.ExecutorState, message string, status *int32) {
	m := &deploy.ExecutorStateChanged{AppId: k.app, ExecId: &k.id, State: s, ExitStatus: status}
	if message != "" {
		m.Message = &message
	}
	p := w.reports.put(k, m, c.Now())
	if w.reg.connected {
		w.sendReport(c, p)
	}
}

// sendReport asks the Master to take note of p. It mirrors Worker.syncExecutorStateWithMaster.
func (w *Worker) sendReport(c *rpcenv.Context, p *report) {
	p.under = true
	k, seq := p.key, p.seq
	limit := min(heartbeatPeriod(c), conf.RPCAskTimeout.Get(c.Conf()))
	rpcenv.Ask(c, w.reg.master, p.msg, func(_ *rpc.Bool, err error) {
		p := w.reports.find(k, seq)
		switch {
		case p == nil:
		case err == nil:
			w.reports.acknowledged(p)
			w.checkShutdown()
		default:
			p.under = false
			w.reportFailed(c, p, err)
		}
	}, rpcenv.Timeout(conf.WorkerTimeout.Key(), limit))
}

// reportFailed repeats p, at once after a time-out, else a heartbeat period later. A Worker whose Master is connected
// but does not acknowledge for as long as Spark's attempts take ends with code 1: their books differ.
func (w *Worker) reportFailed(c *rpcenv.Context, p *report, err error) {
	patience := time.Duration(conf.WorkerExecutorStateSyncMaxAttempts.Get(c.Conf())) * conf.RPCAskTimeout.Get(c.Conf())
	switch {
	case !w.reg.connected: // repeated after the registration
	case c.Now().Sub(p.since) >= patience:
		c.Log().WithError(err).Errorf("Failed to send executor %s state %s to master for %s, worker is about to exit",
			p.key, p.msg.GetState(), patience)
		c.Exit(1, "the Master does not acknowledge the state of executor "+p.key.String())
	default:
		c.Log().WithError(err).Errorf("Failed to send executor %s state %s to master, will retry", p.key, p.msg.GetState())
		if errors.Is(err, rpcenv.ErrUnreachableTimeout) {
			w.sendReport(c, p)
			return
		}
		c.After(heartbeatPeriod(c), repeatReport{key: p.key, seq: p.seq})
	}
}

// repeatReport is the tick for a report that failed.
func (w *Worker) repeatReport(c *rpcenv.Context, m repeatReport) {
	if p := w.reports.find(m.key, m.seq); p != nil && !p.under && w.reg.connected {
		w.sendReport(c, p)
	}
}

// repeatReports sends again what no Master acknowledged before this registration.
func (w *Worker) repeatReports(c *rpcenv.Context) {
	for _, p := range w.reports.open {
		p.since = c.Now()
		if !p.under {
			w.sendReport(c, p)
		}
	}
}

// shutdown ends all executors, and answers when their last words were heard.
func (w *Worker) shutdown(c *rpcenv.Context, m Shutdown) {
	w.stopping = append(w.stopping, rpcenv.Defer(c, m))
	for _, x := range w.books.live {
		x.kill()
	}
	w.checkShutdown()
}

// checkShutdown answers who waits for a shutdown, once nothing is left to end or to be heard.
func (w *Worker) checkShutdown() {
	if len(w.books.live) > 0 || w.reg.connected && len(w.reports.open) > 0 {
		return
	}
	for _, call := range w.stopping {
		call.Reply(&rpc.Bool{Value: true})
	}
	w.stopping = nil
}
