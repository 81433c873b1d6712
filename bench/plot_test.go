package bench

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/bench/measure"
)

func plotted(t *testing.T, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Plot(&b); err != nil {
		t.Fatal(err)
	}
	in := xml.NewDecoder(strings.NewReader(b.String()))
	for {
		if _, err := in.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, b.String())
		}
	}
	if strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") || strings.Contains(b.String(), "<script") {
		t.Errorf("got\n%s", b.String())
	}
	return b.String()
}

// The drawing has a panel for each case, a line for p50 and one for p99 of each contender, a dot for each of its loads, and a knee.
func TestPlot(t *testing.T) {
	r := fixed(t)
	spec := measure.Spec{Case: measure.RemoteAsk, Size: 1024, InFlight: 1, Pairs: 1, Duration: time.Second}
	r.Cells = append(r.Cells, fixedCell(t, spec, map[string][]uint64{"coherer": {10, 20}, "raw-tcp": {30, 40}}))
	r.Sweep = &Sweep{By: ByInFlight, Knees: []Knee{{"coherer", 0}}}
	svg := plotted(t, r)
	for text, n := range map[string]int{
		">remote-ask 1KiB</text>":                          1, // one panel for both numbers in flight
		">connect, 2 pairs</text>":                         1,
		`<path class="c0" `:                                2,
		`<path class="c0 dashed" `:                         2,
		`<path class="c1" `:                                1,
		`<circle class="dot c0"`:                           2 * 3,
		`<circle class="dot c1"`:                           2 * 2,
		`<circle class="knee c0"`:                          1,
		">coherer</text>":                                  2,
		">raw-tcp</text>":                                  1,
		">asks/s</text>":                                   1,
		">latency</text>":                                  2,
		"coherer, 64 in flight: 2.00k/s, p50 3µs, p99 3µs": 2,
	} {
		if got := strings.Count(svg, text); got != n {
			t.Errorf("%q is there %d times, want %d", text, got, n)
		}
	}
	// From the least load to the most, which the report has first: here the line goes to the right.
	var x, y, nextX, nextY float64
	_, line, _ := strings.Cut(svg, `<path class="c0" d="`)
	if _, err := fmt.Sscanf(line, "M%f %fL%f %f", &x, &y, &nextX, &nextY); err != nil || x >= nextX {
		t.Errorf("%v: the line begins with %.40s", err, line)
	}
}

// A point that has no latency, since its rate was not reached, is not drawn; a report without any is an error.
func TestPlotLeavesOutWhatWasNotMeasured(t *testing.T) {
	r := fixed(t)
	r.Cells = r.Cells[:1]
	x := r.Cells[0].Contenders[1]
	x.Behind, x.Latency = true, Latency{}
	if svg := plotted(t, r); strings.Contains(svg, "raw-tcp") {
		t.Error("it is drawn")
	}
	r.Cells[0].Contenders = r.Cells[0].Contenders[1:]
	if err := r.Plot(io.Discard); err == nil || !strings.Contains(err.Error(), "no latency") {
		t.Error(err)
	}
	if err := new(Report).Plot(io.Discard); err == nil {
		t.Error("an empty report is drawn")
	}
}

// Names come from other programs and from files: none is markup.
func TestPlotOfHostileNames(t *testing.T) {
	r := fixed(t)
	r.Environment.CPU = `<script>"&`
	r.Cells[0].Contenders[0].Name = `</text><script>&`
	r.Cells[0].Case = `<case>`
	plotted(t, r)
}

// Of any figures the dots are within the axes, and there are a few ticks.
func TestScales(t *testing.T) {
	for _, most := range []float64{1e-6, 0.3, 1, 7, 99, 1000, 123_456, 9.99e6, 3e9} {
		p := &panel{lines: []plotLine{{"x", []plotPoint{{perSec: most, p50: 1, p99: most * 1e3}, {perSec: most / 2, p50: 3, p99: 4}}}}}
		x, y := p.scales(0)
		for _, q := range p.lines[0].points {
			if at := x.at(q.perSec); at < x.from || at > x.to+0.01 {
				t.Errorf("%v: x %v", most, at)
			}
			if at := y.at(max(q.p99, 1)); at > y.from || at < y.to {
				t.Errorf("%v: y %v", most, at)
			}
		}
		if n := len(x.ticks()); n < 3 || n > 10 {
			t.Errorf("%v: %d ticks: %v", most, n, x.ticks())
		}
		if n := len(y.ticks()); n < 2 || n > 20 || math.IsNaN(y.at(1)) {
			t.Errorf("%v: %d ticks: %v", most, n, y.ticks())
		}
	}
}
