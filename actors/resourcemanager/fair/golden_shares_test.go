package fair

import (
	"fmt"
	"time"
)

// goldenItem is a schedulable as the cases write it.
type goldenItem struct {
	Name      string
	Weight    *float32
	Min, Max  *goldenResource
	Usage     goldenResource
	Demand    goldenResource
	StartTime int64
	Priority  int32
}

func (g goldenItem) schedulable() *schedulable {
	s := &schedulable{
		Name: g.Name, Weight: 1, Priority: g.Priority, StartTime: time.Duration(g.StartTime) * time.Millisecond,
		Usage: g.Usage.resource(), Demand: g.Demand.resource(), MaxShare: unbounded,
	}
	set(&s.Weight, g.Weight)
	if g.Min != nil {
		s.MinShare = g.Min.resource()
	}
	if g.Max != nil {
		s.MaxShare = g.Max.resource()
	}
	return s
}

// replayFairShares computes shares of one type, or with a policy.
func replayFairShares(c goldenCase, faults Faults) (differences []string) {
	in := must[struct {
		Total        goldenResource
		Schedulables []goldenItem
		Type, Policy string
	}](c.Input)
	want := must[struct{ FairShare map[string]goldenResource }](c.Expected).FairShare
	var items []*schedulable
	for _, g := range in.Schedulables {
		items = append(items, g.schedulable())
	}
	switch {
	case in.Policy != "":
		policyOf(in.Policy, faults).ComputeShares(items, in.Total.resource())
	case in.Type == "vcores":
		computeShares(items, in.Total.resource(), vcores, false)
	default:
		computeShares(items, in.Total.resource(), memory, false)
	}
	if len(want) != len(items) {
		differences = append(differences, fmt.Sprintf("%d shares, %d items", len(want), len(items)))
	}
	for _, s := range items {
		if got := golden(s.FairShare); got != want[s.Name] {
			differences = append(differences, fmt.Sprintf("%s has %+v, want %+v", s.Name, got, want[s.Name]))
		}
	}
	return differences
}

// replayComparator compares each item with each.
func replayComparator(c goldenCase, faults Faults) (differences []string) {
	in := must[struct {
		Policy       string
		Cluster      goldenResource
		Schedulables []goldenItem
	}](c.Input)
	want := must[struct{ Compare [][]int }](c.Expected).Compare
	policy := policyOf(in.Policy, faults)
	for i, a := range in.Schedulables {
		for j, b := range in.Schedulables {
			got := sign(float64(policy.Compare(a.schedulable(), b.schedulable(), in.Cluster.resource())))
			if got != want[i][j] {
				differences = append(differences, fmt.Sprintf("%s to %s is %d, want %d", a.Name, b.Name, got, want[i][j]))
			}
		}
	}
	return differences
}
