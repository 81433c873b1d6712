package bench

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/coherer/coherer/bench/measure"
)

// Format is the version of a Report in JSON. Fields are added without a new one.
const Format = "coherer-bench/1"

// Report is the result of a run.
type Report struct {
	Format      string      `json:"format"`
	Environment Environment `json:"environment"`
	// Peer is the machine of the receiving sides, when it is another one.
	Peer *Peer `json:"peer,omitempty"`
	// Cells were measured, in the order of Options.
	Cells []*Cell `json:"cells"`
	// Against is what it was compared with; nil: with nothing.
	Against *Against `json:"against,omitempty"`
	// Sweep is set when the cells are steps of a sweep.
	Sweep *Sweep `json:"sweep,omitempty"`
	// Cut is how many cells are missing, when the run ended early.
	Cut int `json:"cells_cut,omitempty"`
	// Missing are contenders, or programs of them, that no cell has.
	Missing []Missing `json:"missing"`
}

// Peer is a machine where Serve runs.
type Peer struct {
	Address     string      `json:"address"`
	Environment Environment `json:"environment"`
}

// Missing is a contender that was not measured, and why.
type Missing struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

func newReport(o *Options) *Report {
	return &Report{Format: Format, Environment: newEnvironment(o.Cells[0].Record), Cells: []*Cell{}, Missing: []Missing{}}
}

// Trial is the result of one trial of a contender.
type Trial struct {
	Sent     uint64 `json:"sent"`
	Received uint64 `json:"received"`
	Bytes    uint64 `json:"bytes"`
	// Elapsed is in nanoseconds.
	Elapsed int64   `json:"elapsed_ns"`
	Rate    float64 `json:"per_second"`
	Allocs  Allocs  `json:"allocs_per_message"`
	CPU     float64 `json:"cpu_ns_per_message"`
	// Intended and Reached are the rates of an open loop, a second; 0 in a closed loop.
	Intended float64 `json:"intended_per_second,omitempty"`
	Reached  float64 `json:"reached_per_second,omitempty"`
	// Behind says that the intended rate was not reached.
	Behind bool `json:"behind,omitempty"`
	// Latency has the percentiles of this trial. A trial that is Behind has none: its messages queued before they were sent, the longer
	// the longer the trial, and that is not the latency of any rate.
	Latency Latency `json:"latency,omitzero"`
}

// Allocs are allocations per message, ask or operation; NaN, null in JSON, of a contender whose runtime does not count them.
type Allocs float64

// uncounted are the Allocs of a runtime that does not count them.
var uncounted = Allocs(math.NaN())

// Counted reports whether there is a number.
func (a Allocs) Counted() bool { return !math.IsNaN(float64(a)) }

// MarshalJSON writes the number or null.
func (a Allocs) MarshalJSON() ([]byte, error) {
	if !a.Counted() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(a))
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (a *Allocs) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*a = uncounted
		return nil
	}
	return json.Unmarshal(text, (*float64)(a))
}

// String is the number with one digit after the point, or a dash.
func (a Allocs) String() string {
	if !a.Counted() {
		return "-"
	}
	return strconv.FormatFloat(float64(a), 'f', 1, 64)
}

// Latency are percentiles, in nanoseconds.
type Latency struct {
	Samples uint64 `json:"samples"`
	P50     int64  `json:"p50_ns"`
	P90     int64  `json:"p90_ns"`
	P99     int64  `json:"p99_ns"`
	P999    int64  `json:"p999_ns"`
	Max     int64  `json:"max_ns"`
}

// figure is ns, or NaN when there is no latency.
func (l *Latency) figure(ns int64) float64 {
	if l.Samples == 0 {
		return math.NaN()
	}
	return float64(ns)
}

func latencyOf(h *measure.Histogram) Latency {
	return Latency{h.Count(), h.Percentile(0.5), h.Percentile(0.9), h.Percentile(0.99), h.Percentile(0.999), h.Max()}
}
