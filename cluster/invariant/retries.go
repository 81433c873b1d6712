package invariant

import (
	"time"

	"github.com/coherer/coherer/messages/deploy"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

const (
	// earlyEnd is how long an executor must run to have ended well enough.
	earlyEnd = time.Minute
	// Within retryWindow an application may have mostRetries early ends. Waits that grow with each failure keep it far below: so
	// many mean that each launch was counted anew.
	retryWindow = 5 * time.Minute
	mostRetries = 100
)

// retries is I9: early ends are bounded, and failures of some do not end an application whose others are healthy.
type retries struct {
	*Monitor
	looked
	running map[string]time.Time   // executors, since when
	ends    map[string][]time.Time // by application: early ends
	hosts   map[string]uint32      // executors: the Master that has them as RUNNING
}

func newRetries(m *Monitor) *retries {
	return &retries{Monitor: m, running: map[string]time.Time{}, ends: map[string][]time.Time{}, hosts: map[string]uint32{}}
}

func (c *retries) see(r *tracepb.Record) {
	switch {
	case r.GetKind() == tracepb.Kind_SENT:
		if b, ok := c.past.messages[record.IDOf(r.GetId())].body.(*deploy.LaunchExecutor); ok {
			c.ordered(b)
		}
	case r.GetKind() != tracepb.Kind_STATE || r.GetEndpoint() != "Master":
	case r.GetName() == "executor":
		c.executor(r)
	case r.GetName() == "application" && r.GetTo() == "FAILED":
		c.failed(r)
	}
}

// ordered: a Master launches an executor, though as many as allowed ended early before it.
func (c *retries) ordered(b *deploy.LaunchExecutor) {
	app := b.GetAppId()
	c.judged[BoundedRetry]++
	if c.lately(c.ends, app, retryWindow) == mostRetries { // exactly, so that one fault is reported once
		c.fail(BoundedRetry, "executor %d of %s is launched, after %d others of it ended early within %s",
			b.GetExecId(), app, mostRetries, retryWindow)
	}
}

// lately counts the times of an application that are not longer ago than within, and drops the others; 0 is no limit.
func (m *Monitor) lately(times map[string][]time.Time, of string, within time.Duration) int {
	all := times[of]
	for within > 0 && len(all) > 0 && m.past.now.Sub(all[0]) > within {
		all = all[1:]
	}
	times[of] = all
	return len(all)
}

func (c *retries) executor(r *tracepb.Record) {
	full := r.GetSubject()
	app, ok := appOf(full)
	switch {
	case !ok:
	case r.GetTo() == "RUNNING":
		c.hosts[full] = r.GetEnv()
		if _, ran := c.running[full]; !ran { // else another Master takes it over, under which it runs on
			c.running[full] = c.past.now
		}
	case finished(r.GetTo()):
		began, ran := c.running[full]
		delete(c.running, full)
		if early := !ran || c.past.now.Sub(began) < earlyEnd; early && (r.GetTo() == "EXITED" || r.GetTo() == "FAILED") {
			c.ends[app] = append(c.ends[app], c.past.now)
		}
	}
}

// failed: a Master gives an application up.
func (c *retries) failed(r *tracepb.Record) {
	c.judged[BoundedRetry]++
	for _, full := range sorted(c.running) {
		app, _ := appOf(full)
		if d := c.past.now.Sub(c.running[full]); app == r.GetSubject() && c.hosts[full] == r.GetEnv() && d >= earlyEnd {
			c.fail(BoundedRetry, "%s gives %s up (%s), whose executor %s has been RUNNING for %s",
				c.past.name(r.GetEnv()), app, r.GetWhy(), full, d)
		}
	}
}
