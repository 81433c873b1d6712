package invariant

import (
	"strconv"
	"strings"
	"time"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// limbo is I3: states of passage pass.
type limbo struct {
	*Monitor
	in    map[string]string    // the state of ENV KIND SUBJECT
	since map[string]time.Time // and since when
}

func newLimbo(m *Monitor) *limbo {
	return &limbo{m, map[string]string{}, map[string]time.Time{}}
}

// deadline is how long a state of passage may last; 0: it is none.
func (c *limbo) deadline(state string) time.Duration {
	switch state {
	case "UNKNOWN", "RECOVERING", "COMPLETING_RECOVERY":
		return c.cfg.RecoveryTimeout + c.heartbeat()
	case "LAUNCHING", "RELAUNCHING":
		return 2*c.cfg.WorkerTimeout + c.heartbeat()
	}
	return 0
}

func (c *limbo) see(r *tracepb.Record) {
	if r.GetKind() != tracepb.Kind_STATE || r.GetEndpoint() != "Master" {
		return
	}
	what := strconv.Itoa(int(r.GetEnv())) + " " + r.GetName() + " " + r.GetSubject()
	delete(c.in, what)
	if c.deadline(r.GetTo()) > 0 {
		c.judged[NoLimbo]++
		c.in[what], c.since[what] = r.GetTo(), c.past.now
	}
}

func (c *limbo) look(s *Snapshot) {
	for _, what := range sorted(c.in) {
		num, name, _ := strings.Cut(what, " ")
		env, _ := strconv.Atoi(num)
		if c.past.gone(uint32(env)) {
			delete(c.in, what)
			continue
		}
		state, d := c.in[what], s.Now.Sub(c.since[what])
		if limit := c.deadline(state); min(d, s.Quiet) > limit {
			c.fail(NoLimbo, "%s: %s has been %s for longer than %s", c.past.name(uint32(env)), name, state, limit)
		}
	}
}
