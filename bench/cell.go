package bench

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/coherer/coherer/bench/internal/figures"
	"github.com/coherer/coherer/bench/measure"
)

// Cell is the result of one case with one size, number in flight and number of pairs.
type Cell struct {
	Case measure.Case `json:"case"`
	// Size and InFlight are 0 in a case without them.
	Size     int `json:"size_bytes"`
	InFlight int `json:"in_flight"`
	Pairs    int `json:"pairs"`
	// Rate is how many a second the sending sides intended; 0: as many as may be under way.
	Rate float64 `json:"rate_per_second"`
	// Duration is that of the measured batch of each trial.
	Duration time.Duration `json:"duration_ns"`
	Trials   int           `json:"trials"`
	// Cut is how many trials of each are missing, when the run was interrupted.
	Cut int `json:"trials_cut,omitempty"`
	// Contenders are those that were measured, Coherer first.
	Contenders []*Contender `json:"contenders"`
	// Missing are those that were not measured, or failed.
	Missing []Missing `json:"missing"`
}

// Contender is the result of one contender in a cell.
type Contender struct {
	Name    string  `json:"name"`
	Version string  `json:"version,omitempty"`
	Trials  []Trial `json:"trials"`
	// Median, Min and Max are messages, asks or operations a second.
	Median float64 `json:"median_per_second"`
	Min    float64 `json:"min_per_second"`
	Max    float64 `json:"max_per_second"`
	// Ratio is Coherer's median to this one's.
	Ratio          float64 `json:"coherer_ratio"`
	BytesPerSecond float64 `json:"bytes_per_second"`
	// Allocs are allocations per message, ask or operation in both processes.
	Allocs Allocs `json:"allocs_per_message"`
	// CPU is the time that both processes ran per message, ask or operation, in nanoseconds: the figure that a busy machine spoils
	// least.
	CPU float64 `json:"cpu_ns_per_message"`
	// Behind says that the median trial did not reach the intended rate.
	Behind bool `json:"behind,omitempty"`
	// Latency and Histogram are of all trials together that reached it; with Behind both are empty.
	Latency   Latency           `json:"latency,omitzero"`
	Histogram measure.Histogram `json:"histogram,omitzero"`
	// Changes compare its figures with the baseline; empty if the baseline does not have it.
	Changes []Change `json:"changes,omitempty"`

	latest   measure.Histogram // of the latest trial
	noAllocs bool              // its runtime does not count them
}

func newCell(s *measure.Spec, trials int) *Cell {
	return &Cell{
		Case: s.Case, Size: s.Size, InFlight: s.InFlight, Pairs: s.Pairs, Rate: s.Rate, Duration: s.Duration, Trials: trials,
		Missing: []Missing{},
	}
}

// enter adds a contender to the cell.
func (c *Cell) enter(n measure.Named) *Contender {
	x := &Contender{Name: n.Name, Version: n.Version, noAllocs: n.NoAllocs}
	c.Contenders = append(c.Contenders, x)
	return x
}

func (c *Cell) miss(name, why string) { c.Missing = append(c.Missing, Missing{name, why}) }

func (c *Cell) drop(gone *Contender) {
	c.Contenders = slices.DeleteFunc(c.Contenders, func(x *Contender) bool { return x == gone })
}

// add takes a trial whose two sides agree.
func (c *Contender) add(spec *measure.Spec, result *measure.Result) error {
	if result == nil || result.Received == nil {
		return errors.New("a side of the trial is missing")
	}
	sent, received := &result.Sent, result.Received
	switch {
	case received.Fault != "":
		return errors.New(received.Fault)
	case sent.Messages == 0 || result.Elapsed(spec.Case) <= 0:
		return fmt.Errorf("%d messages in %s", sent.Messages, result.Elapsed(spec.Case))
	// A contender that loses messages must not win by that.
	case sent.Messages != received.Messages || received.Bytes != sent.Messages*uint64(spec.Size):
		return fmt.Errorf("%d messages of %d bytes were sent, %d messages and %d bytes came", sent.Messages, spec.Size, received.Messages, received.Bytes)
	}
	latency, used := &received.Latency, sent.Used
	if spec.Case.Kind() != measure.KindTell {
		latency = &sent.Latency
	}
	if spec.Case.Remote() { // else it is one process
		used = used.Plus(received.Used)
	}
	if sent.Behind() {
		latency = new(measure.Histogram)
	}
	n, elapsed := float64(sent.Messages), result.Elapsed(spec.Case)
	allocs := Allocs(float64(used.Mallocs) / n)
	if c.noAllocs {
		allocs = uncounted
	}
	c.Trials = append(c.Trials, Trial{
		Sent: sent.Messages, Received: received.Messages, Bytes: received.Bytes, Elapsed: int64(elapsed),
		Rate: n / elapsed.Seconds(), Allocs: allocs, CPU: float64(used.CPU) / n,
		Intended: sent.Intended, Reached: sent.Reached, Behind: sent.Behind(), Latency: latencyOf(latency),
	})
	// Merged by round alone: an interrupted round leaves no sample.
	c.latest = *latency
	return nil
}

// round ends a round: each contender had its trial.
func (c *Cell) round() {
	for _, x := range c.Contenders {
		x.Histogram.Merge(&x.latest)
	}
}

// cut makes a cell of the first trials alone, and finishes it.
func (c *Cell) cut(trials int) {
	c.Trials, c.Cut = trials, c.Trials-trials
	for _, x := range c.Contenders {
		x.Trials = x.Trials[:trials]
	}
	c.finish()
}

// finish computes the figures over all trials.
func (c *Cell) finish() {
	for _, x := range c.Contenders {
		rates := x.each(func(t *Trial) float64 { return t.Rate })
		// Medians: on a shared machine one disturbed trial must not move the figure.
		x.Median, x.Min, x.Max = figures.Median(rates), slices.Min(rates), slices.Max(rates)
		x.BytesPerSecond = x.Median * float64(c.Size)
		x.Allocs = Allocs(figures.Median(x.each(func(t *Trial) float64 { return float64(t.Allocs) })))
		x.CPU = figures.Median(x.each(func(t *Trial) float64 { return t.CPU }))
		if x.Behind = 2*x.missed() >= len(x.Trials); x.Behind {
			x.Histogram = measure.Histogram{}
		}
		x.Latency = latencyOf(&x.Histogram)
	}
	// In a loop of its own: the first contender's median must be there.
	for _, x := range c.Contenders {
		x.Ratio = c.Contenders[0].Median / x.Median
	}
}

// missed is how many trials did not reach the intended rate.
func (c *Contender) missed() (n int) {
	for i := range c.Trials {
		if c.Trials[i].Behind {
			n++
		}
	}
	return n
}

// each is one figure of every trial.
func (c *Contender) each(figure func(*Trial) float64) []float64 {
	all := make([]float64, len(c.Trials))
	for i := range c.Trials {
		all[i] = figure(&c.Trials[i])
	}
	return all
}
