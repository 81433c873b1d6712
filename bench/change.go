package bench

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"

	"github.com/coherer/coherer/bench/internal/figures"
)

// The verdicts of a Change.
const (
	Better = "better"
	Worse  = "worse"
	Same   = "same"
)

// LeastForTest is how many trials of each side the test needs: with three on each side even ranges apart have p = 0.1.
const LeastForTest = 4

// leastChange is the share below which a difference is no change. Counts of equal programs differ by less, but always in one direction,
// so the U test would call that a change.
const leastChange = 0.01

const verdictRule = "better or worse: the medians differ by 1 % or more, and by the Mann-Whitney U test over the trials p < 0.05, " +
	"or with fewer than 4 trials on a side, their ranges do not overlap; else same"

// Change compares one figure of a contender with the baseline.
type Change struct {
	Metric string  `json:"metric"`
	Was    float64 `json:"was"`
	Now    float64 `json:"now"`
	// Share is by how much the median changed: 0.1 is 10 % more.
	Share   float64 `json:"change"`
	Verdict string  `json:"verdict"`
	// P is that of the U test; absent when there were too few trials for it.
	P *float64 `json:"p,omitempty"`
}

// metric is a figure of every trial.
type metric struct {
	name   string
	of     func(*Trial) float64 // NaN where a trial has none
	higher bool                 // is better
}

var metrics = []metric{
	{"rate", func(t *Trial) float64 { return t.Rate }, true},
	{"cpu", func(t *Trial) float64 { return t.CPU }, false},
	{"allocs", func(t *Trial) float64 { return float64(t.Allocs) }, false},
	{"p50", func(t *Trial) float64 { return t.Latency.figure(t.Latency.P50) }, false},
	{"p99", func(t *Trial) float64 { return t.Latency.figure(t.Latency.P99) }, false},
}

// metricNames are the names of the metrics.
func metricNames() (names []string) {
	for _, m := range metrics {
		names = append(names, m.name)
	}
	return names
}

func changes(was, now *Contender) (all []Change) {
	for _, m := range metrics {
		before, after := was.each(m.of), now.each(m.of)
		if slices.ContainsFunc(before, math.IsNaN) || slices.ContainsFunc(after, math.IsNaN) {
			continue // allocations that were not counted, the latency of a rate that was not reached
		}
		all = append(all, m.change(before, after))
	}
	return all
}

// change compares the trials of one figure by verdictRule.
func (m metric) change(was, now []float64) Change {
	c := Change{Metric: m.name, Was: figures.Median(was), Now: figures.Median(now), Verdict: Same}
	if c.Was != 0 {
		c.Share = c.Now/c.Was - 1
	} else if c.Now != 0 {
		c.Share = 1 // from nothing to something: no share is right, and it must not be no change
	}
	apart := slices.Max(was) < slices.Min(now) || slices.Max(now) < slices.Min(was)
	if min(len(was), len(now)) >= LeastForTest {
		t := benchmath.DefaultThresholds
		test := benchmath.AssumeNothing.Compare(benchmath.NewSample(was, &t), benchmath.NewSample(now, &t))
		c.P = &test.P
		apart = test.P < test.Alpha
	}
	switch {
	case !apart || math.Abs(c.Share) < leastChange:
	case (c.Share > 0) == m.higher:
		c.Verdict = Better
	default:
		c.Verdict = Worse
	}
	return c
}
