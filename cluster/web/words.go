package web

import (
	"fmt"
	"strings"
	"time"

	"github.com/coherer/coherer/messages/deploy"
)

// megabytes is a size in MiB as Spark writes it. It mirrors Utils.megabytesToString.
func megabytes(n int32) string {
	const gib, tib = 1 << 10, 1 << 20
	switch {
	case n >= 2*tib:
		return fmt.Sprintf("%.1f TiB", float64(n)/tib)
	case n >= 2*gib:
		return fmt.Sprintf("%.1f GiB", float64(n)/gib)
	}
	return fmt.Sprintf("%.1f MiB", float64(n))
}

// date is a time in milliseconds since 1970 as Spark's pages write it.
func date(ms int64) string { return time.UnixMilli(ms).Format("2006/01/02 15:04:05") }

// javaDate is a time as java.util.Date writes it, which Spark's /json gives.
func javaDate(ms int64) string { return time.UnixMilli(ms).Format("Mon Jan 02 15:04:05 MST 2006") }

// took is a duration in milliseconds as Spark's pages write it. It mirrors UIUtils.formatDuration.
func took(ms int64) string {
	s := float64(ms) / 1000
	switch {
	case ms < 100:
		return fmt.Sprintf("%d ms", ms)
	case s < 1:
		return fmt.Sprintf("%.1f s", s)
	case s < 60:
		return fmt.Sprintf("%.0f s", s)
	case s < 600:
		return fmt.Sprintf("%.1f min", s/60)
	case s < 3600:
		return fmt.Sprintf("%.0f min", s/60)
	}
	return fmt.Sprintf("%.1f h", s/3600)
}

// having is resources with their addresses, as in "gpu: [0, 1]".
func having(all []*deploy.ResourceInformation) string {
	var out []string
	for _, r := range all {
		out = append(out, fmt.Sprintf("%s: [%s]", r.GetName(), strings.Join(r.GetAddresses(), ", ")))
	}
	return strings.Join(out, ", ")
}

// perEach are demands of resources, as in "2 gpu".
func perEach(all []*deploy.ResourceRequirement) string {
	var out []string
	for _, r := range all {
		out = append(out, fmt.Sprintf("%d %s", r.GetAmount(), r.GetName()))
	}
	return strings.Join(out, ", ")
}

// argument is the n-th argument of a command; "" when there are fewer. The third of a driver's is its main class.
func argument(c *deploy.Command, n int) string {
	if n >= len(c.GetArguments()) {
		return ""
	}
	return c.GetArguments()[n]
}

// dict is the data of a template within another: names and values in turn.
func dict(pairs ...any) map[string]any {
	out := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		out[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	return out
}
