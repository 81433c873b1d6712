package hollow

import (
	"errors"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// Worker is a Worker without a machine, called as a real one is in its Env. It begins as a real one does, by asking the Master's
// verifier; it registers when it gets [Register].
type Worker struct {
	// Master is the Master's endpoint, ID the Worker's own.
	Master rpcenv.Ref
	ID     string
	// Cores and MemoryMB are what it offers.
	Cores, MemoryMB int
	// Found hears that the Master's verifier has answered, so that the connection is up; or why it did not.
	Found func(error)
	// Registered hears of each RegisteredWorker, or why the Master refused.
	Registered func(error)
	// Acknowledged hears of each acknowledgement by a watched Master. It may be nil.
	Acknowledged func()
	// Failed hears when the Master does not answer a report. It may be nil.
	Failed func(error)
}

// Register makes a Worker send RegisterWorker.
type Register struct{ rpcenv.Local }

// OnStart finds the Master.
func (w *Worker) OnStart(c *rpcenv.Context) {
	rpcenv.Resolve(c, w.Master.String(), func(_ rpcenv.Ref, err error) { w.Found(err) })
}

// Receive is a callback of the endpoint.
func (w *Worker) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case Register:
		w.register(c)
	case *deploy.RegisteredWorker:
		// As a real Worker does: the Master hears that nothing runs here.
		c.Send(w.Master, &deploy.WorkerLatestState{Id: w.ID})
		w.Registered(nil)
	case *deploy.RegisterWorkerFailed:
		w.Registered(errors.New(m.GetMessage()))
	case *deploy.LaunchExecutor:
		w.report(c, m.GetAppId(), m.GetExecId(), deploy.ExecutorState_RUNNING)
	case *deploy.KillExecutor:
		w.report(c, m.GetAppId(), m.GetExecId(), deploy.ExecutorState_KILLED)
	case *deploy.ApplicationFinished:
	case *rpc.Bool:
		w.Acknowledged()
	default:
		c.Unsupported(m)
	}
}

func (w *Worker) register(c *rpcenv.Context) {
	at := c.Self().Address
	c.Send(w.Master, &deploy.RegisterWorker{
		Id: w.ID, Host: at.Host, Port: int32(at.Port), Worker: c.Self().Proto(),
		Cores: int32(w.Cores), Memory: int32(w.MemoryMB), MasterAddress: w.Master.Address.Proto(),
	})
}

// report sends what has become of an executor, at once: its process starts and ends in no time.
func (w *Worker) report(c *rpcenv.Context, app string, id int32, s deploy.ExecutorState) {
	q := &deploy.ExecutorStateChanged{AppId: app, ExecId: &id, State: s}
	rpcenv.Ask(c, w.Master, q, func(_ *rpc.Bool, err error) {
		if err != nil && w.Failed != nil {
			w.Failed(err)
		}
	})
}
