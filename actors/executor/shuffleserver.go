package executor

import (
	"fmt"
	"time"

	"github.com/coherer/coherer/actors/shuffleservice"
	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// registrationPause is how long an executor waits after a registration that failed (BlockManager.registerWithExternalShuffleServer).
const registrationPause = 5 * time.Second

// retryRegistration is the end of the pause after a registration with the shuffle service that failed.
type retryRegistration struct {
	rpcenv.Local
	attempt int // the next one, from 1
}

// findShuffleServer finds who serves this executor's map outputs: with spark.shuffle.service.enabled the shuffle service of its host, else
// its own block manager. A local application has neither Worker nor NodeManager.
func (e *Executor) findShuffleServer(c *rpcenv.Context) {
	e.shuffleServer = e.blockManagerID()
	at := e.cfg.NodeManager
	if at.IsZero() {
		at, _, _ = rpcenv.ParseURI(e.cfg.Args.WorkerURL) // none, or one that Boot has watched
	}
	if at.IsZero() || !shuffleservice.ShuffleServiceEnabled.Get(c.Conf()) {
		e.findReceiver(c)
		return
	}
	e.shuffleService = rpcenv.Ref{Address: at, Name: shuffleservice.Name}
	c.Log().Info("Registering executor with local external shuffle service.")
	e.registerWithShuffleServer(c, 1)
}

// registerWithShuffleServer is one of spark.shuffle.registration.maxAttempts tries. When the last one fails the executor ends: nobody would
// serve what it writes.
func (e *Executor) registerWithShuffleServer(c *rpcenv.Context, attempt int) {
	a := e.cfg.Args
	q := &storagepb.RegisterShuffleExecutor{AppId: a.AppID, ExecId: a.ExecutorID, ExecutorInfo: &storagepb.ExecutorShuffleInfo{LocalDirs: e.cfg.LocalDirs}}
	timeout := shuffleservice.ShuffleRegistrationTimeout
	rpcenv.Ask(c, e.shuffleService, q, func(r *storagepb.ShuffleExecutorRegistered, err error) {
		left := shuffleservice.ShuffleRegistrationMaxAttempts.Get(c.Conf()) - attempt
		switch {
		case err == nil:
			e.shuffleServer = r.GetShuffleServerId()
			e.findReceiver(c)
		case left > 0:
			c.Log().WithError(err).Errorf("Failed to connect to external shuffle server, will retry %d more times after waiting %d seconds...",
				left, registrationPause/time.Second)
			c.After(registrationPause, retryRegistration{attempt: attempt + 1})
		default:
			e.exit(c, 1, fmt.Sprintf("Unable to create executor due to Unable to register with external shuffle server due to : %v: "+
				"is %s set for the Worker or NodeManager too?", err, shuffleservice.ShuffleServiceEnabled.Key()), true)
		}
	}, rpcenv.Timeout(timeout.Key(), timeout.Get(c.Conf())))
}
