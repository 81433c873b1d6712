package invariant

import (
	"fmt"
	"strings"
	"time"

	"github.com/coherer/coherer/actors/applicationmaster"
	"github.com/coherer/coherer/actors/applicationmaster/allocator"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/app"
	tracepb "github.com/coherer/coherer/messages/trace"
)

// askWait is how long a driver may wait until its ApplicationMaster answers how many executors it wants.
const askWait = 10 * time.Second

// asks is I11, from what ApplicationMasters say of themselves; and I10 for their drivers.
type asks struct {
	*Monitor
	looked
	// changed are applications of which a target changed, or an attempt registered again: an absolute count that crosses
	// containers on their way then asks for those once more, and nobody can know.
	changed map[string]bool
	began   map[string]bool // attempts that have registered
}

func newAsks(m *Monitor) *asks {
	return &asks{Monitor: m, changed: map[string]bool{}, began: map[string]bool{}}
}

func (c *asks) see(r *tracepb.Record) {
	switch {
	case r.GetKind() == tracepb.Kind_SENT:
		c.answer(c.past.messages[keyOf(r.GetId())])
	case r.GetKind() != tracepb.Kind_STATE || r.GetEndpoint() != applicationmaster.Name:
	case r.GetName() == "asks":
		c.balance(r)
	case r.GetName() == "application master" && r.GetTo() == "REGISTERED":
		c.registered(r.GetSubject())
	case r.GetName() == "container" && r.GetTo() == "RELEASED":
		c.released(r.GetSubject(), r.GetWhy())
	}
}

// answer: a driver does not wait for the ResourceManager.
func (c *asks) answer(m *message) {
	if m == nil || m.endpoint != applicationmaster.Name || m.form != tracepb.Form_REPLY {
		return
	}
	q := c.past.question(m)
	if q == nil {
		return
	}
	if _, ok := q.body.(*app.RequestExecutors); !ok {
		return
	}
	c.judged[NoBlock]++
	if d := c.past.now.Sub(q.at); d >= askWait {
		c.fail(NoBlock, "%s waits %s until its ApplicationMaster answers how many executors are wanted", c.past.name(q.from), d.Round(time.Second))
	}
}

// balance is what an ApplicationMaster says when it has brought its requests in line with its targets.
func (c *asks) balance(r *tracepb.Record) {
	targets := func(text string) (out []int) {
		for line := range strings.SplitSeq(text, "; ") {
			var profile, target, pending, running, starting int
			if _, err := fmt.Sscanf(line, applicationmaster.BalanceText, &profile, &target, &pending, &running, &starting); err != nil {
				continue
			}
			out = append(out, target)
			if text == r.GetFrom() {
				continue
			}
			c.judged[AskBalance]++
			if want := max(0, target-running-starting); pending != want {
				c.fail(AskBalance, "%s asks for %d containers of profile %d, and wants %d executors of which %d run and %d start",
					r.GetSubject(), pending, profile, target, running, starting)
			}
		}
		return out
	}
	before, now := targets(r.GetFrom()), targets(r.GetTo())
	if len(before) > 0 && fmt.Sprint(before) != fmt.Sprint(now) {
		c.changed[r.GetSubject()] = true
	}
}

// registered: what an attempt asked of a ResourceManager before its restart may cross its asks.
func (c *asks) registered(attempt string) {
	a, err := ids.ParseAttempt(attempt)
	if err != nil {
		return
	}
	if c.began[attempt] {
		c.changed[a.App.String()] = true
	}
	c.began[attempt] = true
}

// released: a container that nobody asked for was given.
func (c *asks) released(container, why string) {
	id, err := ids.ParseContainer(container)
	if err != nil || why != allocator.NotAskedFor {
		return
	}
	of := id.Attempt.App.String()
	if c.changed[of] {
		return
	}
	c.judged[AskBalance]++
	c.fail(AskBalance, "%s is given %s, which it did not ask for", of, container)
}
