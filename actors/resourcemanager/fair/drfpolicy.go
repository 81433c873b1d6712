//coherer:pure

package fair

import (
	"cmp"
	"math"
)

// drfPolicy shares each type by itself and serves first the member with the smallest dominant part, that is the larger of its
// parts of the cluster: Hadoop's DominantResourceFairnessPolicy, for two types.
type drfPolicy struct{ faults Faults }

func (drfPolicy) Name() string { return policyDRF }

// Compare goes by the parts of the cluster that a and b use, divided by weight: the dominant part first, then the other. One
// below its minimum of its dominant type comes before one that is not; two below are compared by parts of their minimums.
func (p drfPolicy) Compare(a, b *schedulable, cluster Resource) int {
	partsA, partsB := parts(a.Usage, cluster, p.faults), parts(b.Usage, cluster, p.faults)
	domA, domB := partsA.dominant(), partsB.dominant() // of the cluster, also where parts of something else are compared below
	needyA := *domA.of(&a.Usage) < *domA.of(&a.MinShare)
	needyB := *domB.of(&b.Usage) < *domB.of(&b.MinShare)
	switch {
	case needyA && !needyB:
		return -1
	case needyB && !needyA:
		return 1
	case needyA:
		partsA, partsB = parts(a.Usage, a.MinShare, p.faults), parts(b.Usage, b.MinShare, p.faults)
	default:
		partsA, partsB = partsA.over(a.Weight, p.faults), partsB.over(b.Weight, p.faults)
	}
	c := sign(partsA[domA] - partsB[domB])
	if c == 0 {
		c = sign(partsA[1-domA] - partsB[1-domB])
	}
	if c != 0 {
		return c
	}
	return ties(a, b)
}

// ratios are parts of something, by resourceType.
type ratios [2]float64

func parts(of, whole Resource, faults Faults) ratios {
	return ratios{
		ratio(float64(of.Memory), float64(whole.Memory), faults),
		ratio(float64(of.VCores), float64(whole.VCores), faults),
	}
}

func (r ratios) dominant() resourceType {
	if r[vcores] > r[memory] {
		return vcores
	}
	return memory
}

func (r ratios) over(weight float32, faults Faults) ratios {
	return ratios{ratio(r[memory], float64(weight), faults), ratio(r[vcores], float64(weight), faults)}
}

// ratio is a/b, but 0/0 is 0: the NaN that Hadoop has there would be equal to every number.
func ratio(a, b float64, faults Faults) float64 {
	q := a / b
	if q != q && !faults.nanParts {
		return 0
	}
	return q
}

func (drfPolicy) ComputeShares(items []*schedulable, total Resource) {
	computeShares(items, total, memory, false)
	computeShares(items, total, vcores, false)
}

func (drfPolicy) ComputeSteadyShares(items []*schedulable, total Resource) {
	computeShares(items, total, memory, true)
	computeShares(items, total, vcores, true)
}

// Less compares the larger parts of the cluster, then the smaller ones. Without a cluster a has to be within b, and differ. Like
// Below it mirrors Hadoop's DominantResourceCalculator.
func (drfPolicy) Less(a, b, cluster Resource) bool {
	if cluster.IsZero() {
		return a != b && a.Fits(b)
	}
	pa, pb := partsOrAll(a, cluster), partsOrAll(b, cluster)
	da, db := pa.dominant(), pb.dominant()
	if c := cmp.Compare(pa[da], pb[db]); c != 0 {
		return c < 0
	}
	return pa[1-da] < pb[1-db]
}

// Below compares the larger parts of the cluster alone; a type that the cluster lacks does not count.
func (drfPolicy) Below(usage, share, cluster Resource) bool {
	if cluster.IsZero() {
		return usage != share && usage.Fits(share)
	}
	return largest(partsOrAll(usage, cluster)) < largest(partsOrAll(share, cluster))
}

// partsOrAll are parts of the cluster; any amount of a type that the cluster lacks is infinite.
func partsOrAll(of, cluster Resource) ratios {
	p := parts(of, cluster, Faults{})
	if cluster.Memory == 0 {
		p[memory] = math.Inf(1)
	}
	if cluster.VCores == 0 {
		p[vcores] = math.Inf(1)
	}
	return p
}

// largest is the larger finite part, at least 0.
func largest(p ratios) float64 {
	most := 0.0
	for _, part := range p {
		if !math.IsInf(part, 1) {
			most = max(most, part)
		}
	}
	return most
}

func (drfPolicy) Headroom(share, usage, most Resource) Resource {
	return most.Min(share.Minus(usage).Max(Resource{}))
}
