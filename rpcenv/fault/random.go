package fault

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/coherer/coherer/rpcenv/trace"
)

// Random makes a Plan of faults among processes, at times within span: n of them, and what ends those that must end, since a
// process that is never resumed or restarted has nothing to show. Costs of handlers are of a few milliseconds.
func Random(rnd *rand.Rand, names []string, span time.Duration, n int) Plan {
	g := generator{rnd: rnd, names: names, span: span}
	for range n {
		g.add()
	}
	slices.SortStableFunc(g.plan.Faults, func(a, b Timed) int { return cmp.Compare(a.At, b.At) })
	return g.plan
}

type generator struct {
	rnd   *rand.Rand
	names []string
	span  time.Duration
	plan  Plan
}

func (g *generator) at(t time.Duration, f Fault) {
	g.plan.Faults = append(g.plan.Faults, Timed{t.Truncate(time.Millisecond), f})
}

func (g *generator) name() string { return g.names[g.rnd.IntN(len(g.names))] }

// within is a time up to d, of a millisecond at least.
func (g *generator) within(d time.Duration) time.Duration {
	return time.Duration(g.rnd.Int64N(max(int64(d/time.Millisecond), 1))+1) * time.Millisecond
}

// add adds one fault, and its end.
func (g *generator) add() {
	t := g.within(g.span)
	end := t + g.within(g.span/2)
	a, b := g.name(), g.name() // the same one at times: then a cut or a delay becomes another fault
	switch k := g.rnd.IntN(20); {
	case k < 3 && a != b:
		oneway := g.rnd.IntN(2) == 0
		g.at(t, Fault{Verb: Cut, A: a, B: b, OneWay: oneway})
		g.at(end, Fault{Verb: Heal, A: a, B: b, OneWay: oneway})
	case k < 4 && a != b:
		g.at(t, Fault{Verb: Delay, A: a, B: b, By: g.within(50 * time.Millisecond)})
	case k < 6:
		g.at(t, Fault{Verb: Pause, A: a})
		g.at(end, Fault{Verb: Resume, A: a})
	case k < 8:
		g.at(t, Fault{Verb: Restart, A: a})
	case k < 9:
		g.at(t, Fault{Verb: Kill, A: a})
		g.at(end, Fault{Verb: Restart, A: a})
	case k < 11:
		g.at(t, Fault{Verb: Vanish, A: a})
		g.at(end, Fault{Verb: Restart, A: a})
	case k < 12:
		least := g.within(5 * time.Millisecond)
		g.at(t, Fault{Verb: Latency, By: least, Max: least + g.within(20*time.Millisecond)})
	case k < 13:
		g.at(t, Fault{Verb: Cost, A: a, B: "*", By: g.within(3 * time.Millisecond)})
		g.at(t, Fault{Verb: Threads, A: a, N: 1 + g.rnd.IntN(2)})
	default:
		g.at(t, g.rule())
	}
}

// rule is a fault of messages, with some limit.
func (g *generator) rule() Fault {
	f := Fault{Verb: []Verb{Drop, Duplicate, Delay, Reorder}[g.rnd.IntN(4)], Pattern: trace.Filter{From: "*", To: "*", Message: "*"}}
	if g.rnd.IntN(2) == 0 {
		f.Pattern.From = g.name()
	}
	if g.rnd.IntN(2) == 0 {
		f.Pattern.To = g.name()
	}
	if f.Verb == Delay || f.Verb == Reorder {
		f.By = g.within(100 * time.Millisecond)
	}
	if g.rnd.IntN(2) == 0 {
		f.N = 1 + g.rnd.IntN(5)
	} else {
		f.For, f.P = g.within(g.span/2), float64(1+g.rnd.IntN(8))/16
	}
	return f
}
