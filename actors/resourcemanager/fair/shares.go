//coherer:pure

package fair

import (
	"cmp"
	"math"
)

// rounds is the number of bisections of the ratio: Hadoop's COMPUTE_FAIR_SHARES_ITERATIONS.
const rounds = 25

// resourceType is one of the two types of a Resource.
type resourceType int

const (
	memory resourceType = iota
	vcores
)

func (t resourceType) of(r *Resource) *int64 {
	if t == memory {
		return &r.Memory
	}
	return &r.VCores
}

// computeShares divides total of one type among items: each gets ratio × weight, truncated, but not less than its minimum
// and not more than its maximum, with the smallest ratio found that uses the total up. As in Hadoop's ComputeFairShares the ratio
// is bisected and its upper bound taken, so that the shares may sum to more than the total, by about one an item (100 among
// three are 34, 34 and 34). An item with a fixed share takes no part.
func computeShares(items []*schedulable, total Resource, t resourceType, steady bool) {
	shared := make([]divided, 0, len(items))
	var fixed, most int64
	for _, s := range items {
		if share, ok := fixedShare(s, t, steady); ok {
			*t.of(shareOf(s, steady)) = share
			fixed = plus(fixed, share)
			continue
		}
		d := divided{
			weight: float64(s.Weight), least: float64(*t.of(&s.MinShare)), most: float64(*t.of(&s.MaxShare)),
			share: t.of(shareOf(s, steady)),
		}
		shared = append(shared, d)
		most = plus(most, *t.of(&s.MaxShare))
	}
	// At most the sum of the maximums: no ratio uses up more.
	ratio := bisect(shared, min(most, max(minus(*t.of(&total), fixed), 0)))
	for _, d := range shared {
		*d.share = d.at(ratio)
	}
}

// fixedShare is the share of an item that does not depend on the others'.
func fixedShare(s *schedulable, t resourceType, steady bool) (int64, bool) {
	switch {
	case *t.of(&s.MaxShare) <= 0:
		return 0, true
	case !steady && s.Inactive:
		return 0, true
	case s.Weight <= 0:
		return max(*t.of(&s.MinShare), 0), true
	}
	return 0, false
}

func shareOf(s *schedulable, steady bool) *Resource {
	if steady {
		return &s.SteadyFairShare
	}
	return &s.FairShare
}

// divided is the bisection's view of an item.
type divided struct {
	weight, least, most float64
	share               *int64
}

func (d *divided) at(ratio float64) int64 {
	return truncated(min(max(d.weight*ratio, d.least), d.most))
}

// bisect is a ratio with which the items use total up: the smallest one that 25 bisections find. With a weight of NaN no ratio
// uses anything up; the search for a bound ends at the largest number.
func bisect(items []divided, total int64) float64 {
	right := 1.0
	for used(items, right) < total && right < math.MaxFloat64/2 {
		right *= 2
	}
	left := 0.0
	for range rounds {
		mid := (left + right) / 2
		switch cmp.Compare(used(items, mid), total) {
		case 0:
			return mid
		case -1:
			left = mid
		default:
			right = mid
		}
	}
	return right
}

func used(items []divided, ratio float64) int64 {
	var sum int64
	for i := range items {
		sum = plus(sum, items[i].at(ratio))
	}
	return sum
}
