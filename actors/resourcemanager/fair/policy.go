//coherer:pure

package fair

import (
	"cmp"
	"strings"
)

// schedulingPolicy divides an amount among siblings and orders them. It is a value without state. It mirrors Hadoop's SchedulingPolicy.
type schedulingPolicy interface {
	// Name is fair, DRF or FIFO, as Hadoop prints it.
	Name() string
	// Compare is negative when a is served before b, positive for the opposite, and 0 for the same only. cluster is all that
	// the cluster has; its order changes with any field of a and b but their shares.
	Compare(a, b *schedulable, cluster Resource) int
	// ComputeShares sets the FairShare of each: total divided by weight within minimum and maximum. A type that the policy ignores
	// keeps its value (fair: VCores). The shares may sum to more than total, by rounding or when minimums do.
	ComputeShares(items []*schedulable, total Resource)
	// ComputeSteadyShares sets the SteadyFairShare of each in the same way, as if none were Inactive.
	ComputeSteadyShares(items []*schedulable, total Resource)
	// Less reports whether a is strictly less than b by the policy's types, on a cluster of that size: for drf by the dominant
	// part or, when those are equal, by the other.
	Less(a, b, cluster Resource) bool
	// Below is Less by one type alone, for drf by the dominant parts. It compares usage with a share.
	Below(usage, share, cluster Resource) bool
	// Headroom is the amount that an application of a queue may still ask for with success; most is the free part of the cluster
	// within the queue's maximum. It is negative only where most is.
	Headroom(share, usage, most Resource) Resource
}

// The names of the policies, as schedulingPolicy.Name has them.
const (
	policyFair = "fair"
	policyDRF  = "DRF"
	policyFIFO = "FIFO"
)

// policyOf is the policy of that name in any case, or nil.
func policyOf(name string, faults Faults) schedulingPolicy {
	switch strings.ToLower(name) {
	case "fair":
		return fairPolicy{}
	case "drf":
		return drfPolicy{faults}
	case "fifo":
		return fifoPolicy{faults}
	}
	return nil
}

// ties orders by start, then by name.
func ties(a, b *schedulable) int {
	if c := cmp.Compare(a.StartTime, b.StartTime); c != 0 {
		return c
	}
	return strings.Compare(a.Name, b.Name)
}

// sign is -1, 0 or 1; of NaN it is 0.
func sign(x float64) int {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	}
	return 0
}
