package watched

import (
	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/actors/worker"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// Master is a Master whose operations are counted.
type Master struct {
	*master.Master
	// Counts reports whether a message is an operation; Count counts it.
	Counts func(rpcenv.Message) bool
	Count  func()
	// Acknowledge makes the Master acknowledge each operation to the Worker that sent it, once it has handled it.
	Acknowledge bool
}

// Receive is a callback of the endpoint.
func (m *Master) Receive(c *rpcenv.Context, msg rpcenv.Message) {
	counts := m.Counts(msg)
	if counts { // first: when a peer has the Master's answer, the count has it too
		m.Count()
	}
	m.Master.Receive(c, msg)
	if counts && m.Acknowledge {
		c.Send(rpcenv.Ref{Address: c.Sender(), Name: worker.Name}, &rpc.Bool{Value: true})
	}
}

// Registration reports whether m is a Worker's registration.
func Registration(m rpcenv.Message) bool {
	_, ok := m.(*deploy.RegisterWorker)
	return ok
}

// Heartbeat reports whether m is a Worker's heartbeat.
func Heartbeat(m rpcenv.Message) bool {
	_, ok := m.(*deploy.Heartbeat)
	return ok
}

// Running reports whether m says that an executor runs.
func Running(m rpcenv.Message) bool {
	r, ok := m.(*deploy.ExecutorStateChanged)
	return ok && r.GetState() == deploy.ExecutorState_RUNNING
}
