package invariant

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// settling is how long the books of one driver may differ in quiet: the messages between them take no time.
const settling = 5 * time.Second

// views is I6: the books of a driver agree.
type views struct {
	*Monitor
	seen
	since since
}

func newViews(m *Monitor) *views { return &views{Monitor: m, since: since{}} }

func (c *views) look(s *Snapshot) {
	apart := map[string]string{}
	for _, d := range s.Drivers {
		c.judged[SameView]++
		names := sorted(d.Books)
		if len(names) == 0 {
			continue
		}
		first := d.Books[names[0]] // all are compared with one: which of two is right nobody knows
		if slices.ContainsFunc(names, func(n string) bool { return !slices.Equal(d.Books[n], first) }) {
			var all []string
			for _, n := range names {
				all = append(all, fmt.Sprintf("%s has %v", n, d.Books[n]))
			}
			apart[d.Name] = d.Name + ": " + strings.Join(all, ", ")
		}
	}
	c.overdue(SameView, s, c.since, apart, settling)
}
