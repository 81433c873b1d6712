package invariant

import (
	"strings"

	"github.com/coherer/coherer/messages/deploy"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// causes is I12: each end has a reason.
type causes struct {
	*Monitor
	looked
	reported map[string]string // executors whose end a Worker reported, and how
}

func newCauses(m *Monitor) *causes { return &causes{Monitor: m, reported: map[string]string{}} }

func (c *causes) see(r *tracepb.Record) {
	switch r.GetKind() {
	case tracepb.Kind_HANDLED, tracepb.Kind_ITEM:
		c.judged[TrueCause]++
		if strings.Contains(r.GetOutcome(), "panic") {
			c.fail(TrueCause, "%s/%s panics: %s", c.past.name(r.GetEnv()), r.GetEndpoint(), r.GetOutcome())
		}
		c.updated(r)
	case tracepb.Kind_STATE:
		c.state(r)
	}
}

// updated: a driver hears from the Master how an executor ended.
func (c *causes) updated(r *tracepb.Record) {
	m := c.past.messages[record.IDOf(r.GetId())]
	if m == nil || r.GetKind() != tracepb.Kind_HANDLED {
		return
	}
	u, ok := m.body.(*deploy.ExecutorUpdated)
	if !ok || !finished(u.GetState().String()) {
		return
	}
	c.judged[TrueCause]++
	if u.GetMessage() == "" && u.ExitStatus == nil {
		c.fail(TrueCause, "%s hears that executor %d is %s, and not why", c.past.name(r.GetEnv()), u.GetId(), u.GetState())
	}
	if app := c.past.apps[r.GetEnv()]; app != "" {
		c.reported[fullID(app, int(u.GetId()))] = u.GetMessage()
	}
}

func (c *causes) state(r *tracepb.Record) {
	switch {
	case r.GetName() == "application" && (r.GetTo() == "FAILED" || r.GetTo() == "KILLED"),
		r.GetName() == "executor" && r.GetEndpoint() != "" && finished(r.GetTo()):
		c.judged[TrueCause]++
		if r.GetWhy() == "" {
			c.fail(TrueCause, "%s/%s says that %s %s is %s, and not why", c.past.name(r.GetEnv()), r.GetEndpoint(), r.GetName(), r.GetSubject(), r.GetTo())
		}
	}
	if r.GetEndpoint() != "CoarseGrainedScheduler" || r.GetName() != "executor" || r.GetTo() != "LOST" {
		return
	}
	// The end of the connection and the Master's report race. When the report came first, it has the better reason.
	full := c.past.apps[r.GetEnv()] + "/" + r.GetSubject()
	if why, known := c.reported[full]; known && strings.Contains(r.GetWhy(), "disassociated") && !strings.Contains(why, "disassociated") {
		c.fail(TrueCause, "%s gives executor %s up as disassociated, though the Master reported: %s", c.past.name(r.GetEnv()), r.GetSubject(), why)
	}
}
