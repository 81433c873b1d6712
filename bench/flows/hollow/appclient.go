package hollow

import (
	"errors"
	"fmt"
	"time"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// AppClient is an application whose driver only asks for executors, of one core and 1 GiB each.
type AppClient struct {
	Master rpcenv.Ref
	// Executors is how many it wants, all the time.
	Executors int
	// Running hears of each executor that runs: whether it replaces another one, and since when that one was to be replaced.
	Running func(id int32, replaces bool, since time.Duration)
	// Failed hears why the application cannot go on.
	Failed func(error)

	app     string
	leaving []time.Duration         // for each executor without a successor: since when it is to be replaced
	coming  map[int32]time.Duration // by successor that does not run yet: the same of the executor before it
}

// Replace makes an AppClient kill an executor, so that the Master launches another one.
type Replace struct {
	rpcenv.Local
	ID int32
	At time.Duration
}

// OnStart registers the application.
func (a *AppClient) OnStart(c *rpcenv.Context) {
	a.coming = map[int32]time.Duration{}
	cores, limit := int32(1), int32(a.Executors)
	c.Send(a.Master, &deploy.RegisterApplication{Driver: c.Self().Proto(), AppDescription: &deploy.ApplicationDescription{
		Name: "bench", CoresPerExecutor: &cores, MemoryPerExecutorMb: 1024, InitialExecutorLimit: &limit,
		Command: &deploy.Command{MainClass: "org.apache.spark.executor.CoarseGrainedExecutorBackend"},
	}})
}

// Receive is a callback of the endpoint.
func (a *AppClient) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *deploy.RegisteredApplication:
		a.app = m.GetAppId()
	case Replace:
		a.replace(c, m)
	case *deploy.ExecutorAdded:
		if len(a.leaving) > 0 { // the Master launches one for each that it kills, in this order
			a.coming[m.GetId()], a.leaving = a.leaving[0], a.leaving[1:]
		}
	case *deploy.ExecutorUpdated:
		a.updated(m)
	case *deploy.WorkerRemoved:
		a.Failed(fmt.Errorf("the Master has removed %s: %s", m.GetId(), m.GetMessage()))
	case *deploy.ApplicationRemoved:
		a.Failed(errors.New(m.GetMessage()))
	default:
		c.Unsupported(m)
	}
}

func (a *AppClient) replace(c *rpcenv.Context, m Replace) {
	a.leaving = append(a.leaving, m.At)
	q := &deploy.KillExecutors{AppId: a.app, ExecutorIds: []string{fmt.Sprint(m.ID)}}
	rpcenv.Ask(c, a.Master, q, func(r *rpc.Bool, err error) {
		if err == nil && !r.GetValue() {
			err = fmt.Errorf("the Master does not kill executor %d", m.ID)
		}
		if err != nil {
			a.Failed(err)
		}
	})
}

func (a *AppClient) updated(m *deploy.ExecutorUpdated) {
	if m.GetState() != deploy.ExecutorState_RUNNING {
		a.Failed(fmt.Errorf("executor %d is %s: %s", m.GetId(), m.GetState(), m.GetMessage()))
		return
	}
	since, replaces := a.coming[m.GetId()]
	delete(a.coming, m.GetId())
	a.Running(m.GetId(), replaces, since)
}
