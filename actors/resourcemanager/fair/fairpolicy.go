//coherer:pure

package fair

import "cmp"

// fairPolicy shares memory and ignores cores: Hadoop's FairSharePolicy.
type fairPolicy struct{}

func (fairPolicy) Name() string { return policyFair }

// Compare serves members with a demand for memory first; of these the ones below their minimum, the farthest below first; then
// those with less usage for their weight. A minimum counts only up to the demand. Members without weight come last.
func (fairPolicy) Compare(a, b *schedulable, _ Resource) int {
	switch idleA, idleB := a.Demand.Memory <= 0, b.Demand.Memory <= 0; {
	case idleA && !idleB:
		return 1
	case idleB && !idleA:
		return -1
	}
	// A queue that wants less than its minimum is not served first beyond its demand.
	leastA, leastB := min(a.MinShare.Memory, a.Demand.Memory), min(b.MinShare.Memory, b.Demand.Memory)
	needyA, needyB := a.Usage.Memory < leastA, b.Usage.Memory < leastB
	c := 0
	switch {
	case needyA && !needyB:
		return -1
	case needyB && !needyA:
		return 1
	case needyA:
		c = sign(float64(a.Usage.Memory)/float64(max(leastA, 1)) - float64(b.Usage.Memory)/float64(max(leastB, 1)))
	}
	if c = cmp.Or(c, compareUse(a, b)); c != 0 {
		return c
	}
	return ties(a, b)
}

func compareUse(a, b *schedulable) int {
	switch wa, wb := float64(a.Weight), float64(b.Weight); {
	case wa > 0 && wb > 0:
		return sign(float64(a.Usage.Memory)/wa - float64(b.Usage.Memory)/wb)
	case wa == wb:
		return cmp.Compare(a.Usage.Memory, b.Usage.Memory)
	default:
		return sign(wb - wa)
	}
}

// ComputeShares leaves the VCores of each FairShare alone.
func (fairPolicy) ComputeShares(items []*schedulable, total Resource) {
	computeShares(items, total, memory, false)
}

func (fairPolicy) ComputeSteadyShares(items []*schedulable, total Resource) {
	computeShares(items, total, memory, true)
}

func (fairPolicy) Less(a, b, _ Resource) bool { return a.Memory < b.Memory }

func (fairPolicy) Below(usage, share, _ Resource) bool { return usage.Memory < share.Memory }

func (fairPolicy) Headroom(share, usage, most Resource) Resource {
	return memoryHeadroom(share, usage, most)
}

// memoryHeadroom limits memory by the fair share, and cores only by most.
func memoryHeadroom(share, usage, most Resource) Resource {
	return Resource{min(most.Memory, max(minus(share.Memory, usage.Memory), 0)), most.VCores}
}
