//coherer:pure

package fair

import (
	"math"
	"time"
)

// Root is the name of the queue above all others.
const Root = "root"

// never is a time-out that never ends.
const never = time.Duration(math.MaxInt64)

// unlimitedApps is the maximum of running applications without a limit.
const unlimitedApps = math.MaxInt32

// Limit is an amount from the file: an absolute one, or parts of the cluster. It mirrors Hadoop's ConfigurableResource.
type Limit struct {
	Amount Resource
	Part   bool // PartOf counts, Amount does not
	PartOf struct{ Memory, VCores float64 }
}

// Of is the amount on a cluster of that size. Parts are rounded down.
func (l Limit) Of(cluster Resource) Resource {
	if !l.Part {
		return l.Amount
	}
	return Resource{
		truncated(float64(cluster.Memory) * l.PartOf.Memory),
		min(truncated(float64(cluster.VCores)*l.PartOf.VCores), unboundedVCores),
	}
}

// QueueSettings are the settings of one queue, its own, inherited ones and defaults. They mirror parts of Hadoop's
// AllocationConfiguration and FSQueue.
type QueueSettings struct {
	Name    string // full: root.a.b
	Parent  bool   // it may have children and no applications
	Dynamic bool   // it is not in the file: it was or would be made for a submission

	Policy string // policyFair, policyDRF or policyFIFO
	Weight float32

	Min      Limit  // minResources
	Max      Limit  // maxResources; use MaxShare
	MaxChild *Limit // maxChildResources: the Max of Dynamic children; nil: not set

	MaxRunningApps int
	MaxAMShare     float32 // the part of the queue's fair share that ApplicationMasters may have; below 0: no limit

	MaxContainerAllocation Resource // the largest container; unbounded: no limit

	MinSharePreemptionTimeout    time.Duration // never: no preemption
	FairSharePreemptionTimeout   time.Duration
	FairSharePreemptionThreshold float32
	Preemptable                  bool // false too when an ancestor is not preemptable

	Submit, Administer ACL // this queue's own; Allocations.MaySubmit asks its ancestors too
}

// MinShare is the queue's minimum on a cluster of that size.
func (q QueueSettings) MinShare(cluster Resource) Resource { return q.Min.Of(cluster) }

// MaxShare is the queue's maximum on a cluster of that size, never less than its minimum.
func (q QueueSettings) MaxShare(cluster Resource) Resource {
	return q.Max.Of(cluster).Max(q.MinShare(cluster))
}
