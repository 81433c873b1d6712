package bench

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/coherer/coherer/bench/measure"
)

// fixed is a report of two cells: an ask of two contenders with two trials each, a connect of one.
func fixed(t *testing.T) *Report {
	t.Helper()
	r := &Report{
		Format:      Format,
		Environment: Environment{CPU: "a CPU", Cores: 2, GOMAXPROCS: 2, Go: "go1", OS: "linux/amd64", Commit: "abc", Record: measure.RecordRing},
		Missing:     []Missing{{"absent", "it is not here"}},
	}
	ask := fixedCell(t, measure.Spec{Case: measure.RemoteAsk, Size: 1024, InFlight: 64, Pairs: 1, Duration: time.Second}, map[string][]uint64{"coherer": {1000, 3000}, "raw-tcp": {4000, 4000}})
	connect := fixedCell(t, measure.Spec{Case: measure.Connect, InFlight: 1, Pairs: 2, Duration: time.Second}, map[string][]uint64{"coherer": {50, 70}})
	connect.miss("ghost", "it does not do connect")
	r.Cells = []*Cell{ask, connect}
	return r
}

// fixedCell is a cell of trials that last a second; each has a number of messages, with 2 allocations, 1 µs of CPU and 3 µs of latency.
func fixedCell(t *testing.T, spec measure.Spec, trials map[string][]uint64) *Cell {
	t.Helper()
	c := newCell(&spec, len(trials["coherer"]))
	for _, name := range []string{"coherer", "raw-tcp"} {
		if trials[name] == nil {
			continue
		}
		x := c.enter(measure.Named{Name: name, Version: map[string]string{"raw-tcp": "v9"}[name]})
		for _, n := range trials[name] {
			result := measure.Result{
				Sent: measure.Sent{Messages: n, Elapsed: time.Second, Used: measure.Usage{Mallocs: n, CPU: time.Duration(n) * 500}},
				Received: &measure.Received{
					Messages: n, Bytes: n * uint64(spec.Size), Used: measure.Usage{Mallocs: n, CPU: time.Duration(n) * 500},
				},
			}
			for range n {
				result.Sent.Latency.Record(3000)
			}
			if err := x.add(&spec, &result); err != nil {
				t.Fatal(err)
			}
			x.Histogram.Merge(&x.latest)
		}
	}
	c.finish()
	return c
}

func written(t *testing.T, r *Report, format string) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Write(&b, format); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestText(t *testing.T) {
	want := `a CPU, 2 cores, GOMAXPROCS 2, go1, linux/amd64, commit abc, recording ring

remote-ask 1KiB, 64 in flight: coherer 2.00k asks/s: 0.50 of raw-tcp
           asks/s    min    max  coherer is  bytes/s  allocs  CPU  p50  p90  p99  p99.9  max
  coherer   2.00k  1.00k  3.00k        1.00    2.05M     2.0  1µs  3µs  3µs  3µs    3µs  3µs
  raw-tcp   4.00k  4.00k  4.00k        0.50    4.10M     2.0  1µs  3µs  3µs  3µs    3µs  3µs

connect, 1 in flight, 2 pairs: coherer 60.0 connects/s
           connects/s   min   max  coherer is  bytes/s  allocs  CPU  p50  p90  p99  p99.9  max
  coherer        60.0  50.0  70.0        1.00        -     2.0  1µs  3µs  3µs  3µs      -  3µs
ghost was not measured: it does not do connect

median, least and most of 2 trials of 1s each; allocations and CPU time per message, both sides
latency of asks: round trip of each ask, all trials together
latency of connects: that of each operation, all trials together
- in place of a percentile: there are too few samples for it: p90 needs 10, p99 100, p99.9 1000
closed loop: a receiver that stalls is sent less meanwhile, so the percentiles leave out messages that would have waited (coordinated omission); --rate counts them
absent was not measured: it is not here
raw-tcp is v9
`
	if got := written(t, fixed(t), "text"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A percentile of too few samples is a dash: it would be the maximum.
func TestPercentilesOfFewSamples(t *testing.T) {
	for samples, want := range map[uint64]string{
		0: "-\t-\t-\t-\t-", 1: "1ns\t-\t-\t-\t5ns", 9: "1ns\t-\t-\t-\t5ns", 10: "1ns\t2ns\t-\t-\t5ns", 99: "1ns\t2ns\t-\t-\t5ns",
		100: "1ns\t2ns\t3ns\t-\t5ns", 999: "1ns\t2ns\t3ns\t-\t5ns", 1000: "1ns\t2ns\t3ns\t4ns\t5ns",
	} {
		c := &Contender{Latency: Latency{samples, 1, 2, 3, 4, 5}}
		if got := c.latencyColumns(); got != want {
			t.Errorf("%d samples: %q, want %q", samples, got, want)
		}
		if few := c.Latency.few(); few != (samples > 0 && strings.Contains(want, "-")) {
			t.Errorf("%d samples are few: %v", samples, few)
		}
	}
}

// What is written as JSON comes back equal, with the histograms.
func TestJSON(t *testing.T) {
	r := fixed(t)
	text := written(t, r, "json")
	var again Report
	if err := json.Unmarshal([]byte(text), &again); err != nil {
		t.Fatal(err)
	}
	if got := written(t, &again, "json"); got != text {
		t.Errorf("got\n%s\nwant\n%s", got, text)
	}
	if h := again.Cells[0].Contenders[1].Histogram; h.Count() != 8000 || h.Percentile(0.5) != r.Cells[0].Contenders[1].Latency.P50 {
		t.Errorf("the histogram has %d, %d", h.Count(), h.Percentile(0.5))
	}
}

func TestCSV(t *testing.T) {
	lines, err := csv.NewReader(strings.NewReader(written(t, fixed(t), "csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 1+2*2+2 {
		t.Fatalf("%d lines", len(lines))
	}
	got := map[string]string{}
	for i, column := range lines[0] {
		got[column] = lines[4][i]
	}
	for column, want := range map[string]string{
		"case": "remote-ask", "size_bytes": "1024", "in_flight": "64", "pairs": "1", "contender": "raw-tcp", "version": "v9", "trial": "2",
		"sent": "4000", "per_second": "4000", "allocs_per_message": "2", "cpu_ns_per_message": "1000", "latency_samples": "4000",
	} {
		if got[column] != want {
			t.Errorf("%s is %q, want %q", column, got[column], want)
		}
	}
}

// The lines are those of the Go benchmark format, as its own reader has them: a line for each trial.
func TestBenchstat(t *testing.T) {
	text := written(t, fixed(t), "benchstat")
	in := benchfmt.NewReader(strings.NewReader(text), "x")
	var names []string
	for in.Scan() {
		switch line := in.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Error(line)
		case *benchfmt.Result:
			names = append(names, line.Name.String())
			perOp, _ := line.Value("sec/op")
			allocs, _ := line.Value("allocs/op")
			p99, _ := line.Value("p99-sec")
			if perOp*float64(line.Iters) != 1 || allocs != 2 || p99 < 2.9e-6 || p99 > 3.1e-6 || line.GetConfig("goos") != "linux" || line.GetConfig("goarch") != "amd64" {
				t.Errorf("%s: %+v", line.Name, line)
			}
			unit := "asks/s"
			if strings.Contains(line.Name.String(), "connect") {
				unit = "connects/s"
			}
			if perSecond, _ := line.Value(unit); perSecond != float64(line.Iters) {
				t.Errorf("%s: %v %s", line.Name, perSecond, unit)
			}
		}
	}
	if err := in.Err(); err != nil {
		t.Error(err)
	}
	if in.Units().GetBetter("asks/s") != 1 || in.Units().GetBetter("p99-ns") != -1 {
		t.Error("it does not say which figures are better when they are higher")
	}
	ask, tcp := "Coherer/case=remote-ask/contender=coherer/size=1KiB/inflight=64/pairs=1-", "Coherer/case=remote-ask/contender=raw-tcp/size=1KiB/inflight=64/pairs=1-"
	connect := "Coherer/case=connect/contender=coherer/inflight=1/pairs=2-"
	want := []string{ask, ask, tcp, tcp, connect, connect}
	for i := range want {
		want[i] += strconv.Itoa(2)
	}
	if strings.Join(names, "\n") != strings.Join(want, "\n") {
		t.Errorf("names\n%s\nin\n%s", strings.Join(names, "\n"), text)
	}
}

// A contender whose runtime does not count allocations has none in any form, not 0.
func TestUncountedAllocs(t *testing.T) {
	spec := measure.Spec{Case: measure.Connect, InFlight: 1, Pairs: 1, Duration: time.Second}
	c := newCell(&spec, 1)
	for _, n := range []measure.Named{{Name: "coherer"}, {Name: "spark", NoAllocs: true}} {
		sent := measure.Sent{Messages: 10, Elapsed: time.Second}
		if err := c.enter(n).add(&spec, &measure.Result{Sent: sent, Received: &measure.Received{Messages: 10}}); err != nil {
			t.Fatal(err)
		}
	}
	c.finish()
	r := &Report{Format: Format, Environment: Environment{OS: "linux/amd64"}, Cells: []*Cell{c}, Missing: []Missing{}}
	for format, want := range map[string]string{
		"text": "  1.00        -       -  ", "json": `"allocs_per_message": null`, "csv": ",spark,,1,10,1000000000,10,,0,",
	} {
		if text := written(t, r, format); !strings.Contains(text, want) {
			t.Errorf("%s: no %q in\n%s", format, want, text)
		}
	}
	for _, change := range changes(c.Contenders[1], c.Contenders[1]) {
		if change.Metric == "allocs" {
			t.Errorf("a change of them: %+v", change)
		}
	}
	if text := written(t, r, "benchstat"); strings.Count(text, "allocs/op") != 1 {
		t.Errorf("want one figure of allocations:\n%s", text)
	}
	var again Report
	if err := json.Unmarshal([]byte(written(t, r, "json")), &again); err != nil {
		t.Fatal(err)
	}
	if allocs := again.Cells[0].Contenders[1].Trials[0].Allocs; allocs.Counted() {
		t.Errorf("read again there are %v", allocs)
	}
}

// A rate that was not reached has no latency in any form, and the text says what was reached. The latency of one that was counts from
// the intended start.
func TestARateThatWasNotReached(t *testing.T) {
	spec := measure.Spec{Case: measure.RemoteTell, Size: 100, InFlight: 64, Pairs: 1, Rate: 2000, Duration: time.Second}
	c := newCell(&spec, 2)
	for _, name := range []string{"coherer", "raw-tcp"} {
		x := c.enter(measure.Named{Name: name})
		for trial := range 2 {
			result := &measure.Result{Sent: measure.Sent{Messages: 2000, Elapsed: time.Second, Intended: 2000, Reached: 2000}, Received: &measure.Received{Messages: 2000, Bytes: 200_000}}
			if name == "coherer" && trial == 1 { // one of two is enough
				result.Sent.Reached = 1500
			}
			result.Received.Latency.Record(5000)
			if err := x.add(&spec, result); err != nil {
				t.Fatal(err)
			}
			x.Histogram.Merge(&x.latest)
		}
	}
	c.finish()
	r := &Report{Format: Format, Environment: Environment{OS: "linux/amd64", GOMAXPROCS: 1}, Cells: []*Cell{c}}
	behind, reached := c.Contenders[0], c.Contenders[1]
	if !behind.Behind || behind.Latency.Samples != 0 || behind.Trials[0].Behind || behind.Trials[0].Latency.Samples != 1 || !behind.Trials[1].Behind || behind.Trials[1].Latency.Samples != 0 {
		t.Errorf("%+v", behind)
	}
	if reached.Behind || reached.Latency.Samples != 2 {
		t.Errorf("%+v", reached)
	}
	text := written(t, r, "text")
	for _, want := range []string{
		"remote-tell 100B, 64 in flight, 2.00k/s intended: coherer ",
		"coherer reached 1.75k of 2.00k msgs/s: there is no latency of a rate that was not reached\n",
		"  -    -    -      -    -\n",
		"latency of msgs: age on arrival of one message in 31, from its intended start, all trials together\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "raw-tcp reached") || strings.Contains(text, "closed loop") {
		t.Errorf("got\n%s", text)
	}
	if lines := strings.Split(written(t, r, "csv"), "\n"); !strings.HasSuffix(lines[2], ",0,,,,,") || strings.HasSuffix(lines[1], ",,") || !strings.Contains(lines[2], ",2000,1500,true,coherer,") {
		t.Errorf("%q", lines[1:3])
	}
	if n := strings.Count(written(t, r, "benchstat"), " p99-ns\n"); n != 3 {
		t.Errorf("%d lines of benchstat have a p99, want 3", n)
	}
	var again Report
	if text := written(t, r, "json"); json.Unmarshal([]byte(text), &again) != nil || written(t, &again, "json") != text || strings.Count(text, `"histogram": "H`) != 1 {
		t.Errorf("got\n%s", text)
	}
	if all := changes(behind, reached); len(all) != 3 {
		t.Errorf("a latency that is not there was compared: %+v", all)
	}
}

// Of three trials one that did not reach the rate leaves the latency to the others, and is said.
func TestARateThatOneTrialDidNotReach(t *testing.T) {
	spec := measure.Spec{Case: measure.RemoteTell, Size: 100, InFlight: 64, Pairs: 1, Rate: 2000, Duration: time.Second}
	c := newCell(&spec, 3)
	x := c.enter(measure.Named{Name: "coherer"})
	for trial := range 3 {
		result := &measure.Result{Sent: measure.Sent{Messages: 2000, Elapsed: time.Second, Intended: 2000, Reached: 2000}, Received: &measure.Received{Messages: 2000, Bytes: 200_000}}
		if trial == 1 {
			result.Sent.Reached = 1500
		}
		result.Received.Latency.Record(5000)
		if err := x.add(&spec, result); err != nil {
			t.Fatal(err)
		}
		c.round()
	}
	c.finish()
	r := &Report{Cells: []*Cell{c}}
	if x.Behind || x.Latency.Samples != 2 {
		t.Errorf("%+v", x)
	}
	if text := written(t, r, "text"); !strings.Contains(text, "\ncoherer did not reach the rate in 1 of 3 trials: the latency is of the others\n") {
		t.Errorf("got\n%s", text)
	}
	r.Sweep = &Sweep{By: ByRate, Knees: []Knee{{"coherer", -1}}}
	if text := written(t, r, "text"); !strings.Contains(text, "  1 of 3 trials did not reach it\n") {
		t.Errorf("got\n%s", text)
	}
}

func TestNoOtherFormat(t *testing.T) {
	if err := fixed(t).Write(&bytes.Buffer{}, "xml"); err == nil || !strings.Contains(err.Error(), "text, json, csv, benchstat") {
		t.Error(err)
	}
}
