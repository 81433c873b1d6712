package bench

import (
	"encoding/csv"
	"io"
	"strconv"
)

var csvHeader = []string{
	"case", "size_bytes", "in_flight", "pairs", "rate_per_second", "reached_per_second", "behind", "contender", "version", "trial", "sent", "elapsed_ns", "per_second",
	"allocs_per_message", "cpu_ns_per_message", "latency_samples", "p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns",
}

// csv writes a header and a line for each trial.
func (r *Report) csv(out io.Writer) error {
	w := csv.NewWriter(out)
	if err := w.Write(csvHeader); err != nil {
		return err
	}
	for _, c := range r.Cells {
		for _, x := range c.Contenders {
			for i := range x.Trials {
				if err := w.Write(c.csvLine(x, i)); err != nil {
					return err
				}
			}
		}
	}
	w.Flush()
	return w.Error()
}

func (c *Cell) csvLine(x *Contender, trial int) []string {
	whole := func(n int64) string { return strconv.FormatInt(n, 10) }
	part := func(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }
	t := &x.Trials[trial]
	allocs := "" // not counted
	if t.Allocs.Counted() {
		allocs = part(float64(t.Allocs))
	}
	l := &t.Latency
	line := []string{
		string(c.Case), strconv.Itoa(c.Size), strconv.Itoa(c.InFlight), strconv.Itoa(c.Pairs), part(c.Rate), part(t.Reached), strconv.FormatBool(t.Behind),
		x.Name, x.Version, strconv.Itoa(trial + 1), strconv.FormatUint(t.Sent, 10), whole(t.Elapsed), part(t.Rate),
		allocs, part(t.CPU), strconv.FormatUint(l.Samples, 10),
	}
	if l.Samples == 0 {
		return append(line, "", "", "", "", "")
	}
	return append(line, whole(l.P50), whole(l.P90), whole(l.P99), whole(l.P999), whole(l.Max))
}
