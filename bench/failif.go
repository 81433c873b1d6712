package bench

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// FailIf is a limit of what may become worse.
type FailIf struct {
	Metric string
	// Share is the most that may: 0.05 is 5 %.
	Share float64
}

var failIf = regexp.MustCompile(`^(?:(\w+) +)?worse(?: *> *(\d+(?:\.\d+)?) *%)?$`)

// ParseFailIf reads limits such as "worse>5%", "allocs worse" or "worse>10%,p99 worse>20%". Without a metric it is the rate.
func ParseFailIf(text string) ([]FailIf, error) {
	var all []FailIf
	for part := range strings.SplitSeq(text, ",") {
		found := failIf.FindStringSubmatch(strings.TrimSpace(part))
		if found == nil {
			return nil, fmt.Errorf("%q: want [METRIC ]worse[>N%%], such as worse>5%% or allocs worse", part)
		}
		f := FailIf{Metric: metrics[0].name}
		if found[1] != "" {
			f.Metric = found[1]
		}
		if !slices.Contains(metricNames(), f.Metric) {
			return nil, fmt.Errorf("%q: there is no metric %q: want one of %s", part, f.Metric, strings.Join(metricNames(), ", "))
		}
		if found[2] != "" {
			percent, err := strconv.ParseFloat(found[2], 64)
			if err != nil {
				return nil, fmt.Errorf("%q: %w", part, err)
			}
			f.Share = percent / 100
		}
		all = append(all, f)
	}
	return all, nil
}

// Check reports every change of Coherer to the worse that is beyond a limit. Rivals are not looked at: what became of them is what the
// machine did.
func (r *Report) Check(limits []FailIf) error {
	var errs []error
	for _, c := range r.Cells {
		for _, change := range c.Contenders[0].Changes {
			for _, l := range limits {
				if change.Metric == l.Metric && change.Verdict == Worse && math.Abs(change.Share) > l.Share {
					errs = append(errs, fmt.Errorf("%s: %s is worse than in %s: %s", c.title(), change.Metric, r.Against.File, percent(change.Share)))
				}
			}
		}
	}
	return errors.Join(errs...)
}

// percent is a share with its sign: +12.3%.
func percent(share float64) string { return fmt.Sprintf("%+.1f%%", 100*share) }
