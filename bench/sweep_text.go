package bench

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/coherer/coherer/bench/internal/figures"
)

// sweepText writes the cells of a sweep as one table for each contender, a line for each step.
func (r *Report) sweepText(b *strings.Builder) error {
	first := *r.Cells[0]
	unit := first.Case.Unit()
	first.InFlight, first.Rate = 0, 0
	for _, k := range r.Sweep.Knees {
		fmt.Fprintf(b, "\n%s, %s by %s: %s\n", first.title(), k.Contender, r.Sweep.By, r.kneeText(k))
		w := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintf(w, "%s\t%s/s\tallocs\tCPU\tp50\tp90\tp99\tp99.9\tmax\t\t\n", loadName(r.Sweep.By, unit), unit)
		for i, x := range r.of(k.Contender) {
			if x == nil {
				fmt.Fprintf(w, "%s\tfailed\t-\t-\t-\t-\t-\t-\t-\t\t\n", r.Cells[i].load(r.Sweep.By))
				continue
			}
			mark := ""
			switch {
			case i == k.Cell:
				mark = "<- knee"
			case x.Behind:
				mark = "not reached"
			case r.Sweep.By == ByRate && !inTime(x, r.of(k.Contender)[0]):
				mark = "late"
			case x.missed() > 0:
				mark = fmt.Sprintf("%d of %d trials did not reach it", x.missed(), len(x.Trials))
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t\n", r.Cells[i].load(r.Sweep.By), figures.Short(x.Median), x.Allocs, micro(int64(x.CPU)), x.latencyColumns(), mark)
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	fmt.Fprintf(b, "\n%s\nthe sweep ended: %s\n", r.Sweep.Rule, r.Sweep.End)
	return nil
}

func loadName(by, unit string) string {
	if by == ByRate {
		return "intended " + unit + "/s"
	}
	return "in flight"
}

// load is what a step of a sweep raised.
func (c *Cell) load(by string) string {
	if by == ByRate {
		return figures.Short(c.Rate)
	}
	return fmt.Sprint(c.InFlight)
}

func (r *Report) kneeText(k Knee) string {
	switch {
	case k.Cell < 0 && r.Sweep.End == sweepInterrupted:
		return "no knee: the sweep was interrupted"
	case k.Cell < 0:
		return "no knee: the least load was too much"
	}
	c := r.Cells[k.Cell]
	x := c.contender(k.Contender)
	text := fmt.Sprintf("the knee is at %s in flight: %s", c.load(ByInFlight), figures.Short(x.Median))
	if r.Sweep.By == ByRate {
		text = "the knee is at " + figures.Short(x.Median)
	}
	return fmt.Sprintf("%s %s/s, p99 %s", text, c.Case.Unit(), x.Latency.tail(x.Latency.P99, forP99))
}
