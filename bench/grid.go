package bench

import (
	"errors"
	"fmt"
	"slices"

	"github.com/coherer/coherer/bench/measure"
)

// Grid is what a run measures: each case with each size, number in flight and number of pairs.
type Grid struct {
	Cases    []measure.Case
	Sizes    []int
	InFlight []int
	// Pairs may be empty: then each case has its own default.
	Pairs []int
}

// Cells returns a Spec for each cell of the grid: base with the cell's own case, size, number in flight and pairs, in the order of
// a report. What a case does not have, such as the size of a connect, is 0 there; cells that become equal by that are one.
func (g Grid) Cells(base measure.Spec) []measure.Spec {
	var cells []measure.Spec
	for _, c := range g.Cases {
		allPairs := g.Pairs
		if len(allPairs) == 0 {
			allPairs = []int{c.DefaultPairs()}
		}
		for _, size := range g.Sizes {
			for _, inFlight := range g.InFlight {
				for _, pairs := range allPairs {
					s := base
					s.Case, s.Size, s.InFlight, s.Pairs = c, size, inFlight, pairs
					if c.Known() && !c.Sized() {
						s.Size = 0
					}
					if c.Known() && !c.Windowed() {
						s.InFlight = 0
					}
					if !slices.Contains(cells, s) {
						cells = append(cells, s)
					}
				}
			}
		}
	}
	return cells
}

// Unused returns the lists of g that a case of it does not have: the sizes of a connect, the numbers in flight of a flood. sizes and
// inFlight say which lists somebody chose. A list that no case has is an error.
func (g Grid) Unused(sizes, inFlight bool) (unused []Missing, err error) {
	for _, l := range []struct {
		chosen      bool
		name, lacks string
		has         func(measure.Case) bool
	}{
		{sizes, "size", "no message of a size", measure.Case.Sized},
		{inFlight, "number in flight", "no window", measure.Case.Windowed},
	} {
		lacking := slices.DeleteFunc(slices.Clone(g.Cases), func(c measure.Case) bool { return !l.chosen || !c.Known() || l.has(c) })
		if len(lacking) > 0 && len(lacking) == len(g.Cases) {
			err = errors.Join(err, fmt.Errorf("%s: %s has %s", l.name, lacking[0], l.lacks))
		}
		for _, c := range lacking {
			unused = append(unused, Missing{fmt.Sprintf("%s by %s", c, l.name), "it has " + l.lacks})
		}
	}
	return unused, err
}
