package bench

import (
	"fmt"
	"io"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/coherer/coherer/bench/measure"
)

// benchstat writes the Go benchmark format, a line for each trial, which benchstat and its kin compare:
//
//	BenchmarkCoherer/case=remote-ask/contender=coherer/size=76B/inflight=64/pairs=1-2  53211  18793 ns/op  53211 asks/s  14 allocs/op
func (r *Report) benchstat(out io.Writer) error {
	w := benchfmt.NewWriter(out)
	system, arch, _ := strings.Cut(r.Environment.OS, "/")
	var config []benchfmt.Config
	for _, kv := range [][2]string{
		{"goos", system},
		{"goarch", arch},
		{"pkg", "github.com/coherer/coherer/bench"},
		{"cpu", r.Environment.CPU},
		{"commit", r.Environment.Commit},
		{"record", r.Environment.Record},
	} {
		config = append(config, benchfmt.Config{Key: kv[0], Value: []byte(kv[1]), File: true})
	}
	if err := r.units(w); err != nil {
		return err
	}
	for _, c := range r.Cells {
		for _, x := range c.Contenders {
			for i := range x.Trials {
				line := benchfmt.Result{Config: config, Name: c.benchmark(x, r.Environment.GOMAXPROCS), Iters: int(x.Trials[i].Sent), Values: c.values(&x.Trials[i])}
				if err := w.Write(&line); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// units says which figures are better when they are higher: benchstat knows those of package testing alone.
func (r *Report) units(w *benchfmt.Writer) error {
	said := map[string]bool{}
	for _, c := range r.Cells {
		for _, u := range [][2]string{{c.Case.Unit() + "/s", "higher"}, {"cpu-ns/op", "lower"}, {"p50-ns", "lower"}, {"p99-ns", "lower"}} {
			if said[u[0]] {
				continue
			}
			said[u[0]] = true
			m := benchfmt.UnitMetadata{UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: u[0], Key: "better"}, OrigUnit: u[0], Value: u[1]}
			if err := w.Write(&m); err != nil {
				return err
			}
		}
	}
	return nil
}

// benchmark is the benchmark's name for a contender in the cell, without the word Benchmark, which the writer puts before it.
func (c *Cell) benchmark(x *Contender, procs int) benchfmt.Name {
	name := fmt.Sprintf("Coherer/case=%s/contender=%s", c.Case, x.Name)
	if c.Size > 0 {
		name += "/size=" + measure.FormatSize(c.Size)
	}
	if c.InFlight > 0 {
		name += fmt.Sprint("/inflight=", c.InFlight)
	}
	name += fmt.Sprint("/pairs=", c.Pairs)
	if c.Rate > 0 {
		name += fmt.Sprint("/rate=", c.Rate)
	}
	if procs > 1 { // as package testing does
		name += fmt.Sprint("-", procs)
	}
	return benchfmt.Name(name)
}

func (c *Cell) values(t *Trial) []benchfmt.Value {
	values := []benchfmt.Value{
		{Value: float64(t.Elapsed) / float64(t.Sent), Unit: "ns/op"},
		{Value: t.Rate, Unit: c.Case.Unit() + "/s"},
		{Value: t.CPU, Unit: "cpu-ns/op"},
	}
	if t.Allocs.Counted() {
		values = append(values, benchfmt.Value{Value: float64(t.Allocs), Unit: "allocs/op"})
	}
	if l := t.Latency; l.Samples > 0 {
		values = append(values, benchfmt.Value{Value: float64(l.P50), Unit: "p50-ns"}, benchfmt.Value{Value: float64(l.P99), Unit: "p99-ns"})
	}
	return values
}
