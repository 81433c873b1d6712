package bench

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/rpcenv/trace/show"
)

// Print writes the report for people: where, the headline, the table, the missing contenders.
func (r *Report) Print(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n\n", r.Environment, r.headline())
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\t%s\tmin\tmax\tcoherer is\tbytes/s\tallocs\tCPU\tp50\tp90\tp99\tp99.9\tmax\t\n", r.unit())
	for _, c := range r.Contenders {
		l := c.Latency
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%.2f\t%s\t%.1f\t%s\t%s\t%s\t%s\t%s\t%s\t\n", c.Name, short(c.Median), short(c.Min), short(c.Max), c.Ratio,
			short(c.BytesPerSecond), c.Allocs, micro(int64(c.CPU)), micro(l.P50), micro(l.P90), micro(l.P99), micro(l.P999), micro(l.Max))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	b.WriteString(r.legend())
	if r.Cut > 0 {
		fmt.Fprintf(&b, "interrupted: the last %d of %d trials of each are missing\n", r.Cut, r.Trials+r.Cut)
	}
	for _, m := range r.Missing {
		fmt.Fprintf(&b, "%s was not measured: %s\n", m.Name, m.Why)
	}
	for _, c := range r.Contenders {
		if c.Version != "" {
			fmt.Fprintf(&b, "%s is %s\n", c.Name, c.Version)
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (r *Report) unit() string {
	return r.Case.Unit() + "/s"
}

// headline is the median, and its ratio to each rival's.
func (r *Report) headline() string {
	c := r.Contenders[0]
	var rivals []string
	for _, rival := range r.Contenders[1:] {
		rivals = append(rivals, fmt.Sprintf("%.2f of %s", rival.Ratio, rival.Name))
	}
	return fmt.Sprintf("%s %s, %d in flight: %s %s %s: %s", r.Case, measure.FormatSize(r.Size), r.InFlight, c.Name, short(c.Median), r.unit(), strings.Join(rivals, ", "))
}

func (r *Report) legend() string {
	what := "round trip of each ask"
	switch r.Case.Kind() {
	case measure.KindOp:
		what = "each operation"
	case measure.KindTell:
		what = fmt.Sprintf("age on arrival of every %dth message", measure.SampleEvery)
	}
	trials := fmt.Sprintf("median, least and most of %d trials", r.Trials)
	if r.Trials == 1 {
		trials = "one trial"
	}
	return fmt.Sprintf("\n%s of %s each; latency: %s, all trials together; allocations and CPU time per message, both sides\n", trials, r.Duration, what)
}

func rate(perSecond float64) string { return short(perSecond) + "/s" }

// short is a number in three digits or more.
func short(n float64) string {
	unit := ""
	for _, u := range []string{"k", "M", "G"} {
		if n >= 999.5 {
			n, unit = n/1000, u
		}
	}
	decimals := 0
	for limit := 99.5; n < limit && decimals < 2; limit /= 10 {
		decimals++
	}
	return strconv.FormatFloat(n, 'f', decimals, 64) + unit
}

// micro is a duration in nanoseconds, in three digits.
func micro(ns int64) string { return show.ShortDuration(time.Duration(ns)) }
