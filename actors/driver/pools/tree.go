//coherer:pure

package pools

import (
	"fmt"
	"slices"
)

// Tree has the task sets of an application, S, in their pools. Make one by New.
type Tree[S any] struct {
	mode Mode
	// pools in the order in which they were made; under FIFO one that has no name and all sets.
	pools []*pool[S]
	// filled are the pools that have sets, in the order of the last Sorted.
	filled []*pool[S]
	served []S
}

// Leaf is a set in its Tree. Its owner reports to it what runs.
type Leaf[S any] struct {
	Set     S
	key     Key
	name    string
	in      *pool[S]
	running int
}

// New makes a Tree without sets. file is the allocation file; nil: the application has no such file. FIFO disregards it. The lines
// report the pools, after the warnings of the file.
func New[S any](mode Mode, file *Allocations) (*Tree[S], []Line) {
	t := &Tree[S]{mode: mode}
	if mode == FIFO {
		t.make(Config{Mode: FIFO})
		return t, nil
	}
	if file == nil {
		// Spark takes the application's mode here, and FIFO for the default pool that a file lacks.
		c := newConfig(DefaultPool)
		c.Mode = mode
		t.make(c)
		return t, []Line{{Text: fmt.Sprintf("Fair scheduler configuration not found, created default pool: %s, %s", c.Name, c)}}
	}
	lines := slices.Clone(file.Lines)
	for _, c := range file.Pools {
		t.make(c)
		lines = append(lines, Line{Text: fmt.Sprintf("Created pool: %s, %s", c.Name, c)})
	}
	if t.find(DefaultPool) == nil {
		c := newConfig(DefaultPool)
		t.make(c)
		lines = append(lines, Line{Text: fmt.Sprintf("Created default pool: %s, %s", c.Name, c)})
	}
	return t, lines
}

func (t *Tree[S]) make(c Config) *pool[S] {
	p := &pool[S]{Config: c}
	t.pools = append(t.pools, p)
	return p
}

// find returns the last pool of a name; nil: no pool has it.
func (t *Tree[S]) find(name string) *pool[S] {
	for _, p := range slices.Backward(t.pools) {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Add puts a set into a pool; "" is the default one, and FIFO disregards it. A pool that is not there is made with the defaults,
// of which the lines warn. It mirrors SchedulableBuilder.addTaskSetManager.
func (t *Tree[S]) Add(set S, k Key, poolName string) (*Leaf[S], []Line) {
	l := &Leaf[S]{Set: set, key: k, name: fmt.Sprintf("TaskSet_%d.%d", k.Stage, k.Attempt)}
	if t.mode == FIFO {
		t.put(l, t.pools[0])
		return l, nil
	}
	if poolName == "" {
		poolName = DefaultPool
	}
	var lines []Line
	p := t.find(poolName)
	if p == nil {
		p = t.make(newConfig(poolName))
		lines = append(lines, Line{Warn: true, Text: fmt.Sprintf("A job was submitted with scheduler pool %[1]s, which has not been configured. "+
			"This can happen when the file that pools are read from isn't set, or when that file doesn't contain %[1]s. "+
			"Created %[1]s with default configuration (%[2]s)", poolName, p.Config)})
	}
	t.put(l, p)
	return l, append(lines, Line{Text: "Added task set " + l.name + " tasks to pool " + poolName})
}

func (t *Tree[S]) put(l *Leaf[S], p *pool[S]) {
	if len(p.sets) == 0 {
		t.filled = append(t.filled, p)
	}
	p.add(l)
}

// Remove takes a set out, with the attempts that it still runs. A second time changes nothing.
func (t *Tree[S]) Remove(l *Leaf[S]) {
	p := l.in
	if p == nil {
		return
	}
	p.remove(l)
	if len(p.sets) == 0 {
		t.filled = slices.DeleteFunc(t.filled, func(o *pool[S]) bool { return o == p })
	}
	if len(t.filled) == 0 {
		t.served = nil // it would keep the last sets alive
	}
}

// Sorted is all sets in the order in which they get cores. The slice holds until the next call.
func (t *Tree[S]) Sorted() []S {
	slices.SortStableFunc(t.filled, comparePools)
	clear(t.served)
	t.served = t.served[:0]
	for _, p := range t.filled {
		t.served = p.serve(t.served)
	}
	return t.served
}

// Sets yields all sets, pool by pool, each in the order in which they were added: the order in which Spark notifies them.
func (t *Tree[S]) Sets(yield func(S) bool) {
	for _, p := range t.pools {
		for _, l := range p.sets {
			if !yield(l.Set) {
				return
			}
		}
	}
}

// Len is how many sets there are.
func (t *Tree[S]) Len() int {
	n := 0
	for _, p := range t.filled {
		n += len(p.sets)
	}
	return n
}

// Started reports that an attempt of a task of the set began.
func (l *Leaf[S]) Started() { l.change(1) }

// Ended reports that one ended.
func (l *Leaf[S]) Ended() { l.change(-1) }

func (l *Leaf[S]) change(by int) {
	l.running += by
	if l.in != nil { // what a set still runs after Remove is no pool's
		l.in.running += by
	}
}

// Running is how many attempts of the set run.
func (l *Leaf[S]) Running() int { return l.running }

// Pool is the name of the set's pool; "" under FIFO and after Remove.
func (l *Leaf[S]) Pool() string {
	if l.in == nil {
		return ""
	}
	return l.in.Name
}
