package worker

import (
	"strconv"

	"github.com/coherer/coherer/actors/shuffleservice"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// shuffleService is the external shuffle service of this process.
func shuffleService(c *rpcenv.Context) rpcenv.Ref {
	return c.Env().Ref(c.Self().Address, shuffleservice.Name)
}

// initializeShuffle names an application to the shuffle service, before an executor of it can register there.
func (w *Worker) initializeShuffle(c *rpcenv.Context, app string) {
	if w.cfg.ShuffleOutputs != nil {
		c.Send(shuffleService(c), shuffleservice.InitializeApplication{App: app})
	}
}

// cleanUpShuffle reports the end of an executor to the shuffle service, which keeps its map outputs alone.
func (w *Worker) cleanUpShuffle(c *rpcenv.Context, x *executor) {
	if w.cfg.ShuffleOutputs != nil && cleanupFilesAfterExecutorExit.Get(c.Conf()) {
		c.Send(shuffleService(c), shuffleservice.ExecutorRemoved{App: x.key.app, Executor: strconv.Itoa(int(x.key.id))})
	}
}

// stopShuffle ends the serving of an application's map outputs, then calls then: the service removes its directories first, since two that
// remove the same files trip over each other.
func (w *Worker) stopShuffle(c *rpcenv.Context, app string, then func()) {
	if w.cfg.ShuffleOutputs == nil {
		then()
		return
	}
	rpcenv.Ask(c, shuffleService(c), shuffleservice.StopApplication{App: app, CleanUp: true}, func(_ *rpc.Bool, err error) {
		if err != nil {
			c.Log().WithError(err).Warnf("The shuffle service did not give application %s up", app)
		}
		then()
	})
}
