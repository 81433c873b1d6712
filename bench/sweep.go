package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/coherer/coherer/bench/measure"
)

// The ways to raise the load of a sweep.
const (
	// ByInFlight doubles what is under way, from 1.
	ByInFlight = "in-flight"
	// ByRate raises the rate of an open loop by tenths of what a closed loop brought.
	ByRate = "rate"
)

// Ways are all ways to raise the load of a sweep.
var Ways = []string{ByInFlight, ByRate}

// The rules of a sweep. sweepGrowth is by how much a step must beat the best before it to count as growth; kneeShare is how much of the
// best throughput the knee has; explosion is how many times the least p99 is too late. A step's figures are medians of its trials.
const (
	sweepGrowth = 0.05
	kneeShare   = 0.95
	explosion   = 10
	flatSteps   = 2
	mostRates   = 30 // steps, up to three times the closed loop
)

// Sweep describes a report whose cells are steps of a growing load: how the steps were chosen, and where the knees are.
type Sweep struct {
	// By is one of Ways.
	By string `json:"by"`
	// Rule is how the end and the knees were found.
	Rule string `json:"rule"`
	// End is why the sweep did not go on.
	End   string `json:"end"`
	Knees []Knee `json:"knees"`
}

// Knee is the load beyond which a contender gains little but latency.
type Knee struct {
	Contender string `json:"contender"`
	// Cell is the place of the knee's cell in Report.Cells, from 0; -1: even the least load was too much.
	Cell int `json:"cell"`
}

var sweepRules = map[string]string{
	ByInFlight: fmt.Sprintf("the knee is the least in flight with %.0f %% of the best throughput; the end: %d steps in a row less than %.0f %% above "+
		"the best before them, while p99 doubled", 100*kneeShare, flatSteps, 100*sweepGrowth),
	ByRate: fmt.Sprintf("the knee is the highest rate that the median trial reached with a p99 of at most %d times that of the lowest rate, below the "+
		"first %d in a row of which that is not true; the end: these", explosion, flatSteps),
}

// MeasureSweep measures the one cell of o again and again, and raises its load by one of Ways until no contender gains by more. Of a
// rate, what is in flight in o.Cells is the bound. Its report, also after an error, is that of Run with Sweep set.
func MeasureSweep(ctx context.Context, o Options, by string) (*Report, error) {
	if len(o.Cells) != 1 {
		return nil, UsageError{fmt.Errorf("a sweep is of one case, size and number of pairs, not of %d", len(o.Cells))}
	}
	switch {
	case by == ByInFlight && o.Cells[0].Case.Known() && !o.Cells[0].Case.Windowed():
		return nil, UsageError{fmt.Errorf("%s has nothing in flight to raise: sweep it by %s", o.Cells[0].Case, ByRate)}
	case by == ByInFlight:
		o.Cells[0].InFlight = 1
	case by != ByRate:
		return nil, UsageError{fmt.Errorf("by %q: want one of %s", by, strings.Join(Ways, ", "))}
	}
	o.Baseline = nil
	return measureBy(ctx, o, func(ctx context.Context, r *runner) error {
		s := &sweeper{runner: r, spec: r.opts.Cells[0]}
		r.report.Sweep = &Sweep{By: by, Rule: sweepRules[by], End: sweepInterrupted, Knees: []Knee{}}
		var err error
		if by == ByInFlight {
			err = s.byInFlight(ctx)
		} else {
			err = s.byRate(ctx)
		}
		r.report.Sweep.Knees = r.report.knees()
		return err
	})
}

// sweepInterrupted is the End of a sweep that no rule ended: the steps that are missing may be better than its best.
const sweepInterrupted = "interrupted"

// sweeper is a sweep that goes on.
type sweeper struct {
	*runner
	spec measure.Spec
}

func (s *sweeper) end(format string, args ...any) { s.report.Sweep.End = fmt.Sprintf(format, args...) }

// step measures one more cell.
func (s *sweeper) step(ctx context.Context) error {
	cell, err := s.cell(ctx, &s.spec)
	// A step that an interrupt cut short has fewer trials than the others: it says nothing about the knee.
	if err == nil {
		s.report.Cells = append(s.report.Cells, cell)
	}
	return err
}

func (s *sweeper) byInFlight(ctx context.Context) error {
	for {
		if err := s.step(ctx); err != nil {
			return err
		}
		if s.report.flat() {
			s.end("no contender gained by more in flight")
			return nil
		}
		s.spec.InFlight *= 2
		if err := s.spec.Validate(); err != nil {
			s.end("%v", err)
			return nil
		}
	}
}

// byRate learns from a closed loop what the first contender can do, and goes up from a tenth of it.
func (s *sweeper) byRate(ctx context.Context) error {
	s.spec.Rate = 0
	closed, err := s.cell(ctx, &s.spec)
	if err != nil {
		return err
	}
	tenth := round2(closed.Contenders[0].Median / 10)
	if tenth <= 0 {
		return errors.New("the closed loop was too slow to make rates of")
	}
	for n := 1; n <= mostRates; n++ {
		s.spec.Rate = tenth * float64(n)
		if err := s.step(ctx); err != nil {
			return err
		}
		if s.report.exploded() {
			s.end("%d rates in a row were not reached, or came too late, by any contender", flatSteps)
			return nil
		}
	}
	s.end("%d rates are the most that a sweep has", mostRates)
	return nil
}

// round2 is n in two digits: rates that people can read.
func round2(n float64) float64 {
	if n <= 0 {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(n))-1)
	return math.Round(n/unit) * unit
}
