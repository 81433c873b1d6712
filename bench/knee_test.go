package bench

import (
	"testing"
)

// step is what a load brought: a median and a p99.
type step struct {
	rate   float64
	p99    int64
	behind bool
}

// swept is a report of a sweep of one contender; a nil step is one that failed.
func swept(by string, steps ...*step) *Report {
	r := &Report{Sweep: &Sweep{By: by}}
	for _, s := range steps {
		c := &Cell{}
		if s != nil {
			trial := Trial{Rate: s.rate, Behind: s.behind, Latency: Latency{Samples: 1, P99: s.p99}}
			c.Contenders = []*Contender{{Name: "x", Median: s.rate, Behind: s.behind, Trials: []Trial{trial}}}
		}
		r.Cells = append(r.Cells, c)
	}
	return r
}

func TestTheEndOfASweepByInFlight(t *testing.T) {
	for name, c := range map[string]struct {
		steps []*step
		want  bool
	}{
		"one step":                             {[]*step{{100, 10, false}}, false},
		"two steps":                            {[]*step{{100, 10, false}, {100, 20, false}}, false},
		"no growth, p99 doubled":               {[]*step{{100, 10, false}, {101, 15, false}, {104, 20, false}}, true},
		"no growth, p99 not doubled":           {[]*step{{100, 10, false}, {101, 15, false}, {104, 19, false}}, false},
		"growth in the last step":              {[]*step{{100, 10, false}, {101, 15, false}, {106, 40, false}}, false},
		"growth in the last but one":           {[]*step{{100, 10, false}, {106, 15, false}, {104, 40, false}}, false},
		"growth, then none":                    {[]*step{{100, 10, false}, {200, 10, false}, {205, 15, false}, {199, 20, false}}, true},
		"the p99 is compared with the best's":  {[]*step{{100, 10, false}, {200, 20, false}, {205, 30, false}, {199, 39, false}}, false},
		"failed from the beginning":            {[]*step{{1, 10, false}, nil, nil}, true},
		"a contender that has another to come": {[]*step{nil, nil, {1, 10, false}}, true},
	} {
		if got := swept(ByInFlight, c.steps...).flat(); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestTheEndOfASweepByRate(t *testing.T) {
	for name, c := range map[string]struct {
		steps []*step
		want  bool
	}{
		"one step":               {[]*step{{10, 10, false}}, false},
		"in time":                {[]*step{{10, 10, false}, {20, 100, false}, {30, 100, false}}, false},
		"two not reached":        {[]*step{{10, 10, false}, {20, 0, true}, {21, 0, true}}, true},
		"one not reached":        {[]*step{{10, 10, false}, {20, 0, true}, {30, 10, false}}, false},
		"two late":               {[]*step{{10, 10, false}, {20, 101, false}, {30, 101, false}}, true},
		"late and not reached":   {[]*step{{10, 10, false}, {20, 101, false}, {30, 0, true}}, true},
		"the first not reached":  {[]*step{{10, 0, true}, {10, 0, true}}, true},
		"in time after not once": {[]*step{{10, 10, false}, {20, 0, true}, {30, 20, false}, {40, 20, false}}, false},
	} {
		if got := swept(ByRate, c.steps...).exploded(); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestKnees(t *testing.T) {
	for name, c := range map[string]struct {
		by    string
		steps []*step
		want  int
	}{
		"the first with 95 % of the best":       {ByInFlight, []*step{{50, 1, false}, {94, 1, false}, {95, 1, false}, {100, 1, false}, {99, 1, false}}, 2},
		"the only one":                          {ByInFlight, []*step{{50, 1, false}}, 0},
		"beside a failure":                      {ByInFlight, []*step{nil, {50, 1, false}}, 1},
		"the last rate in time":                 {ByRate, []*step{{10, 10, false}, {20, 100, false}, {30, 101, false}, {40, 0, true}}, 1},
		"all rates in time":                     {ByRate, []*step{{10, 10, false}, {20, 10, false}}, 1},
		"a rate that was not reached":           {ByRate, []*step{{10, 10, false}, {15, 0, true}}, 0},
		"not even the first":                    {ByRate, []*step{{10, 0, true}, {10, 0, true}}, -1},
		"one rate that was disturbed":           {ByRate, []*step{{10, 10, false}, {20, 1000, false}, {30, 10, false}}, 2},
		"two, each alone":                       {ByRate, []*step{{10, 10, false}, {20, 0, true}, {30, 10, false}, {40, 0, true}, {50, 9, false}, {60, 0, true}}, 4},
		"luck beyond two that were not in time": {ByRate, []*step{{10, 10, false}, {20, 1000, false}, {30, 0, true}, {40, 10, false}}, 0},
	} {
		r := swept(c.by, c.steps...)
		if got := r.knees(); len(got) != 1 || got[0] != (Knee{"x", c.want}) {
			t.Errorf("%s: %v, want %d", name, got, c.want)
		}
	}
}

// A step is as its median trial: one trial that missed the rate, or stalled, sets no knee and ends no sweep; two of three do.
func TestAStepIsAsItsMedianTrial(t *testing.T) {
	in, late, missed := Trial{Latency: Latency{P99: 10}}, Trial{Latency: Latency{P99: 1000}}, Trial{Behind: true}
	for name, c := range map[string]struct {
		trials []Trial
		want   bool
	}{
		"all in time":             {[]Trial{in, in, in}, true},
		"one missed":              {[]Trial{in, missed, in}, true},
		"one late":                {[]Trial{late, in, in}, true},
		"one missed, another one": {[]Trial{late, in, missed}, false},
		"two missed":              {[]Trial{missed, in, missed}, false},
		"one of two":              {[]Trial{in, missed}, false},
	} {
		x := &Contender{Name: "x", Trials: c.trials}
		first := &Contender{Name: "x", Trials: []Trial{in}}
		cell := Cell{Contenders: []*Contender{x}}
		cell.finish()
		if got := inTime(x, first); got != c.want {
			t.Errorf("%s: in time %v, want %v", name, got, c.want)
		}
		r := &Report{Sweep: &Sweep{By: ByRate}, Cells: []*Cell{{Contenders: []*Contender{first}}, &cell, &cell}}
		if r.exploded() == c.want {
			t.Errorf("%s: the sweep ends: %v", name, !c.want)
		}
	}
}

func TestRatesInTwoDigits(t *testing.T) {
	for n, want := range map[float64]float64{0: 0, -3: 0, 1234: 1200, 98765: 99000, 9960: 10000, 7: 7, 0.0123: 0.012} {
		if got := round2(n); got < want*0.9999 || got > want*1.0001 {
			t.Errorf("%v: %v, want %v", n, got, want)
		}
	}
}
