package bench

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/coherer/coherer/bench/measure"
)

// Report is the result of a run.
type Report struct {
	Environment Environment  `json:"environment"`
	Case        measure.Case `json:"case"`
	Size        int          `json:"size_bytes"`
	InFlight    int          `json:"in_flight"`
	// Duration is that of the measured batch of each trial.
	Duration time.Duration `json:"duration_ns"`
	Trials   int           `json:"trials"`
	// Cut is how many trials of each are missing, when the run was interrupted.
	Cut int `json:"trials_cut,omitempty"`
	// Contenders were measured; Coherer is the first.
	Contenders []*Contender `json:"contenders"`
	// Missing were not measured, or failed.
	Missing []Missing `json:"missing"`
}

// Contender is what was measured of one.
type Contender struct {
	Name    string  `json:"name"`
	Version string  `json:"version,omitempty"`
	Trials  []Trial `json:"trials"`
	// Median, Min and Max are messages, or asks, a second.
	Median float64 `json:"median_per_second"`
	Min    float64 `json:"min_per_second"`
	Max    float64 `json:"max_per_second"`
	// Ratio is Coherer's median to this one's.
	Ratio          float64 `json:"coherer_ratio"`
	BytesPerSecond float64 `json:"bytes_per_second"`
	// Allocs are allocations per message or ask in both processes.
	Allocs float64 `json:"allocs_per_message"`
	// CPU is the time that both processes ran per message or ask, in nanoseconds: the figure that a busy machine spoils least.
	CPU     float64 `json:"cpu_ns_per_message"`
	Latency Latency `json:"latency"`

	histogram measure.Histogram // of the complete rounds
	latest    measure.Histogram // of the latest trial
}

// Trial is one of a contender.
type Trial struct {
	Sent     uint64        `json:"sent"`
	Received uint64        `json:"received"`
	Bytes    uint64        `json:"bytes"`
	Elapsed  time.Duration `json:"elapsed_ns"`
	Rate     float64       `json:"per_second"`
	Allocs   float64       `json:"allocs_per_message"`
	CPU      float64       `json:"cpu_ns_per_message"`
}

// Latency are the percentiles of all trials together, in nanoseconds.
type Latency struct {
	Samples uint64 `json:"samples"`
	P50     int64  `json:"p50_ns"`
	P90     int64  `json:"p90_ns"`
	P99     int64  `json:"p99_ns"`
	P999    int64  `json:"p999_ns"`
	Max     int64  `json:"max_ns"`
}

// Missing is a contender that was not measured, and why.
type Missing struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

func newReport(o *Options) *Report {
	return &Report{
		Environment: newEnvironment(o.Spec.Record),
		Case:        o.Spec.Case, Size: o.Spec.Size, InFlight: o.Spec.InFlight, Duration: o.Spec.Duration, Trials: o.Trials,
		Missing: []Missing{},
	}
}

func (r *Report) miss(name, why string) { r.Missing = append(r.Missing, Missing{name, why}) }

func (r *Report) drop(c *Contender) {
	r.Contenders = slices.DeleteFunc(r.Contenders, func(x *Contender) bool { return x == c })
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
	case sent.Messages == 0 || sent.Elapsed <= 0:
		return fmt.Errorf("%d messages in %s", sent.Messages, sent.Elapsed)
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
	n := float64(sent.Messages)
	c.Trials = append(c.Trials, Trial{
		Sent: sent.Messages, Received: received.Messages, Bytes: received.Bytes, Elapsed: sent.Elapsed,
		Rate: n / sent.Elapsed.Seconds(), Allocs: float64(used.Mallocs) / n, CPU: float64(used.CPU) / n,
	})
	// Merged by round alone: an interrupted round leaves no sample.
	c.latest = *latency
	return nil
}

// round ends a round: each contender had its trial.
func (r *Report) round() {
	for _, c := range r.Contenders {
		c.histogram.Merge(&c.latest)
	}
}

// cut makes a report of the first trials alone, and finishes it.
func (r *Report) cut(trials int) {
	r.Trials, r.Cut = trials, r.Trials-trials
	for _, c := range r.Contenders {
		c.Trials = c.Trials[:trials]
	}
	r.finish()
}

// finish computes the figures over all trials.
func (r *Report) finish() {
	for _, c := range r.Contenders {
		var rates, allocs, cpus []float64
		for _, t := range c.Trials {
			rates, allocs, cpus = append(rates, t.Rate), append(allocs, t.Allocs), append(cpus, t.CPU)
		}
		// Medians: on a shared machine one disturbed trial must not move the figure.
		c.Median, c.Min, c.Max = median(rates), slices.Min(rates), slices.Max(rates)
		c.BytesPerSecond, c.Allocs, c.CPU = c.Median*float64(r.Size), median(allocs), median(cpus)
		h := &c.histogram
		c.Latency = Latency{h.Count(), h.Percentile(0.5), h.Percentile(0.9), h.Percentile(0.99), h.Percentile(0.999), h.Max()}
	}
	// In a loop of its own: the first contender's median must be there.
	for _, c := range r.Contenders {
		c.Ratio = r.Contenders[0].Median / c.Median
	}
}

// median is the middle one, or the mean of the two in the middle.
func median(of []float64) float64 {
	s := slices.Sorted(slices.Values(of))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
