//coherer:pure

package fair

import (
	"cmp"
	"math"
	"slices"
)

// starvedAsks are as many of an application's requests as its starvation covers; a request at several places counts once.
func (s *Scheduler) starvedAsks(a *app) []Ask {
	var some []Ask
	left := a.starvation()
	seen := visits{}
	for _, ask := range s.visitOrder(a) {
		if !seen.visit(s, ask) {
			continue
		}
		fit := s.howOften(ask.Capability.Memory, left.Memory)
		if fit == 0 {
			if !s.conf.Faults.preemptsInVain {
				break // offers give nothing less urgent before this one
			}
			continue
		}
		if fit < ask.Count {
			ask.Count = fit
			ask.Relax = ask.Relax || s.conf.Faults.preemptsInVain
		}
		some = append(some, ask)
		left = left.lessNotBelowZero(ask.Capability.times(ask.Count))
	}
	return some
}

// howOften is the number of times that a part of memory fits; a part of 0 does not fit. In Hadoop it is a quotient of 32-bit
// floats, and 0 fits endlessly often.
func (s *Scheduler) howOften(part, whole int64) int64 {
	switch {
	case part > 0 && !s.conf.Faults.preemptsNoSize:
		return whole / part
	case whole == 0 || !s.conf.Faults.preemptsNoSize:
		return 0
	}
	return int64(min(math.Floor(float64(float32(whole)/float32(part))), math.MaxInt32))
}

// visitOrder are the requests in the order in which preemption visits them: hosts, then racks, then Any; or Hadoop's.
func (s *Scheduler) visitOrder(a *app) []Ask {
	if s.conf.Faults.hashOrder {
		return a.historicAsks()
	}
	asks := a.asks()
	width := func(x Ask) int {
		switch {
		case x.Name == Any:
			return 2
		case s.nodes.racks[x.Name] > 0:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(asks, func(x, y Ask) int {
		return cmp.Or(compareKeys(x.Key, y.Key), width(x)-width(y))
	})
	return asks
}

// visits are the visited places of requests, by priority and size: a request that is asked at a host, its rack and Any is visited
// once.
type visits map[visitKey]*visit

type visitKey struct {
	priority   int32
	capability Resource
}

type visit struct {
	racks, racksOfNodes map[string]bool
	any                 bool
}

// visit reports whether an ask is the first of its request, and remembers it.
func (v visits) visit(s *Scheduler, ask Ask) bool {
	key := visitKey{ask.Priority, ask.Capability}
	t := v[key]
	if t == nil {
		t = &visit{racks: map[string]bool{}, racksOfNodes: map[string]bool{}}
		v[key] = t
	}
	if ask.Name == Any { // it repeats the asks for places, if any were visited
		if len(t.racks) == 0 && len(t.racksOfNodes) == 0 {
			t.any = true
		}
		return t.any
	}
	nodes := s.nodes.named(ask.Name, s.conf.Faults)
	switch {
	case len(nodes) == 0 || t.any:
		return false
	case nodes[0].host == ask.Name && (len(nodes) == 1 || !s.conf.Faults.hostsAsRacks):
		if t.racks[nodes[0].rack] {
			return false
		}
		t.racksOfNodes[nodes[0].rack] = true
	default:
		if t.racksOfNodes[ask.Name] {
			return false
		}
		t.racks[ask.Name] = true
	}
	return true
}
