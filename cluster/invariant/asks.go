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
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// askWait is how long a driver may wait until its ApplicationMaster answers how many executors it wants.
const askWait = 10 * time.Second

// asks is I11, from what ApplicationMasters trace of their books; and I10 for their drivers.
type asks struct {
	*Monitor
	looked
}

func newAsks(m *Monitor) *asks { return &asks{Monitor: m} }

func (c *asks) see(r *tracepb.Record) {
	switch {
	case r.GetKind() == tracepb.Kind_SENT:
		c.answer(c.past.messages[record.IDOf(r.GetId())])
	case r.GetKind() != tracepb.Kind_STATE || r.GetEndpoint() != applicationmaster.Name:
	case r.GetName() == "asks":
		c.balance(r)
	case r.GetName() == "container" && r.GetFrom() == "" && (r.GetTo() == "LAUNCHING" || r.GetTo() == "RELEASED"):
		c.given(r.GetSubject(), r.GetWhy())
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

// balance checks what an ApplicationMaster traces when it has brought its requests in line with its targets.
func (c *asks) balance(r *tracepb.Record) {
	for line := range strings.SplitSeq(r.GetTo(), "; ") {
		var profile, target, pending, running, starting int
		if _, err := fmt.Sscanf(line, applicationmaster.BalanceText, &profile, &target, &pending, &running, &starting); err != nil {
			continue
		}
		c.judged[AskBalance]++
		if want := max(0, target-running-starting); pending != want {
			c.fail(AskBalance, "%s asks for %d containers of profile %d, and wants %d executors of which %d run and %d start",
				r.GetSubject(), pending, profile, target, running, starting)
		}
	}
}

// given: a container is given, which starts an executor, or is given back at once.
func (c *asks) given(container, why string) {
	id, err := ids.ParseContainer(container)
	if err != nil {
		return
	}
	c.judged[AskBalance]++
	// The ResourceManager may give what was asked for a moment ago; only what never was is a fault.
	if why == allocator.NotAskedFor {
		c.fail(AskBalance, "%s is given %s, which it did not ask for", id.Attempt.App, container)
	}
}
