package node

import (
	"testing"

	"github.com/coherer/coherer/actors/hadoop/exitstatus"
	"github.com/coherer/coherer/cluster/gossip"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/yarn"
)

// The members hear of a daemon's work as its pages show it: what is over does not count.
func TestVitals(t *testing.T) {
	for want, got := range map[gossip.Vitals]gossip.Vitals{
		{Load: "1 workers, 2 applications"}: masterVitals(&deploy.MasterStateResponse{
			Workers:       []*deploy.WorkerInfo{{State: "ALIVE"}, {State: "DEAD"}},
			ActiveApps:    []*deploy.ApplicationInfo{{}, {}},
			CompletedApps: []*deploy.ApplicationInfo{{}},
		}),
		{ID: "worker-1", Load: "1/4 cores, 512/2048 MiB"}: workerVitals(&deploy.WorkerStateResponse{
			WorkerId: "worker-1", Cores: 4, CoresUsed: 1, Memory: 2048, MemoryUsed: 512,
		}),
		{ID: "1795", Load: "3 nodes, 1 applications"}: resourceManagerVitals(&yarn.ResourceManagerStateResponse{
			StartedOn: 1795, NodesByState: &yarn.YarnClusterMetrics{NumActiveNms: 3, NumLostNms: 1},
			Use: &yarn.ClusterUse{AppsRunning: 1, AppsCompleted: 5},
		}),
		{Load: "1 containers, 2/8 cores, 1024/8192 MiB"}: nodeManagerVitals(&yarn.NodeManagerStateResponse{
			Used:       &yarn.Resource{Memory: 1024, VirtualCores: 2},
			Total:      &yarn.Resource{Memory: 8192, VirtualCores: 8},
			Containers: []*yarn.NodeContainer{{ExitStatus: exitstatus.Invalid}, {}},
		}),
	} {
		if got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}
