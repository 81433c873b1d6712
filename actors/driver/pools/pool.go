//coherer:pure

package pools

import (
	"fmt"
	"slices"
)

// pool is sets that are served together.
type pool[S any] struct {
	Config
	running int
	// sets in the order in which they came, order as they are served.
	sets, order []*Leaf[S]
}

func (p *pool[S]) share() share { return share{p.running, p.MinShare, p.Weight, p.Name} }

func comparePools[S any](a, b *pool[S]) int { return a.share().compare(b.share()) }

func compareFIFO[S any](a, b *Leaf[S]) int { return a.key.compare(b.key) }

// compareFAIR is the order of sets within a pool of mode FAIR: Spark's sets have no minimum share, and weight 1.
func compareFAIR[S any](a, b *Leaf[S]) int {
	return share{a.running, 0, 1, a.name}.compare(share{b.running, 0, 1, b.name})
}

func (p *pool[S]) add(l *Leaf[S]) {
	l.in = p
	p.sets = append(p.sets, l)
	// Under FIFO the order never changes, so that serve need not sort; under FAIR it does. A set that equals others comes after them.
	at := len(p.order)
	for at > 0 && compareFIFO(l, p.order[at-1]) < 0 {
		at--
	}
	p.order = slices.Insert(p.order, at, l)
}

func (p *pool[S]) remove(l *Leaf[S]) {
	is := func(o *Leaf[S]) bool { return o == l }
	p.sets, p.order = slices.DeleteFunc(p.sets, is), slices.DeleteFunc(p.order, is)
	p.running -= l.running
	l.in = nil
}

// serve appends the sets in the order in which they get cores.
func (p *pool[S]) serve(to []S) []S {
	if p.Mode == FAIR {
		slices.SortStableFunc(p.order, compareFAIR)
	}
	for _, l := range p.order {
		to = append(to, l.Set)
	}
	return to
}

// Status is a pool as it is now.
type Status struct {
	Config
	// Running is how many attempts of its sets run, Sets how many sets it has.
	Running, Sets int
}

// Needs reports whether the pool is below its minimum share, and so is served before those that are not.
func (s Status) Needs() bool { return s.Running < s.MinShare }

// String is the pool in words: what runs, and by which numbers others come before or after it.
func (s Status) String() string {
	text := fmt.Sprintf("pool %s (%s, weight %d, minShare %d) runs %d tasks of %d sets", s.Name, s.Mode, s.Weight, s.MinShare, s.Running, s.Sets)
	if s.Needs() {
		text += ", below its minShare"
	}
	return text
}

// Pools are all pools, also those without sets, in the order in which they would be served; none under FIFO.
func (t *Tree[S]) Pools() []Status {
	if t.mode == FIFO {
		return nil
	}
	sorted := slices.Clone(t.pools)
	slices.SortStableFunc(sorted, comparePools)
	out := make([]Status, len(sorted))
	for i, p := range sorted {
		out[i] = Status{p.Config, p.running, len(p.sets)}
	}
	return out
}
