package scheduler

import (
	"time"

	"github.com/coherer/coherer/actors/compat"
	"github.com/coherer/coherer/actors/hadoop/rmproxy"
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
		Minimum:             size(MinimumAllocationMB, MinimumAllocationVCores),
		Maximum:             size(MaximumAllocationMB, MaximumAllocationVCores),
		Increment:           size(IncrementAllocationMB, IncrementAllocationVCores),
		AssignMultiple:      FairAssignMultiple.Get(c),
		DynamicMaxAssign:    FairDynamicMaxAssign.Get(c),
		MaxAssign:           FairMaxAssign.Get(c),
		Continuous:          FairContinuousScheduling.Get(c),
		ContinuousSleep:     FairContinuousSleep.Get(c),
		NodeThreshold:       FairLocalityThresholdNode.Get(c),
		RackThreshold:       FairLocalityThresholdRack.Get(c),
		NodeDelay:           time.Duration(FairLocalityDelayNode.Get(c)) * time.Millisecond,
		RackDelay:           time.Duration(FairLocalityDelayRack.Get(c)) * time.Millisecond,
		SizeBasedWeight:     FairSizeBasedWeight.Get(c),
		ReservationMultiple: FairReservationIncrement.Get(c),
		ReservableNodes:     FairReservableNodes.Get(c),

		Preemption:           FairPreemption.Get(c),
		UtilizationThreshold: FairPreemptionThreshold.Get(c),
		WaitBeforeKill:       FairWaitTimeBeforeKill.Get(c),
		WaitBeforeCheck:      FairStarvationCheckWait.Get(c),
		NodeHeartbeat:        rmproxy.NMHeartbeatInterval.Get(c),
		UpdateInterval:       FairUpdateInterval.Get(c),
	}
}

// faultsOf are the faults of Hadoop's FairScheduler that coherer.compat names: YARN-FAIR all of them, YARN-1902 one alone, in
// which the ApplicationMaster has a part.
func faultsOf(c *conf.Conf) fair.Faults {
	if compat.Has(c, "YARN-FAIR") {
		return fair.Upstream()
	}
	return fair.Faults{CrossingAsks: compat.Has(c, "YARN-1902")}
}
