package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/coherer/coherer/bench/measure"
)

// maxReport bounds a report that is read, in bytes: a histogram has some kilobytes, so this is thousands of cells.
const maxReport = 256 << 20

// mostRate is more a second than anything can be.
const mostRate = 1e15

// ReadReport reads a report in JSON. An error says when the file is something else, or of another version.
func ReadReport(path string) (*Report, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxReport+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxReport {
		return nil, fmt.Errorf("%s: larger than %s: want a report of coherer bench -o json", path, measure.FormatSize(maxReport))
	}
	// The version first: a report of another one may not fit into the types.
	var version struct {
		Format string `json:"format"`
	}
	if err := json.Unmarshal(text, &version); err != nil {
		return nil, fmt.Errorf("%s: want a report of coherer bench -o json: %w", path, err)
	}
	if version.Format != Format {
		return nil, fmt.Errorf("%s: its format is %q, want %q: measure it again with coherer bench -o json", path, version.Format, Format)
	}
	r := new(Report)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s: want a report of coherer bench -o json: %w", path, err)
	}
	return r, r.whole(path)
}

// whole reports what is wrong with a report that others rely on.
func (r *Report) whole(path string) error {
	for i, c := range r.Cells {
		if c == nil || len(c.Contenders) == 0 {
			return fmt.Errorf("%s: cell %d has no contender", path, i+1)
		}
		for _, x := range c.Contenders {
			if x == nil || len(x.Trials) == 0 {
				return fmt.Errorf("%s: cell %d has a contender without a trial", path, i+1)
			}
			// What a file says is drawn and divided by: it must be what a measurement can be.
			if l := x.Latency; !(x.Median > 0 && x.Median < mostRate) || l.P50 < 0 || l.P50 > l.P99 {
				return fmt.Errorf("%s: cell %d has %v a second and a p50 of %d ns, p99 of %d ns: that was not measured", path, i+1, x.Median, l.P50, l.P99)
			}
			for _, t := range x.Trials {
				if !(t.Rate > 0 && t.Rate < mostRate) || t.CPU < 0 || t.Allocs < 0 {
					return fmt.Errorf("%s: cell %d has a trial of %v a second, %v ns of CPU and %v allocations: that was not measured",
						path, i+1, t.Rate, t.CPU, t.Allocs)
				}
			}
		}
	}
	return nil
}

// Baseline is an earlier report, and the file that it is from.
type Baseline struct {
	File   string
	Report *Report
}

// Trials is the least number of trials that Coherer has in a cell.
func (b *Baseline) Trials() int {
	least := MaxTrials
	for _, c := range b.Report.Cells {
		least = min(least, len(c.Contenders[0].Trials))
	}
	return least
}

// fits reports every reason why a run with these options cannot be compared with the baseline.
func (b *Baseline) fits(o *Options) error {
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("baseline %s: "+format, append([]any{b.File}, args...)...))
	}
	now := newEnvironment(o.Cells[0].Record)
	if was := b.Report.Environment; was.GOMAXPROCS != now.GOMAXPROCS {
		bad("it has GOMAXPROCS %d, this run %d", was.GOMAXPROCS, now.GOMAXPROCS)
	} else if was.Record != now.Record {
		bad("it was measured with --record %s, this run is with %s", was.Record, now.Record)
	}
	if (b.Report.Peer != nil) != (o.Connect != "") {
		bad("one of it and this run has its receiving sides elsewhere")
	}
	for i := range o.Cells {
		c := newCell(&o.Cells[i], o.Trials)
		was := b.cell(c)
		switch {
		case was == nil:
			bad("it has no cell %s", c.title())
		case was.Duration != c.Duration:
			bad("its trials of %s last %s, those of this run %s", c.title(), was.Duration, c.Duration)
		case was.contender(own[0].Name()) == nil:
			bad("its cell %s has no %s", c.title(), own[0].Name())
		}
	}
	return errors.Join(errs...)
}

// cell returns the baseline's cell of the same case and sizes as c, or nil.
func (b *Baseline) cell(c *Cell) *Cell {
	for _, was := range b.Report.Cells {
		if was.Case == c.Case && was.Size == c.Size && was.InFlight == c.InFlight && was.Pairs == c.Pairs && was.Rate == c.Rate {
			return was
		}
	}
	return nil
}

func (c *Cell) contender(name string) *Contender {
	for _, x := range c.Contenders {
		if x.Name == name {
			return x
		}
	}
	return nil
}

// Against says what a report was compared with.
type Against struct {
	File   string `json:"file"`
	Commit string `json:"commit"`
	// Rule is how the verdicts were found.
	Rule string `json:"rule"`
	// Notes are what makes the comparison doubtful, such as another processor.
	Notes []string `json:"notes,omitempty"`
}

// compare gives each contender of the report its changes since the baseline.
func (r *Report) compare(b *Baseline) {
	was, now := b.Report.Environment, r.Environment
	r.Against = &Against{File: b.File, Commit: was.Commit, Rule: verdictRule}
	for _, kv := range [][3]string{{"CPU", was.CPU, now.CPU}, {"Go", was.Go, now.Go}, {"system", was.OS, now.OS}} {
		if kv[1] != kv[2] {
			r.Against.Notes = append(r.Against.Notes, fmt.Sprintf("its %s was %s", kv[0], kv[1]))
		}
	}
	for _, c := range r.Cells {
		for _, x := range c.Contenders {
			// A contender that the baseline does not have has no changes.
			if was := b.cell(c).contender(x.Name); was != nil {
				x.Changes = changes(was, x)
			}
		}
	}
}
