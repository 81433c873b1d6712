package invariant

import (
	"time"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// growth is I4 as well: an executor without a size of its own gets all cores that its application may have and that no
// other executor of it could use later (SPARK-9731). The Workers' cores are known from their registrations.
type growth struct {
	*Monitor
	workers map[string]*grown // by address
	maxima  map[string]int    // cores that an application may have, if it sets a limit
	place   int               // of the record that is seen
	at      time.Time
	fresh   map[string]decision // executors that were ordered at this moment
	ended   map[string]decision // executors, and where a Master knew it
	// decided are executors whose orders wait for a connection: they count for the Master that decided.
	decided map[string]decision
}

// decision is where a Master decided on an executor: the record, and the message that it handled.
type decision struct {
	master uint32
	place  int
	cause  record.ID
}

// grown is a Worker.
type grown struct{ cores, memory int }

func newGrowth(m *Monitor) *growth {
	return &growth{
		Monitor: m, workers: map[string]*grown{}, maxima: map[string]int{}, fresh: map[string]decision{}, ended: map[string]decision{},
		decided: map[string]decision{},
	}
}

func (c *growth) see(r *tracepb.Record) {
	c.place++
	// A Master orders all executors of one decision at one moment: they are judged together, when it is over.
	if c.past.now.After(c.at) {
		c.judge()
		c.at = c.past.now
	}
	switch r.GetKind() {
	case tracepb.Kind_STATE:
		if r.GetName() == "executor" && r.GetEndpoint() == "Master" {
			c.seeExecutor(r)
		}
	case tracepb.Kind_SENT:
		c.seeSent(c.past.messages[record.IDOf(r.GetId())])
	}
}

// seeExecutor takes a Master's record of an executor's state.
func (c *growth) seeExecutor(r *tracepb.Record) {
	switch {
	case r.GetFrom() == "" && r.GetTo() == "LAUNCHING" && r.GetWhy() != master.Recovered:
		c.decided[r.GetSubject()] = decision{r.GetEnv(), c.place, record.IDOf(r.GetCause())}
	case finished(r.GetTo()):
		delete(c.decided, r.GetSubject())
		c.end(r.GetSubject(), r.GetEnv(), record.IDOf(r.GetCause()))
	}
}

// waits reports whether an order for an application was decided and not yet sent.
func (c *growth) waits(app string) bool {
	for full, by := range c.decided {
		if of, _ := appOf(full); of == app && !c.past.gone(by.master) {
			return true
		}
	}
	return false
}

// end notes that a Master knows of the end of an executor: it traces it, or acknowledges the report of one that it does not
// count. A Worker's own record proves nothing: no Master may have heard of it.
func (c *growth) end(executor string, master uint32, cause record.ID) {
	if _, ok := c.ended[executor]; !ok {
		c.ended[executor] = decision{master, c.place, cause}
	}
}

// knew reports whether the end of an executor was known to a Master that decided: it came before, or is of the same handler,
// which could have looked at it first. The time does not decide: in one moment a Master can hear of an end, decide, and hear of
// another end.
func (c *growth) knew(by decision, executor string) bool {
	end, ok := c.ended[executor]
	return ok && (end.place < by.place || end.master == by.master && end.cause == by.cause && by.cause != record.ID{})
}

func (c *growth) look(*Snapshot) { c.judge() }

func (c *growth) seeSent(m *message) {
	if q := c.past.messages[m.cause]; q != nil && m.form == tracepb.Form_REPLY {
		if b, ok := q.body.(*deploy.ExecutorStateChanged); ok && finished(b.GetState().String()) {
			c.end(fullID(b.GetAppId(), int(b.GetExecId())), m.from, m.cause)
		}
		return
	}
	switch b := m.body.(type) {
	case *deploy.RegisteredWorker:
		if q := c.past.question(m); q != nil {
			if w, ok := q.body.(*deploy.RegisterWorker); ok {
				c.workers[m.address] = &grown{int(w.GetCores()), int(w.GetMemory())}
			}
		}
	case *deploy.RegisteredApplication:
		if q := c.past.question(m); q != nil {
			if a, ok := q.body.(*deploy.RegisterApplication); ok && a.GetAppDescription() != nil && a.GetAppDescription().MaxCores != nil {
				c.maxima[b.GetAppId()] = int(a.GetAppDescription().GetMaxCores())
			}
		}
	case *deploy.LaunchExecutor:
		full := fullID(b.GetAppId(), int(b.GetExecId()))
		// An order that waited for its connection counts from when it was decided.
		c.fresh[full] = decision{m.from, c.place, m.cause}
		if by, ok := c.decided[full]; ok {
			c.fresh[full] = by
		}
		delete(c.ended, full)
		delete(c.decided, full)
	}
}

// judge looks at the orders of one moment, when that is over.
func (c *growth) judge() {
	fresh := c.fresh
	c.fresh = map[string]decision{}
	for _, full := range sorted(fresh) {
		o := c.past.orders[full]
		want, most := c.past.wants[o.app], c.maxima[o.app]
		w := c.workers[o.worker]
		_, over := c.ended[full]
		// Not judged: executors with a size of their own or needs that are not known here, applications without a limit, and while
		// an order is under way, which will take cores that seem free.
		if want == nil || want.cores > 0 || want.other || most == 0 || w == nil || over || c.waits(o.app) {
			continue
		}
		c.judged[Progress]++
		// What was free when the Master decided: the Worker's cores without those of executors whose end it did not know.
		cores, memory, own := w.cores, w.memory, most
		for other, x := range c.past.orders {
			// An executor of a Master that is gone may live on, counted by the next Master.
			if c.knew(fresh[full], other) || x.at.After(o.at) {
				continue
			}
			if x.worker == o.worker {
				cores, memory = cores-x.cores, memory-x.memory
			}
			if x.app == o.app {
				own -= x.cores
			}
		}
		if cores > 0 && own > 0 && memory < want.memory {
			c.fail(Progress, "%s gets %d cores on the Worker at %s, where %d more are free that %s wants and no other executor of it can use",
				full, o.cores, o.worker, cores, o.app)
		}
	}
}
