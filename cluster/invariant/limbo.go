package invariant

import (
	"strconv"
	"strings"
	"time"

	"github.com/coherer/coherer/actors/applicationmaster"
	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/nodemanager"
	tracepb "github.com/coherer/coherer/messages/trace"
)

// limbo is I3: states of passage pass.
type limbo struct {
	*Monitor
	in map[string]passage // of ENV ENDPOINT KIND SUBJECT
}

// passage is a state that something is in, since when, and for how long it may be.
type passage struct {
	state string
	since time.Time
	limit time.Duration
}

func newLimbo(m *Monitor) *limbo { return &limbo{m, map[string]passage{}} }

// deadline is how long something may be in a state; 0: for ever, it is no state of passage.
func (c *limbo) deadline(endpoint, kind, state string) time.Duration {
	y := c.cfg.YARN
	switch endpoint {
	case "Master":
		return c.masters(state)
	case ids.ClientRMService:
		return y.waits(state)
	case ids.Scheduler:
		if kind == "container" && (state == "ALLOCATED" || state == "ACQUIRED") { // it waits for its ApplicationMaster
			return y.lostMaster()
		}
	case nodemanager.Name:
		return y.passes(state)
	case applicationmaster.Name:
		if kind == "container" && state == "LAUNCHING" {
			return y.lost()
		}
	case driver.Name:
		if kind == "executor" && state == "LOSS_PENDING" { // the ApplicationMaster waits for the end of its container
			return y.lost() + y.Call
		}
	}
	return 0
}

// masters is how long something of a Master's may be in a state.
func (c *limbo) masters(state string) time.Duration {
	switch state {
	case "UNKNOWN", "RECOVERING", "COMPLETING_RECOVERY":
		return c.cfg.RecoveryTimeout + c.heartbeat()
	case "LAUNCHING", "RELAUNCHING":
		return 2*c.cfg.WorkerTimeout + c.heartbeat()
	}
	return 0
}

// waits is how long an application or an attempt may be in a state: a state that waits for a record passes within a heartbeat, and
// one that waits for an ApplicationMaster when that is given up. An application that waits for room may wait.
func (y YARN) waits(state string) time.Duration {
	switch state {
	case "NEW", "NEW_SAVING", "SUBMITTED", "ALLOCATED_SAVING", "FINAL_SAVING":
		return y.Heartbeat
	case "ALLOCATED", "LAUNCHED", "FINISHING", "KILLING":
		return y.lostMaster()
	}
	return 0
}

// passes is how long a container or an application of a node may be in a state.
func (y YARN) passes(state string) time.Duration {
	switch state {
	case "RUNNING", "DONE", "FINISHED":
		return 0
	}
	return y.ended()
}

func (c *limbo) see(r *tracepb.Record) {
	if r.GetKind() != tracepb.Kind_STATE {
		return
	}
	limit := c.deadline(r.GetEndpoint(), r.GetName(), r.GetTo())
	what := strconv.Itoa(int(r.GetEnv())) + " " + r.GetEndpoint() + " " + r.GetName() + " " + r.GetSubject()
	delete(c.in, what)
	if limit > 0 {
		c.judged[NoLimbo]++
		c.in[what] = passage{r.GetTo(), c.past.now, limit}
	}
}

func (c *limbo) look(s *Snapshot) {
	for _, what := range sorted(c.in) {
		num, rest, _ := strings.Cut(what, " ")
		_, name, _ := strings.Cut(rest, " ")
		env, _ := strconv.Atoi(num)
		if c.past.gone(uint32(env)) { // its states ended with it, without a record
			delete(c.in, what)
			continue
		}
		if p := c.in[what]; min(s.Now.Sub(p.since), s.Quiet) > p.limit {
			c.fail(NoLimbo, "%s: %s has been %s for longer than %s", c.past.name(uint32(env)), name, p.state, p.limit)
		}
	}
}
