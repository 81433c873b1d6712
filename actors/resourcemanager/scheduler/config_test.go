package scheduler

import (
	"testing"
	"time"

	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/rpcenv/conf"
)

// The FairScheduler has each setting; without any it has Hadoop's defaults.
func TestTheFairSchedulerHasItsSettings(t *testing.T) {
	none, err := conf.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fairConfig(none), fair.DefaultConfig(); got != want {
		t.Errorf("without settings\n%+v\nwant\n%+v", got, want)
	}
	all, err := conf.New(map[string]string{
		"coherer.compat":                                               "YARN-FAIR,YARN-1902",
		"yarn.scheduler.minimum-allocation-mb":                         "101",
		"yarn.scheduler.minimum-allocation-vcores":                     "2",
		"yarn.scheduler.maximum-allocation-mb":                         "103",
		"yarn.scheduler.maximum-allocation-vcores":                     "14",
		"yarn.scheduler.increment-allocation-mb":                       "105",
		"yarn.scheduler.increment-allocation-vcores":                   "6",
		"yarn.scheduler.fair.assignmultiple":                           "true",
		"yarn.scheduler.fair.dynamic.max.assign":                       "false",
		"yarn.scheduler.fair.max.assign":                               "7",
		"yarn.scheduler.fair.continuous-scheduling-enabled":            "true",
		"yarn.scheduler.fair.continuous-scheduling-sleep-ms":           "8",
		"yarn.scheduler.fair.locality.threshold.node":                  "0.1",
		"yarn.scheduler.fair.locality.threshold.rack":                  "0.2",
		"yarn.scheduler.fair.locality-delay-node-ms":                   "9",
		"yarn.scheduler.fair.locality-delay-rack-ms":                   "10",
		"yarn.scheduler.fair.sizebasedweight":                          "true",
		"yarn.scheduler.reservation-threshold.increment-multiple":      "3",
		"yarn.scheduler.fair.reservable-nodes":                         "0.4",
		"yarn.scheduler.fair.preemption":                               "true",
		"yarn.scheduler.fair.preemption.cluster-utilization-threshold": "0.5",
		"yarn.scheduler.fair.waitTimeBeforeKill":                       "11",
		"yarn.scheduler.fair.waitTimeBeforeNextStarvationCheck":        "12",
		"yarn.resourcemanager.nodemanagers.heartbeat-interval-ms":      "13",
		"yarn.scheduler.fair.update-interval-ms":                       "14",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := fair.Config{
		Faults:  fair.Upstream(),
		Minimum: fair.Resource{Memory: 101, VCores: 2}, Maximum: fair.Resource{Memory: 103, VCores: 14}, Increment: fair.Resource{Memory: 105, VCores: 6},
		AssignMultiple: true, MaxAssign: 7, Continuous: true, ContinuousSleep: 8 * time.Millisecond,
		NodeThreshold: 0.1, RackThreshold: 0.2, NodeDelay: 9 * time.Millisecond, RackDelay: 10 * time.Millisecond,
		SizeBasedWeight: true, ReservationMultiple: 3, ReservableNodes: 0.4,
		Preemption: true, UtilizationThreshold: 0.5, WaitBeforeKill: 11 * time.Millisecond, WaitBeforeCheck: 12 * time.Millisecond,
		NodeHeartbeat: 13 * time.Millisecond, UpdateInterval: 14 * time.Millisecond,
	}
	if got := fairConfig(all); got != want {
		t.Errorf("with all settings\n%+v\nwant\n%+v", got, want)
	}
}
