package tasks

import "slices"

// pending has the tasks of a set that are to be started, by where they want to run. Each list is a stack: a task that failed is
// the next to start. A task stands in each list that fits it and is dropped from the others when it is met there after its
// start. It mirrors org.apache.spark.scheduler.PendingTasksByLocality.
type pending struct {
	byExecutor, byHost, byRack stacks
	noPrefs, all               stack
}

// addPending enters a task that is to be started, or, speculative, to be started a second time.
func (m *manager) addPending(index int32, speculative bool) {
	m.enter(index, speculative)
	p := m.lists(speculative)
	for _, l := range m.set.Tasks[index].Locations {
		if rack := m.s.rack(l.Host); rack != "" {
			p.byRack.push(rack, index)
		}
	}
}

// enter is addPending without the racks.
func (m *manager) enter(index int32, speculative bool) {
	p, locations := m.lists(speculative), m.set.Tasks[index].Locations
	for _, l := range locations {
		switch {
		case l.Executor != "":
			p.byExecutor.push(l.Executor, index)
		case l.Cached:
			for _, e := range m.s.aliveOn(l.Host) {
				p.byExecutor.push(e, index)
			}
		}
		p.byHost.push(l.Host, index)
	}
	if len(locations) == 0 {
		p.noPrefs = append(p.noPrefs, index)
	}
	p.all = append(p.all, index)
}

// enterAll enters all tasks of a new set, the first one on top.
func (m *manager) enterAll() {
	m.pending.all = make(stack, 0, len(m.set.Tasks))
	for i := range slices.Backward(m.set.Tasks) {
		m.enter(int32(i), false)
	}
	// The racks at once: a host has many tasks.
	for _, host := range m.pending.byHost.keys {
		if rack := m.s.rack(host); rack != "" {
			for _, index := range *m.pending.byHost.of[host] {
				m.pending.byRack.push(rack, index)
			}
		}
	}
}

func (m *manager) lists(speculative bool) *pending {
	if speculative {
		return &m.copies
	}
	return &m.pending
}

// choice is a task that an offer starts.
type choice struct {
	index       int32
	level       Level
	speculative bool
}

// dequeue takes a task that may run on an executor, no farther from its data than limit; a task that has not run comes before
// a copy of one that is slow. It mirrors TaskSetManager.dequeueTask.
func (m *manager) dequeue(o *Offer, limit Level) (choice, bool) {
	if c, ok := m.dequeueFrom(o, limit, false); ok {
		return c, true
	}
	if len(m.speculatable) == 0 {
		return choice{}, false
	}
	c, ok := m.dequeueFrom(o, limit, true)
	if ok {
		delete(m.speculatable, c.index)
	}
	return c, ok
}

func (m *manager) dequeueFrom(o *Offer, limit Level, speculative bool) (choice, bool) {
	p := m.lists(speculative)
	take := func(list *stack, level Level) (choice, bool) {
		if list == nil {
			return choice{}, false
		}
		index, ok := m.pop(o, list, speculative)
		return choice{index, level, speculative}, ok
	}
	if c, ok := take(p.byExecutor.of[o.Executor], ProcessLocal); ok {
		return c, true
	}
	if limit >= NodeLocal {
		if c, ok := take(p.byHost.of[o.Host], NodeLocal); ok {
			return c, true
		}
	}
	if limit >= NoPref {
		if c, ok := take(&p.noPrefs, ProcessLocal); ok {
			return c, true
		}
	}
	if limit >= RackLocal {
		if c, ok := take(p.byRack.of[m.s.rack(o.Host)], RackLocal); ok { // none is of the rack ""
			return c, true
		}
	}
	if limit >= Any {
		return take(&p.all, Any)
	}
	return choice{}, false
}

// pop takes the first task from the top that may run on the executor, and drops those above it that need no start.
func (m *manager) pop(o *Offer, list *stack, speculative bool) (int32, bool) {
	for at, index := range slices.Backward(*list) {
		if m.excludes(index, o) || speculative && m.ranOn(index, o.Host) {
			continue
		}
		*list = slices.Delete(*list, at, at+1) // nearly always the last
		t := &m.states[index]
		if _, held := m.held[index]; !t.done && (t.copies == 0 && !held || speculative && t.copies == 1) {
			return index, true
		}
	}
	return 0, false
}

// ranOn reports whether an attempt of a task was ever started on a host.
func (m *manager) ranOn(index int32, host string) bool {
	for a := m.states[index].last; a != nil; a = a.previous {
		if a.host == host {
			return true
		}
	}
	return false
}

// needsStart reports whether a list has a task to be started, and drops what it finds above it.
func (m *manager) needsStart(list *stack) bool {
	for len(*list) > 0 {
		t := &m.states[(*list)[len(*list)-1]]
		if t.copies == 0 && !t.done {
			return true
		}
		*list = (*list)[:len(*list)-1]
	}
	return false
}

// anyNeedsStart is needsStart of lists by key; those that turn out empty are forgotten.
func (m *manager) anyNeedsStart(s *stacks) bool {
	var empty []string
	found := slices.ContainsFunc(s.keys, func(key string) bool {
		if m.needsStart(s.of[key]) {
			return true
		}
		empty = append(empty, key)
		return false
	})
	for _, key := range empty {
		s.remove(key)
	}
	return found
}

// schedulable reports whether the set could start a task if there were cores.
func (m *manager) schedulable() bool {
	return !m.zombie && (len(m.pending.all) > 0 || len(m.copies.all) > 0)
}
