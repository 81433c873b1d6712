package fair

import (
	"testing"

	"pgregory.net/rapid"
)

// TestSharesSumToTheTotalAndOneForEachAtMost: where the minimums fit, what is given is within minimum and maximum, does not
// exceed the total by more than one an item, and follows the weights.
func TestSharesSumToTheTotalAndOneForEachAtMost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.Int64Range(0, 100_000).Draw(t, "total")
		left := total
		var items []*schedulable
		for range rapid.IntRange(1, 20).Draw(t, "items") {
			s := &schedulable{Weight: rapid.Float32Range(0.25, 8).Draw(t, "weight"), MaxShare: unbounded}
			s.MinShare.Memory = rapid.Int64Range(0, left/4).Draw(t, "min")
			left -= s.MinShare.Memory
			if rapid.Bool().Draw(t, "limited") {
				s.MaxShare.Memory = s.MinShare.Memory + rapid.Int64Range(0, total+1).Draw(t, "max")
			}
			s.Inactive = rapid.IntRange(0, 9).Draw(t, "inactive") == 0
			items = append(items, s)
		}
		steady := rapid.Bool().Draw(t, "steady")
		computeShares(items, Resource{Memory: total}, memory, steady)
		var sum, most int64
		for _, s := range items {
			share := shareOf(s, steady).Memory
			sum += share
			most = plus(most, s.MaxShare.Memory)
			switch idle := !steady && s.Inactive; {
			case idle && share != 0:
				t.Fatalf("an idle queue has %d", share)
			case !idle && (share < min(s.MinShare.Memory, s.MaxShare.Memory) || share > s.MaxShare.Memory):
				t.Fatalf("share %d of [%d, %d]", share, s.MinShare.Memory, s.MaxShare.Memory)
			}
			for _, o := range items {
				if o.Weight >= s.Weight && o.MinShare.Memory >= s.MinShare.Memory && o.MaxShare.Memory >= s.MaxShare.Memory &&
					(steady || !o.Inactive) && shareOf(o, steady).Memory < share {
					t.Fatalf("weight %v has %d, weight %v has %d", s.Weight, share, o.Weight, shareOf(o, steady).Memory)
				}
			}
		}
		if sum > total+int64(len(items)) {
			t.Fatalf("shares of %d sum to %d, with %d items", total, sum, len(items))
		}
		if steady && sum < min(total, most) {
			t.Fatalf("shares of %d sum to %d, and there is room for %d", total, sum, most)
		}
	})
}

// A maximum of nothing, or less, is a share of nothing: all is the others'.
func TestAMaximumOfNothingIsAShareOfNothing(t *testing.T) {
	for _, most := range []int64{0, -1} {
		items := []*schedulable{
			{Name: "a", Weight: 1, MaxShare: Resource{most, most}, FairShare: Resource{7, 7}}, {Name: "b", Weight: 1, MaxShare: unbounded},
		}
		policyOf("drf", Faults{}).ComputeShares(items, Resource{100, 10})
		if items[0].FairShare != (Resource{}) || items[1].FairShare != (Resource{100, 10}) {
			t.Errorf("at most %d: %s and %s", most, items[0].FairShare, items[1].FairShare)
		}
	}
}

func TestSteadySharesCountQueuesThatAreIdle(t *testing.T) {
	items := []*schedulable{{Name: "a", Weight: 1, MaxShare: unbounded}, {Name: "b", Weight: 1, MaxShare: unbounded, Inactive: true}}
	drf := policyOf("drf", Faults{})
	drf.ComputeShares(items, Resource{100, 10})
	drf.ComputeSteadyShares(items, Resource{100, 10})
	for i, want := range []struct{ now, steady Resource }{{Resource{100, 10}, Resource{50, 5}}, {Resource{}, Resource{50, 5}}} {
		if items[i].FairShare != want.now || items[i].SteadyFairShare != want.steady {
			t.Errorf("%s has %v, steady %v; want %v", items[i].Name, items[i].FairShare, items[i].SteadyFairShare, want)
		}
	}
}
