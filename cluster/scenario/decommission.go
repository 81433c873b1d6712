package scenario

import (
	"github.com/coherer/coherer/actors/worker"
	"github.com/coherer/coherer/rpcenv/rpctest/script/syntax"
)

// decommission gives a Worker the signal spark.worker.decommission.signal.
func (r *Runner) decommission(c syntax.Command) error {
	n, err := r.only(c)
	if err != nil {
		return err
	}
	if err := n.Env.Send(n.Ref, worker.WorkerDecommissionSigReceived{}); err != nil {
		return err
	}
	return r.world.Settle(patience)
}
