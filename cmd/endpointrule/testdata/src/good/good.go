// Package good does what an endpoint may do.
package good

import (
	"maps"
	"math/rand/v2"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"sort"
	"time"

	"example.org/rpcenv"
)

type master struct {
	workers map[string]int
	free    int
	due     time.Time
	random  *rand.Rand
}

func (m *master) Receive(c *rpcenv.Context, msg any) {
	m.due = c.Now().Add(3 * time.Second)
	m.random = c.Rand()
	if m.random.IntN(3) == 0 && c.Now().After(m.due) {
		c.Send(m.names())
	}
}

func (m *master) names() []string {
	var names []string
	for name, cores := range m.workers {
		if cores == 0 {
			continue
		}
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range slices.Sorted(maps.Keys(m.workers)) {
		names = append(names, name)
	}
	return names
}

func (m *master) keys() []string {
	keys := slices.Collect(maps.Keys(m.workers))
	sort.Strings(keys)
	return keys
}

func (m *master) count() (most int) {
	m.free = 0
	for _, cores := range m.workers {
		if spare := cores - 1; spare > 0 {
			m.free += spare
		} else {
			m.free--
		}
		most = max(most, cores)
	}
	return most
}

func (m *master) forget() {
	for name, cores := range m.workers {
		if cores == 0 {
			delete(m.workers, name)
		}
	}
}

func (m *master) double() map[string]int {
	out := map[string]int{}
	for name, cores := range m.workers {
		out[name] = 2 * cores
	}
	maps.Insert(out, maps.All(m.workers))
	return maps.Collect(maps.All(out))
}

func (m *master) address(s string) string {
	a, _ := netip.ParseAddr(s)
	u, _ := url.Parse(s)
	return path.Join(a.String(), u.String())
}

func (m *master) idle() bool {
	for _, cores := range m.workers {
		if cores > 0 {
			return false
		}
	}
	return true
}
