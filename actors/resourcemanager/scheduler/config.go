package scheduler

import (
	"slices"
	"time"

	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/rpcenv/conf"
)

// fairConfig is the FairScheduler's part of the settings.
func fairConfig(c *conf.Conf) fair.Config {
	size := func(memory, vcores *conf.Entry[int]) fair.Resource {
		return fair.Resource{Memory: int64(memory.Get(c)), VCores: int64(vcores.Get(c))}
	}
	return fair.Config{
		Faults:              faultsOf(c),
		Minimum:             size(conf.MinimumAllocationMB, conf.MinimumAllocationVCores),
		Maximum:             size(conf.MaximumAllocationMB, conf.MaximumAllocationVCores),
		Increment:           size(conf.IncrementAllocationMB, conf.IncrementAllocationVCores),
		AssignMultiple:      conf.FairAssignMultiple.Get(c),
		DynamicMaxAssign:    conf.FairDynamicMaxAssign.Get(c),
		MaxAssign:           conf.FairMaxAssign.Get(c),
		Continuous:          conf.FairContinuousScheduling.Get(c),
		ContinuousSleep:     conf.FairContinuousSleep.Get(c),
		NodeThreshold:       conf.FairLocalityThresholdNode.Get(c),
		RackThreshold:       conf.FairLocalityThresholdRack.Get(c),
		NodeDelay:           time.Duration(conf.FairLocalityDelayNode.Get(c)) * time.Millisecond,
		RackDelay:           time.Duration(conf.FairLocalityDelayRack.Get(c)) * time.Millisecond,
		SizeBasedWeight:     conf.FairSizeBasedWeight.Get(c),
		ReservationMultiple: conf.FairReservationIncrement.Get(c),
		ReservableNodes:     conf.FairReservableNodes.Get(c),

		Preemption:           conf.FairPreemption.Get(c),
		UtilizationThreshold: conf.FairPreemptionThreshold.Get(c),
		WaitBeforeKill:       conf.FairWaitTimeBeforeKill.Get(c),
		WaitBeforeCheck:      conf.FairStarvationCheckWait.Get(c),
		NodeHeartbeat:        conf.NMHeartbeatInterval.Get(c),
		UpdateInterval:       conf.FairUpdateInterval.Get(c),
	}
}

// faultsOf are the faults of Hadoop's FairScheduler that coherer.compat names: YARN-FAIR all of them, YARN-1902 one alone, in
// which the ApplicationMaster has a part.
func faultsOf(c *conf.Conf) fair.Faults {
	ids := conf.Compat.Get(c)
	if slices.Contains(ids, "YARN-FAIR") {
		return fair.Upstream()
	}
	return fair.Faults{CrossingAsks: slices.Contains(ids, "YARN-1902")}
}
