package invariant

import (
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// ordering is I7: messages in their order, orders after the handshake. A message that a fault reordered or doubled is not judged.
type ordering struct {
	*Monitor
	looked
	last       map[stream]int  // the place of the last message that was handled
	registered map[uint32]bool // Workers that handled RegisteredWorker
	ready      map[uint32]bool // executors whose LaunchedExecutor was handled
}

// stream is a sender and an endpoint: messages between them keep their order.
type stream struct {
	from, to uint32
	endpoint string
}

func newOrder(m *Monitor) *ordering {
	return &ordering{Monitor: m, last: map[stream]int{}, registered: map[uint32]bool{}, ready: map[uint32]bool{}}
}

func (c *ordering) see(r *tracepb.Record) {
	if m := c.past.messages[record.IDOf(r.GetId())]; m != nil && r.GetKind() == tracepb.Kind_HANDLED && r.GetStarted() != 0 {
		c.seeHandled(m, r)
	}
}

func (c *ordering) seeHandled(m *message, r *tracepb.Record) {
	at := c.past.name(r.GetEnv()) + "/" + r.GetEndpoint()
	// An answer belongs to its ask: only sends and asks have an order.
	if f := m.form; f == tracepb.Form_SEND || f == tracepb.Form_ASK {
		s := stream{m.from, r.GetEnv(), r.GetEndpoint()}
		c.judged[FIFO]++
		if c.last[s] > m.place && !m.moved {
			c.fail(FIFO, "%s handles a %s of %s after what was sent later", at, m.typ, c.past.name(m.from))
		}
		if !m.moved {
			c.last[s] = max(c.last[s], m.place)
		}
	}
	switch m.body.(type) {
	case *deploy.RegisteredWorker:
		c.registered[r.GetEnv()] = true
	case *app.LaunchedExecutor:
		c.ready[m.from] = true
	case *deploy.LaunchExecutor:
		if !c.registered[r.GetEnv()] {
			c.fail(FIFO, "%s gets the order to launch an executor before it is registered", at)
		}
	case *app.LaunchTask:
		if !c.ready[r.GetEnv()] && !m.moved {
			c.fail(FIFO, "%s is given a task before it said that it takes tasks (LaunchedExecutor)", at)
		}
	}
}
