//coherer:pure

package fair

import (
	"errors"
	"fmt"
	"time"
)

// Config is the scheduler's part of yarn-site.xml. DefaultConfig has Hadoop's defaults; the zero value is not valid.
type Config struct {
	Faults Faults

	Minimum   Resource // yarn.scheduler.minimum-allocation-mb, -vcores: smaller asks are raised to it
	Maximum   Resource // yarn.scheduler.maximum-allocation-mb, -vcores: of one container
	Increment Resource // yarn.scheduler.increment-allocation-mb, -vcores: asks are rounded up to multiples

	AssignMultiple   bool // yarn.scheduler.fair.assignmultiple: several containers with one update of a node
	DynamicMaxAssign bool // yarn.scheduler.fair.dynamic.max.assign: up to half of the node's free room, and one container more
	MaxAssign        int  // yarn.scheduler.fair.max.assign, when not dynamic: the number; 0 or less: no limit

	Continuous      bool          // yarn.scheduler.fair.continuous-scheduling-enabled: the owner calls ContinuousPass
	ContinuousSleep time.Duration // yarn.scheduler.fair.continuous-scheduling-sleep-ms: the owner's pause between passes

	NodeThreshold float64       // yarn.scheduler.fair.locality.threshold.node: offers to miss, as a part of the nodes; below 0 none
	RackThreshold float64       // yarn.scheduler.fair.locality.threshold.rack
	NodeDelay     time.Duration // yarn.scheduler.fair.locality-delay-node-ms, with Continuous; below 0 none
	RackDelay     time.Duration // yarn.scheduler.fair.locality-delay-rack-ms

	SizeBasedWeight bool // yarn.scheduler.fair.sizebasedweight: an application weighs log2(1 + its demand in MiB)

	ReservationMultiple float64 // yarn.scheduler.reservation-threshold.increment-multiple: smaller containers are not reserved
	ReservableNodes     float64 // yarn.scheduler.fair.reservable-nodes: the part of the nodes that one application may reserve

	Preemption           bool          // yarn.scheduler.fair.preemption
	UtilizationThreshold float64       // yarn.scheduler.fair.preemption.cluster-utilization-threshold: no preemption below it
	WaitBeforeKill       time.Duration // yarn.scheduler.fair.waitTimeBeforeKill, in ms
	WaitBeforeCheck      time.Duration // yarn.scheduler.fair.waitTimeBeforeNextStarvationCheck, in ms
	NodeHeartbeat        time.Duration // yarn.resourcemanager.nodemanagers.heartbeat-interval-ms
	UpdateInterval       time.Duration // yarn.scheduler.fair.update-interval-ms: between two calls of Update by the owner

	// NodesCountFrom is the time from which on no container may be larger than the largest node: after a restart the nodes come
	// back one after the other, and the asks of meanwhile may be for a node that is still to come.
	NodesCountFrom time.Duration

	Epoch int32 // the number of restarts of the ResourceManager: a part of the ids of containers
}

// DefaultConfig has Hadoop's defaults.
func DefaultConfig() Config {
	return Config{
		Minimum: Resource{1024, 1}, Maximum: Resource{8192, 4}, Increment: Resource{1024, 1},
		DynamicMaxAssign: true, MaxAssign: -1, ContinuousSleep: 5 * time.Millisecond,
		NodeThreshold: -1, RackThreshold: -1, NodeDelay: -time.Millisecond, RackDelay: -time.Millisecond,
		ReservationMultiple: 2, ReservableNodes: 0.05,
		UtilizationThreshold: 0.8, WaitBeforeKill: 15 * time.Second, WaitBeforeCheck: 10 * time.Second,
		NodeHeartbeat: time.Second, UpdateInterval: 500 * time.Millisecond,
	}
}

// Validate reports all problems at once.
func (c Config) Validate() error {
	var problems []error
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	for _, t := range []struct {
		name                      string
		least, most, step, bounds int64
	}{
		{"mb", c.Minimum.Memory, c.Maximum.Memory, c.Increment.Memory, unboundedMemory},
		{"vcores", c.Minimum.VCores, c.Maximum.VCores, c.Increment.VCores, unboundedVCores},
	} {
		if t.least < 0 || t.least > t.most || t.most > t.bounds {
			wrong("yarn.scheduler.minimum-allocation-%[1]s is %[2]d and yarn.scheduler.maximum-allocation-%[1]s is %[3]d: want 0 <= minimum <= maximum", t.name, t.least, t.most)
		}
		if t.step <= 0 {
			wrong("yarn.scheduler.increment-allocation-%s is %d: want more than 0", t.name, t.step)
		}
	}
	if c.Minimum.IsZero() {
		wrong("yarn.scheduler.minimum-allocation-mb and -vcores are both 0: want one of them above 0, or a node has room for containers without end")
	}
	if !(c.ReservationMultiple >= 0) { // NaN is refused too
		wrong("yarn.scheduler.reservation-threshold.increment-multiple is %v: want 0 or more", c.ReservationMultiple)
	}
	if !(c.ReservableNodes >= 0 && c.ReservableNodes <= 1) {
		wrong("yarn.scheduler.fair.reservable-nodes is %v: want a part, 0 to 1", c.ReservableNodes)
	}
	if c.Epoch < 0 {
		wrong("the epoch is %d: want 0 or more", c.Epoch)
	}
	return errors.Join(problems...)
}
