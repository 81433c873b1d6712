package rpcenv

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// guest is a member of a list that counts how often its place is looked at.
type guest struct {
	at    int32
	looks *int
}

func (g *guest) place() *int32 {
	*g.looks++
	return &g.at
}

// A list is what a slice would be in which members are searched for.
func TestAnOrderedListKeepsTheOrderOfEntry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list ordered[*guest]
		var want []*guest
		guests := make([]guest, 8)
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			g := &guests[rapid.IntRange(0, 7).Draw(t, "guest")]
			g.looks = new(int)
			switch in := slices.Index(want, g); {
			case in >= 0:
				list.remove(g)
				want = slices.Delete(want, in, in+1)
			case rapid.Bool().Draw(t, "enters"):
				list.add(g)
				want = append(want, g)
			default:
				list.remove(g) // which is not there
			}
			if got := list.all(); !slices.Equal(got, want) || list.len() != len(want) {
				t.Fatalf("got %v, %d of them, want %v", got, list.len(), want)
			}
			if list.holes > len(want) {
				t.Fatalf("%d holes beside %d members", list.holes, len(want))
			}
		}
	})
}

// The ends of n members look at each of them a few times, in whatever order they come: with a search it would be n times.
func TestTakingMembersOutCostsTheSameInAListOfAnyLength(t *testing.T) {
	const n = 1 << 12
	for name, order := range map[string]func(i int) int{
		"first first": func(i int) int { return i },
		"last first":  func(i int) int { return n - 1 - i },
		"mixed":       func(i int) int { return i * 2_731 % n }, // odd, so each comes once
	} {
		var list ordered[*guest]
		looks := 0
		guests := make([]guest, n)
		for i := range guests {
			guests[i].looks = &looks
			list.add(&guests[i])
		}
		for i := range n {
			list.remove(&guests[order(i)])
		}
		if list.len() != 0 || looks > 4*n {
			t.Errorf("%s: %d are left, and %d members were looked at %d times", name, list.len(), n, looks)
		}
	}
}
