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
		Increment:           size(incrementAllocationMB, incrementAllocationVCores),
		AssignMultiple:      fairAssignMultiple.Get(c),
		DynamicMaxAssign:    fairDynamicMaxAssign.Get(c),
		MaxAssign:           fairMaxAssign.Get(c),
		Continuous:          fairContinuousScheduling.Get(c),
		ContinuousSleep:     fairContinuousSleep.Get(c),
		NodeThreshold:       fairLocalityThresholdNode.Get(c),
		RackThreshold:       fairLocalityThresholdRack.Get(c),
		NodeDelay:           time.Duration(fairLocalityDelayNode.Get(c)) * time.Millisecond,
		RackDelay:           time.Duration(fairLocalityDelayRack.Get(c)) * time.Millisecond,
		SizeBasedWeight:     fairSizeBasedWeight.Get(c),
		ReservationMultiple: fairReservationIncrement.Get(c),
		ReservableNodes:     fairReservableNodes.Get(c),

		Preemption:           fairPreemption.Get(c),
		UtilizationThreshold: fairPreemptionThreshold.Get(c),
		WaitBeforeKill:       fairWaitTimeBeforeKill.Get(c),
		WaitBeforeCheck:      fairStarvationCheckWait.Get(c),
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
