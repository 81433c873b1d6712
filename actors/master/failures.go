package master

import (
	"slices"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// failuresRetained is how many failures the Master remembers.
const failuresRetained = 50

// The kinds of what fails.
const (
	failedWorker      = "worker"
	failedApplication = "application"
	failedExecutor    = "executor"
	failedDriver      = "driver"
	failedRecord      = "record" // of the Master's store
)

// failed remembers what went wrong, for the pages and clients that ask how the cluster fares. worker is where; "" for nowhere.
func (m *Master) failed(c *rpcenv.Context, kind, id, worker, state, reason string) {
	if len(m.failures) == failuresRetained {
		m.failures = slices.Delete(m.failures, 0, 1)
	}
	m.failures = append(m.failures, &deploy.Failure{
		TimeMs: c.Now().UnixMilli(), Kind: kind, Id: id, WorkerId: worker, State: state, Reason: reason,
	})
}
