package bench

import (
	"math"

	"github.com/coherer/coherer/bench/internal/figures"
)

// of returns a contender's part of each cell; nil where a cell has none.
func (r *Report) of(name string) []*Contender {
	steps := make([]*Contender, len(r.Cells))
	for i, c := range r.Cells {
		steps[i] = c.contender(name)
	}
	return steps
}

// names are the names of the contenders, in the order of their first cells.
func (r *Report) names() (names []string) {
	seen := map[string]bool{}
	for _, c := range r.Cells {
		for _, x := range c.Contenders {
			if !seen[x.Name] {
				seen[x.Name] = true
				names = append(names, x.Name)
			}
		}
	}
	return names
}

// flat reports whether the latest steps brought no contender more throughput, while its latency grew.
func (r *Report) flat() bool {
	for _, name := range r.names() {
		if !flat(r.of(name)) {
			return false
		}
	}
	return true
}

func flat(steps []*Contender) bool {
	if len(steps) <= flatSteps {
		return false
	}
	early, late := steps[:len(steps)-flatSteps], steps[len(steps)-flatSteps:]
	best := 0.0
	var atBest *Contender
	for _, s := range early {
		if s != nil && s.Median > best {
			best, atBest = s.Median, s
		}
	}
	if atBest == nil {
		return true // it has failed, and does not come back
	}
	for _, s := range late {
		if s != nil && s.Median > best*(1+sweepGrowth) {
			return false
		}
	}
	last := late[len(late)-1]
	return last == nil || last.p99() >= 2*atBest.p99()
}

// p99 is the median of those of the trials, in nanoseconds: one trial that stalled ends no sweep. One that did not reach its rate is
// later than all.
func (c *Contender) p99() float64 {
	return figures.Median(c.each(func(t *Trial) float64 {
		if t.Behind {
			return math.Inf(1)
		}
		return float64(t.Latency.P99)
	}))
}

// exploded reports whether the latest rates were too much for every contender.
func (r *Report) exploded() bool {
	for _, name := range r.names() {
		steps := r.of(name)
		if len(steps) < flatSteps {
			return false
		}
		for _, s := range steps[len(steps)-flatSteps:] {
			if inTime(s, steps[0]) {
				return false
			}
		}
	}
	return true
}

// inTime reports whether a step reached its rate with a latency that is no explosion beside that of the first one.
func inTime(step, first *Contender) bool {
	return step != nil && first != nil && !step.Behind && step.p99() <= explosion*first.p99()
}

// knees finds the knee of each contender by the sweep's rule. A contender without a knee has the cell -1.
func (r *Report) knees() []Knee {
	all := []Knee{}
	for _, name := range r.names() {
		k := Knee{name, -1}
		switch {
		case r.Sweep.End == sweepInterrupted:
		case r.Sweep.By == ByInFlight:
			k.Cell = kneeInFlight(r.of(name))
		default:
			k.Cell = kneeRate(r.of(name))
		}
		all = append(all, k)
	}
	return all
}

// kneeInFlight is the least load with nearly the best throughput.
func kneeInFlight(steps []*Contender) int {
	best := 0.0
	for _, s := range steps {
		if s != nil {
			best = max(best, s.Median)
		}
	}
	for i, s := range steps {
		if s != nil && s.Median >= kneeShare*best {
			return i
		}
	}
	return -1
}

// kneeRate is the last of the rates that came in time, below the first few in a row that did not. One that came in time beyond
// these was luck; a single one that did not, between others that did, was a disturbance.
func kneeRate(steps []*Contender) int {
	knee, missed := -1, 0
	for i, s := range steps {
		if inTime(s, steps[0]) {
			knee, missed = i, 0
		} else if missed++; missed == flatSteps {
			break
		}
	}
	return knee
}
