package top

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/coherer/coherer/rpcenv/metrics"
	"github.com/coherer/coherer/rpcenv/oneline"
)

// Table is a page: a line of sums, the rows, at most so many that the page has height lines (0: all), and the silent processes.
func Table(before, now Sample, height int) string {
	rows := Rows(before, now)
	var b strings.Builder
	b.WriteString(head(before, now, rows))
	most := len(rows)
	if height > 0 {
		most = max(1, height-len(now.Silent)-4) // the two lines of the head, the titles, and the line of what is left out
	}
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "DEPTH\tWAIT P50\tWAIT P99\tWORK P50\tRATE/s\tHANDLED\tFAILED\t  PROCESS/ENDPOINT")
	for i := range rows[:min(most, len(rows))] {
		r := &rows[i]
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%.1f\t%d\t%d\t  %s/%s\n", r.Depth, r.short(r.WaitP50), r.short(r.WaitP99), r.short(r.HandlingP50),
			r.Rate, r.Handled, r.Failures, oneline.Text(r.Process), oneline.Text(r.Endpoint))
	}
	_ = w.Flush() // into a Builder
	if left := len(rows) - most; left > 0 {
		fmt.Fprintf(&b, "and %d more\n", left)
	}
	for _, s := range now.Silent {
		fmt.Fprintf(&b, "no answer from %s at %s: %s\n", oneline.Text(orUnknown(s.Name)), s.Address, oneline.Text(s.Err.Error()))
	}
	return b.String()
}

// head is the sums of all processes.
func head(before, now Sample, rows []Row) string {
	var depth, drops uint64
	var rate float64
	var waiting int
	for i := range rows {
		depth += rows[i].Depth
		rate += rows[i].Rate
	}
	reasons := map[metrics.Reason]uint64{}
	for i := range now.Processes {
		p := &now.Processes[i]
		for _, peer := range p.Peers {
			waiting += peer.Bytes
		}
		for _, d := range p.Drops {
			reasons[d.Reason] += d.Count
			drops += d.Count
		}
	}
	sent, received := traffic(before, now)
	text := fmt.Sprintf("%d processes, %d endpoints: %d items wait, %.0f handled/s; %s/s out, %s/s in; %s wait for peers; %d dropped",
		len(now.Processes), len(rows), depth, rate, size(sent), size(received), size(float64(waiting)), drops)
	var why []string
	for _, r := range slices.Sorted(maps.Keys(reasons)) {
		why = append(why, fmt.Sprintf("%s %d", r, reasons[r]))
	}
	if len(why) > 0 {
		text += " (" + strings.Join(why, ", ") + ")"
	}
	return text + "\n\n"
}

// traffic is the bytes a second to and from peers.
func traffic(before, now Sample) (sent, received float64) {
	old := map[process]*metrics.Snapshot{}
	for i := range before.Processes {
		old[processOf(&before.Processes[i])] = &before.Processes[i]
	}
	for i := range now.Processes {
		p := &now.Processes[i]
		was := old[processOf(p)]
		if was == nil || !p.Time.After(was.Time) { // no time between, no rate
			continue
		}
		d := p.Time.Sub(was.Time).Seconds()
		sent += float64(p.SentBytes-min(was.SentBytes, p.SentBytes)) / d
		received += float64(p.ReceivedBytes-min(was.ReceivedBytes, p.ReceivedBytes)) / d
	}
	return sent, received
}

// short is a time in three digits or so; "-" when nothing was measured.
func (r *Row) short(d time.Duration) string {
	switch {
	case r.Measured == 0:
		return "-"
	case d < time.Millisecond:
		return fmt.Sprintf("%.0fµs", float64(d)/float64(time.Microsecond))
	case d < time.Second:
		return fmt.Sprintf("%.1fms", float64(d)/float64(time.Millisecond))
	}
	return fmt.Sprintf("%.1fs", d.Seconds())
}

func size(n float64) string {
	for _, unit := range []string{"B", "KiB", "MiB"} {
		if n < 1024 {
			return fmt.Sprintf("%.0f %s", n, unit)
		}
		n /= 1024
	}
	return fmt.Sprintf("%.0f GiB", n)
}

func orUnknown(name string) string {
	if name == "" {
		return "the process"
	}
	return name
}

// Redraw is page with the control sequences that make a terminal of a width show it in place of the one before: home, each line
// cut and cleared to its end, the rest of the screen cleared.
func Redraw(page string, width int) string {
	var b strings.Builder
	b.WriteString("\x1b[H")
	for line := range strings.Lines(page) {
		runes := []rune(strings.TrimSuffix(line, "\n"))
		b.WriteString(string(runes[:min(len(runes), width)]) + "\x1b[K\r\n")
	}
	return b.String() + "\x1b[J"
}
