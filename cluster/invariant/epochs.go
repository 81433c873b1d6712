package invariant

import (
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// epochs is I13: nothing old changes anything new.
type epochs struct {
	*Monitor
	looked
	terms map[uint32]uint64 // the highest leadership whose message an Env handled
}

func newEpochs(m *Monitor) *epochs {
	return &epochs{Monitor: m, terms: map[uint32]uint64{}}
}

func (c *epochs) see(r *tracepb.Record) {
	switch r.GetKind() {
	case tracepb.Kind_HANDLED:
		if m := c.past.messages[record.IDOf(r.GetId())]; m != nil {
			c.terms[r.GetEnv()] = max(c.terms[r.GetEnv()], termOf(m.body))
		}
	case tracepb.Kind_STATE:
		c.changed(r)
	}
}

// changed: a message caused a change of state.
func (c *epochs) changed(r *tracepb.Record) {
	m := c.past.messages[record.IDOf(r.GetCause())]
	if m == nil || r.GetEndpoint() == "" || m.from == r.GetEnv() { // what an Env does to itself is never old
		return
	}
	c.judged[Epoch]++
	if term := termOf(m.body); term > 0 && term < c.terms[r.GetEnv()] {
		c.fail(Epoch, "%s of %s, of leadership %d, makes %s %s %s at %s, which has heard of leadership %d", m.typ,
			c.past.name(m.from), term, r.GetName(), r.GetSubject(), r.GetTo(), c.past.name(r.GetEnv()), c.terms[r.GetEnv()])
	}
	b, ok := m.body.(*deploy.ExecutorStateChanged)
	if !ok || r.GetName() != "executor" || r.GetEndpoint() != "Master" {
		return
	}
	// Only the Worker that got the order may report on the executor: another's report is about a process that was replaced.
	if o, known := c.past.orders[fullID(b.GetAppId(), int(b.GetExecId()))]; known && o.to != 0 && o.to != m.from {
		c.fail(Epoch, "%s reports %s as %s, which was ordered of %s, and %s believes it", c.past.name(m.from), r.GetSubject(),
			b.GetState(), c.past.name(o.to), c.past.name(r.GetEnv()))
	}
}

// termOf is the leadership that a message comes from; 0: the message has no such field.
func termOf(m proto.Message) uint64 {
	if t, ok := m.(interface{ GetMasterTerm() uint64 }); ok {
		return t.GetMasterTerm()
	}
	return 0
}
