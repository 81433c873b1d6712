package show

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/coherer/coherer/rpcenv/oneline"
)

// WriteText writes the figures as two tables, of messages and of endpoints.
func (s *Stats) WriteText(w io.Writer) error {
	messages := statsLines("MESSAGE", append(slices.Clip(s.Messages), s.Total))
	endpoints := statsLines("ENDPOINT", s.Endpoints)
	note := ""
	if slices.ContainsFunc(s.Messages, func(r StatsRow) bool { return strings.HasPrefix(r.Name, untyped) }) {
		note = aboutUntyped
	}
	const about = "latency: of asks, until the answer arrived; wait: in the inbox; handle: in the handler; p50/p99"
	_, err := fmt.Fprintf(w, "%s\n%s\nover %s; "+about+"\n%s",
		Columns(messages, 1), Columns(endpoints, 1), ShortDuration(s.Span), note)
	if err != nil {
		return fmt.Errorf("trace: write stats: %w", err)
	}
	return nil
}

func statsLines(what string, rows []StatsRow) [][]string {
	lines := [][]string{{what, "COUNT", "BYTES", "RATE/S", "LATENCY", "WAIT", "HANDLE", "DROPS"}}
	for _, r := range rows {
		drops := ""
		if r.Drops > 0 {
			drops = fmt.Sprint(r.Drops)
		}
		lines = append(lines, []string{
			oneline.Text(r.Name), fmt.Sprint(r.Count), fmt.Sprint(r.Bytes), fmt.Sprintf("%.1f", r.Rate),
			r.Latency.String(), r.Wait.String(), r.Handling.String(), drops,
		})
	}
	return lines
}

// String is "p50/p99"; empty when there are no times.
func (q Quantiles) String() string {
	if q.N == 0 {
		return ""
	}
	return ShortDuration(q.P50) + "/" + ShortDuration(q.P99)
}

// ShortDuration is a duration as people read it: three digits that count, and its unit.
func ShortDuration(d time.Duration) string {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit).String()
}

// Columns aligns lines of equal length: the first texts to the left, the rest to the right.
func Columns(lines [][]string, texts int) string {
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, line := range lines {
		var row strings.Builder
		for i, cell := range line {
			if i > 0 {
				row.WriteString("  ")
			}
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i < texts {
				row.WriteString(cell + pad)
			} else {
				row.WriteString(pad + cell)
			}
		}
		b.WriteString(strings.TrimRight(row.String(), " ") + "\n")
	}
	return b.String()
}
