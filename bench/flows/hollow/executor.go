package hollow

import (
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// Executor is an executor of one core that computes nothing: each task runs from its LaunchTask until [Finish].
type Executor struct {
	// Driver is CoarseGrainedScheduler, ID the executor's own.
	Driver rpcenv.Ref
	ID     string
	// Refused hears why the driver did not register it.
	Refused func(error)
	// Launched hears of each task. There is never a second one before Finish.
	Launched func()

	task int64
}

// Finish ends the task of an Executor.
type Finish struct{ rpcenv.Local }

// OnStart registers with the driver, and offers the core.
func (e *Executor) OnStart(c *rpcenv.Context) {
	q := &app.RegisterExecutor{ExecutorId: e.ID, ExecutorRef: c.Self().Proto(), Hostname: "127.0.0.1", Cores: 1}
	rpcenv.Ask(c, e.Driver, q, func(_ *rpc.Bool, err error) {
		if err != nil {
			e.Refused(err)
			return
		}
		c.Send(e.Driver, &app.LaunchedExecutor{ExecutorId: e.ID})
	})
}

// Receive is a callback of the endpoint.
func (e *Executor) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *app.LaunchTask:
		e.task = m.GetData().GetTaskId()
		e.report(c, app.TaskState_RUNNING, nil)
		e.Launched()
	case Finish:
		e.report(c, app.TaskState_FINISHED, &app.TaskResult{})
	case *app.StopExecutor:
	default:
		c.Unsupported(m)
	}
}

func (e *Executor) report(c *rpcenv.Context, s app.TaskState, r *app.TaskResult) {
	task := e.task
	c.Send(e.Driver, &app.StatusUpdate{ExecutorId: e.ID, TaskId: &task, State: s, TaskCpus: 1, Result: r})
}
