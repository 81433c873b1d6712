package bench

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/coherer/coherer/bench/internal/figures"
	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/rpcenv/trace/show"
)

// text writes the report for people: where, then for each cell its headline and table, then what the figures are and what is missing.
func (r *Report) text(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintln(&b, r.Environment)
	if r.Peer != nil {
		fmt.Fprintf(&b, "receiving sides at %s: %s\n", r.Peer.Address, r.Peer.Environment)
	}
	if err := r.cellsText(&b); err != nil {
		return err
	}
	b.WriteByte('\n')
	for _, line := range r.legend() {
		fmt.Fprintln(&b, line)
	}
	if a := r.Against; a != nil {
		fmt.Fprintf(&b, "baseline: %s, commit %s; %s\n", a.File, a.Commit, a.Rule)
		for _, note := range a.Notes {
			fmt.Fprintf(&b, "the baseline is of another machine or program: %s\n", note)
		}
	}
	if r.Cut > 0 {
		fmt.Fprintf(&b, "the run ended early: %s not measured\n", plural(r.Cut, "cell"))
	}
	for _, m := range r.Missing {
		fmt.Fprintf(&b, "%s was not measured: %s\n", m.Name, m.Why)
	}
	for _, v := range r.versions() {
		fmt.Fprintln(&b, v)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (r *Report) cellsText(b *strings.Builder) error {
	if r.Sweep != nil {
		return r.sweepText(b)
	}
	for _, c := range r.Cells {
		b.WriteByte('\n')
		if err := c.text(b); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cell) text(b *strings.Builder) error {
	fmt.Fprintln(b, c.headline())
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\t%s/s\tmin\tmax\tcoherer is\tbytes/s\tallocs\tCPU\tp50\tp90\tp99\tp99.9\tmax\t\n", c.Case.Unit())
	for _, x := range c.Contenders {
		bytes := "-" // a case without a message of a size
		if c.Size > 0 {
			bytes = figures.Short(x.BytesPerSecond)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%.2f\t%s\t%s\t%s\t%s\t\n", x.Name, figures.Short(x.Median), figures.Short(x.Min), figures.Short(x.Max), x.Ratio,
			bytes, x.Allocs, micro(int64(x.CPU)), x.latencyColumns())
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, x := range c.Contenders {
		switch missed := x.missed(); {
		case x.Behind:
			fmt.Fprintf(b, "%s reached %s of %s %s/s: there is no latency of a rate that was not reached\n", x.Name, figures.Short(x.reached()), figures.Short(c.Rate), c.Case.Unit())
		case missed > 0:
			fmt.Fprintf(b, "%s did not reach the rate in %d of %d trials: the latency is of the others\n", x.Name, missed, len(x.Trials))
		}
	}
	if err := c.changesText(b); err != nil {
		return err
	}
	if c.Cut > 0 {
		fmt.Fprintf(b, "interrupted: the last %d of %d trials of each are missing\n", c.Cut, c.Trials+c.Cut)
	}
	for _, m := range c.Missing {
		fmt.Fprintf(b, "%s was not measured: %s\n", m.Name, m.Why)
	}
	return nil
}

// latencyColumns are the five figures of the latency, or dashes for a contender without latencies.
func (c *Contender) latencyColumns() string {
	l := c.Latency
	if l.Samples == 0 {
		return strings.Join([]string{"-", "-", "-", "-", "-"}, "\t")
	}
	return strings.Join([]string{micro(l.P50), l.tail(l.P90, forP90), l.tail(l.P99, forP99), l.tail(l.P999, forP999), micro(l.Max)}, "\t")
}

// How many samples a percentile needs: with fewer no sample lies beyond it, and it would be the maximum under another name.
const (
	forP90  = 10
	forP99  = 100
	forP999 = 1000
)

// tail prints ns, a percentile, or a dash if l has fewer samples than the percentile needs.
func (l *Latency) tail(ns int64, samples uint64) string {
	if l.Samples < samples {
		return "-"
	}
	return micro(ns)
}

// few reports whether a percentile of l is a dash.
func (l *Latency) few() bool { return l.Samples > 0 && l.Samples < forP999 }

// reached is the rate that an open loop reached.
func (c *Contender) reached() float64 {
	return figures.Median(c.each(func(t *Trial) float64 { return t.Reached }))
}

// changesText writes what became of each contender since the baseline, if there is one.
func (c *Cell) changesText(b *strings.Builder) error {
	if len(c.Contenders[0].Changes) == 0 {
		return nil
	}
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "since the baseline\t%s\t\n", strings.Join(metricNames(), "\t"))
	for _, x := range c.Contenders {
		fmt.Fprint(w, x.Name, "\t")
		for _, name := range metricNames() {
			cell := "-" // not counted, or not in the baseline
			if i := slices.IndexFunc(x.Changes, func(c Change) bool { return c.Metric == name }); i >= 0 {
				cell = percent(x.Changes[i].Share) + " " + x.Changes[i].Verdict
			}
			fmt.Fprint(w, cell, "\t")
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// title is what the cell measures: remote-ask 76B, 64 in flight.
func (c *Cell) title() string {
	s := string(c.Case)
	if c.Size > 0 {
		s += " " + measure.FormatSize(c.Size)
	}
	if c.InFlight > 0 {
		s += fmt.Sprintf(", %d in flight", c.InFlight)
	}
	if c.Pairs > 1 {
		s += fmt.Sprintf(", %d pairs", c.Pairs)
	}
	if c.Rate > 0 {
		s += fmt.Sprintf(", %s intended", rate(c.Rate))
	}
	return s
}

// headline is the median, and its ratio to each rival's.
func (c *Cell) headline() string {
	first := c.Contenders[0]
	line := fmt.Sprintf("%s: %s %s %s/s", c.title(), first.Name, figures.Short(first.Median), c.Case.Unit())
	if len(c.Contenders) == 1 {
		return line
	}
	var rivals []string
	for _, rival := range c.Contenders[1:] {
		rivals = append(rivals, fmt.Sprintf("%.2f of %s", rival.Ratio, rival.Name))
	}
	return line + ": " + strings.Join(rivals, ", ")
}

// legend is what the figures of the cells mean, each line once.
func (r *Report) legend() (lines []string) {
	for _, c := range r.Cells {
		trials := fmt.Sprintf("median, least and most of %d trials", c.Trials)
		if c.Trials == 1 {
			trials = "one trial"
		}
		line := fmt.Sprintf("%s of %s each; allocations and CPU time per message, both sides", trials, c.Duration)
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	for _, c := range r.Cells {
		line := fmt.Sprintf("latency of %s: %s, all trials together", c.Case.Unit(), c.latencyIs())
		if r.Peer != nil && c.Case.Kind() == measure.KindTell && c.Contenders[0].Latency.Samples == 0 && !c.Contenders[0].Behind {
			line = fmt.Sprintf("latency of %s: none: it would compare the clocks of two machines", c.Case.Unit())
		}
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	few := func(x *Contender) bool { return x.Latency.few() }
	if slices.ContainsFunc(r.Cells, func(c *Cell) bool { return slices.ContainsFunc(c.Contenders, few) }) {
		lines = append(lines, fmt.Sprintf("- in place of a percentile: there are too few samples for it: p90 needs %d, p99 %d, p99.9 %d", forP90, forP99, forP999))
	}
	if slices.ContainsFunc(r.Cells, func(c *Cell) bool { return c.Rate == 0 }) {
		lines = append(lines, "closed loop: a receiver that stalls is sent less meanwhile, so the percentiles leave out messages that would have waited (coordinated omission); --rate counts them")
	}
	return lines
}

// latencyIs says what the latency of a cell measures.
func (c *Cell) latencyIs() string {
	if c.Rate > 0 {
		return c.latencyFrom() + ", from its intended start"
	}
	return c.latencyFrom()
}

func (c *Cell) latencyFrom() string {
	switch c.Case.Kind() {
	case measure.KindOp:
		return "that of each operation"
	case measure.KindTell:
		return fmt.Sprintf("age on arrival of one message in %d", measure.SampleEvery)
	}
	return "round trip of each ask"
}

// versions has a line for each contender with a version.
func (r *Report) versions() (lines []string) {
	for _, c := range r.Cells {
		for _, x := range c.Contenders {
			line := fmt.Sprintf("%s is %s", x.Name, x.Version)
			if x.Version != "" && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprint(n, " ", thing, "s")
}

func rate(perSecond float64) string { return figures.Short(perSecond) + "/s" }

// micro is a duration in nanoseconds, in three digits.
func micro(ns int64) string { return show.ShortDuration(time.Duration(ns)) }
