package driver

import (
	"errors"
	"fmt"

	"github.com/coherer/coherer/actors/appclient"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// LocalExecutorID is the id of the executor of a local application (SparkContext.DRIVER_IDENTIFIER).
const LocalExecutorID = "driver"

// Local is an application without a cluster: master local, local[N] or local[N,FAILURES]. Its one executor lives in the driver's process,
// in an Env of its own, and speaks with the driver as one of a cluster does. The driver does not start it. Spark has other endpoints there,
// LocalSchedulerBackend and LocalEndpoint, which call the executor's methods.
type Local struct {
	// AppID is the application's id, local- and the time in milliseconds.
	AppID string
	// MaxFailures replaces spark.task.maxFailures, at least 1: 1 unless the master says more.
	MaxFailures int
}

func (l *Local) validate() error {
	switch {
	case l == nil:
		return nil
	case l.AppID == "":
		return errors.New("a local application needs an id")
	case l.MaxFailures < 1:
		return fmt.Errorf("a task of a local application may fail %d times: want at least 1", l.MaxFailures)
	}
	return nil
}

// startLocal begins an application whose id nobody has to give.
func (s *Scheduler) startLocal(c *rpcenv.Context) {
	s.ready = true // whatever spark.cores.max says, there will be no more
	s.connected(c, appclient.Connected{AppID: s.cfg.Local.AppID})
}

// errLocal answers what only a cluster can do.
var errLocal = errors.New("a local application has one executor, which is not ended or added to")

// notLocal reports whether there is a cluster to ask; if not it fails the ask.
func (s *Scheduler) notLocal(then func(*rpc.Bool, error)) bool {
	if s.cfg.Local != nil {
		then(nil, errLocal)
		return false
	}
	return true
}
