//coherer:pure

package fair

import (
	"math"
	"time"
)

// Root is the name of the queue above all others.
const Root = "root"

// Never is a time-out that does not run.
const Never = time.Duration(math.MaxInt64)

// UnlimitedApps is the number of running applications where nothing limits it.
const UnlimitedApps = math.MaxInt32

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
		min(truncated(float64(cluster.VCores)*l.PartOf.VCores), UnboundedVCores),
	}
}

// QueueSettings is what holds for one queue, with what it inherits and what defaults give. It mirrors what Hadoop keeps in
// AllocationConfiguration and in the FSQueue.
type QueueSettings struct {
	Name    string // full: root.a.b
	Parent  bool   // it may have children and no applications
	Dynamic bool   // the file does not have it: it was or would be made for a submission

	Policy string // PolicyFair, PolicyDRF or PolicyFIFO
	Weight float32

	Min      Limit  // minResources
	Max      Limit  // maxResources; use MaxShare
	MaxChild *Limit // maxChildResources: the Max of Dynamic children; nil is none

	MaxRunningApps int
	MaxAMShare     float32 // which part of the queue's fair share ApplicationMasters may have; below 0 nothing limits them

	MaxContainerAllocation Resource // the largest container; Unbounded where nothing limits it

	MinSharePreemptionTimeout    time.Duration // Never is none
	FairSharePreemptionTimeout   time.Duration
	FairSharePreemptionThreshold float32
	Preemptable                  bool // false too when an ancestor is not

	Submit, Administer ACL // this queue's own; Allocations.MaySubmit asks its ancestors too
}

// MinShare is the queue's minimum on a cluster of that size.
func (q QueueSettings) MinShare(cluster Resource) Resource { return q.Min.Of(cluster) }

// MaxShare is the queue's maximum on a cluster of that size, never less than its minimum.
func (q QueueSettings) MaxShare(cluster Resource) Resource {
	return q.Max.Of(cluster).Max(q.MinShare(cluster))
}
