package invariant

import (
	"strings"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// registrations is I8: an identity that was accepted once is accepted again; and of I13 that an executor's id names one process.
type registrations struct {
	*Monitor
	looked
	workers   map[identity]bool    // accepted
	apps      map[[2]uint32]string // by Master and driver: the id that holds
	executors map[identity]uint32  // by the executor: the driver that accepted it
	processes map[identity]uint32  // by the driver: the process that it accepted
	nodes     map[[2]string]bool   // by ResourceManager and address: accepted
	masters   map[identity]bool    // attempts that a ResourceManager accepted
	over      map[string]bool      // attempts
}

// identity is a name and whose it is.
type identity struct {
	env uint32
	id  string
}

func newRegistrations(m *Monitor) *registrations {
	return &registrations{
		Monitor: m, workers: map[identity]bool{}, apps: map[[2]uint32]string{}, executors: map[identity]uint32{},
		processes: map[identity]uint32{},
		nodes:     map[[2]string]bool{}, masters: map[identity]bool{}, over: map[string]bool{},
	}
}

func (c *registrations) see(r *tracepb.Record) {
	if r.GetKind() == tracepb.Kind_STATE && r.GetName() == "attempt" && r.GetEndpoint() == ids.ClientRMService {
		c.attempt(r)
	}
	if r.GetKind() != tracepb.Kind_SENT {
		return
	}
	m := c.past.messages[record.IDOf(r.GetId())]
	q := c.past.question(m)
	if u, ok := m.body.(*deploy.UnregisterApplication); ok {
		c.unregistered(m, u)
	}
	switch m.typ { // an answer has the type of its question
	case "RegisterNodeManagerRequest":
		c.node(m)
	case "RegisterApplicationMasterRequest":
		c.applicationMaster(m, q)
	}
	if q == nil {
		return
	}
	switch b := q.body.(type) {
	case *deploy.RegisterWorker:
		c.worker(m, identity{q.from, b.GetId()})
	case *deploy.RegisterApplication:
		c.application(m, q)
	case *app.RegisterExecutor:
		c.executor(m, identity{q.from, b.GetExecutorId()})
	}
}

func (c *registrations) worker(m *message, as identity) {
	switch b := m.body.(type) {
	case *deploy.RegisteredWorker:
		c.judged[IdempotentRegister]++
		c.workers[as] = true
	case *deploy.RegisterWorkerFailed:
		c.judged[IdempotentRegister]++
		if c.workers[as] {
			c.fail(IdempotentRegister, "%s refuses Worker %s, which was accepted before: %s", c.past.name(m.from), as.id, b.GetMessage())
		}
	}
}

func (c *registrations) application(m, q *message) {
	b, ok := m.body.(*deploy.RegisteredApplication)
	if !ok {
		return
	}
	c.judged[IdempotentRegister]++
	k := [2]uint32{m.from, q.from}
	if id := c.apps[k]; id != "" && id != b.GetAppId() {
		c.fail(IdempotentRegister, "%s gives %s the id %s, and had given it %s before", c.past.name(m.from), c.past.name(q.from), b.GetAppId(), id)
	}
	c.apps[k] = b.GetAppId()
}

// unregistered: a driver that ends its application may register another.
func (c *registrations) unregistered(m *message, u *deploy.UnregisterApplication) {
	for k, id := range c.apps {
		if k[1] == m.from && id == u.GetAppId() {
			delete(c.apps, k)
		}
	}
}

func (c *registrations) executor(m *message, as identity) {
	switch {
	case m.form == tracepb.Form_REPLY:
		c.judged[IdempotentRegister]++
		c.executors[as] = m.from
		c.second(identity{m.from, as.id}, as.env)
	case m.form == tracepb.Form_FAIL && c.executors[as] == m.from:
		c.fail(IdempotentRegister, "%s refuses executor %s, which it accepted before", c.past.name(m.from), as.id)
	}
}

// second: messages about an executor name it by its id, so late ones about the process before would be taken for the next one's.
func (c *registrations) second(at identity, process uint32) {
	c.judged[Epoch]++
	if before, known := c.processes[at]; known && before != process {
		c.fail(Epoch, "%s accepts a second executor %s", c.past.name(at.env), at.id)
	}
	c.processes[at] = process
}

// node: a ResourceManager answers the registration of a node. A refusal by its include and exclude lists is no fault: they change.
func (c *registrations) node(m *message) {
	b, ok := m.body.(*yarn.RegisterNodeManagerResponse)
	if !ok || m.form != tracepb.Form_REPLY {
		return
	}
	c.judged[IdempotentRegister]++
	at := [2]string{c.past.name(m.from), m.address}
	switch {
	case b.GetNodeAction() == yarn.NodeAction_NORMAL:
		c.nodes[at] = true
	case c.nodes[at] && !strings.HasPrefix(b.GetDiagnosticsMessage(), "Disallowed"):
		c.fail(IdempotentRegister, "%s refuses the node at %s, which it accepted before: %s", at[0], at[1], b.GetDiagnosticsMessage())
	}
}

// attempt: an attempt that ends may not register any more.
func (c *registrations) attempt(r *tracepb.Record) {
	switch r.GetTo() {
	case "FINAL_SAVING", "FINISHING", "FINISHED", "FAILED", "KILLED":
		c.over[r.GetSubject()] = true
	}
}

// applicationMaster: a ResourceManager answers the registration of an ApplicationMaster.
func (c *registrations) applicationMaster(m, q *message) {
	if q == nil || q.moved || m.form != tracepb.Form_REPLY && m.form != tracepb.Form_FAIL {
		return
	}
	b, ok := q.body.(*yarn.RegisterApplicationMasterRequest)
	if !ok {
		return
	}
	id, err := ids.AttemptFrom(b.GetApplicationAttemptId())
	if err != nil || c.over[id.String()] {
		return
	}
	c.judged[IdempotentRegister]++
	switch as := (identity{m.from, id.String()}); {
	case m.form == tracepb.Form_REPLY:
		c.masters[as] = true
	case c.masters[as]:
		c.fail(IdempotentRegister, "%s refuses the ApplicationMaster of %s, which it accepted before", c.past.name(m.from), id)
	}
}
