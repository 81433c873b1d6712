package node

import (
	"context"
	"fmt"
	"strconv"

	"github.com/coherer/coherer/actors/hadoop/exitstatus"
	"github.com/coherer/coherer/cluster/gossip"
	"github.com/coherer/coherer/cluster/web"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// vitalsOf is what a daemon says of itself as a member, from what its endpoint answers, as for its pages.
func vitalsOf[Q rpcenv.Asks[R], R rpcenv.Message](d *daemon, q Q, say func(R) gossip.Vitals) func(context.Context) (gossip.Vitals, error) {
	return func(ctx context.Context) (gossip.Vitals, error) {
		state, err := web.Ask(ctx, d.node.Env, d.node.Ref, q)
		if err != nil {
			return gossip.Vitals{}, err
		}
		return say(state), nil
	}
}

func masterVitals(s *deploy.MasterStateResponse) gossip.Vitals {
	alive := 0
	for _, w := range s.GetWorkers() {
		if w.GetState() == "ALIVE" {
			alive++
		}
	}
	return gossip.Vitals{Load: fmt.Sprintf("%d workers, %d applications", alive, len(s.GetActiveApps()))}
}

func workerVitals(s *deploy.WorkerStateResponse) gossip.Vitals {
	return gossip.Vitals{
		ID:   s.GetWorkerId(),
		Load: fmt.Sprintf("%d/%d cores, %d/%d MiB", s.GetCoresUsed(), s.GetCores(), s.GetMemoryUsed(), s.GetMemory()),
	}
}

// resourceManagerVitals have the cluster's number as id, which is in those of its applications.
func resourceManagerVitals(s *yarn.ResourceManagerStateResponse) gossip.Vitals {
	return gossip.Vitals{
		ID:   strconv.FormatInt(s.GetStartedOn(), 10),
		Load: fmt.Sprintf("%d nodes, %d applications", s.GetNodesByState().GetNumActiveNms(), s.GetUse().GetAppsRunning()),
	}
}

func nodeManagerVitals(s *yarn.NodeManagerStateResponse) gossip.Vitals {
	running := 0
	for _, x := range s.GetContainers() {
		if x.GetExitStatus() == exitstatus.Invalid {
			running++
		}
	}
	return gossip.Vitals{
		Load: fmt.Sprintf("%d containers, %d/%d cores, %d/%d MiB", running, s.GetUsed().GetVirtualCores(), s.GetTotal().GetVirtualCores(), s.GetUsed().GetMemory(), s.GetTotal().GetMemory()),
	}
}
