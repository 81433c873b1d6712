package scenario

import (
	"github.com/coherer/coherer/actors/worker"
	"github.com/coherer/coherer/rpcenv/rpctest/script/syntax"
)

// decommission gives a Worker the signal spark.worker.decommission.signal.
func (r *Runner) decommission(c syntax.Command) error {
	if err := c.Need(1, "NAME"); err != nil {
		return err
	}
	n, err := r.find(c.Args[0])
	if err != nil {
		return err
	}
	if err := n.Env.Send(n.Ref, worker.WorkerDecommissionSigReceived{}); err != nil {
		return err
	}
	return r.world.Settle(patience)
}
