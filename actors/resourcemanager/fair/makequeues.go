//coherer:pure

package fair

import "slices"

// maker has the queues that there are. Allocations makes those of a file, or for a submission, by it.
type maker interface {
	look(name string) (exists, leaf bool, policy string)
	vacant(name string) bool // no application is in it or below
	drop(name string)        // with what is below
	add(set QueueSettings)
}

// create makes a queue with those above it that are not there, of the file or for a submission. Where a policy may
// not stand it ends, and what it has made stays.
func (a *Allocations) create(m maker, name string, parent, submitted bool) {
	if exists, _, _ := m.look(name); exists {
		return
	}
	missing := []string{name}
	above := ParentName(name)
	exists, leaf, policy := m.look(above)
	for ; above != "" && !exists; exists, leaf, policy = m.look(above) {
		missing = append(missing, above)
		above = ParentName(above)
	}
	if !exists || leaf || slices.ContainsFunc(missing, badName) {
		return
	}
	for _, n := range slices.Backward(missing) {
		set := a.Queue(n)
		set.Parent, set.Dynamic = parent || n != name, submitted
		if !mayStandBelow(policy, set.Policy) || set.Parent && set.Policy == PolicyFIFO {
			return
		}
		m.add(set)
		policy = set.Policy
	}
}

func (s *Scheduler) look(name string) (exists, leaf bool, policy string) {
	q := s.queues[name]
	if q == nil {
		return false, false, ""
	}
	return true, q.leaf, q.policy.Name()
}

func (s *Scheduler) vacant(name string) bool { return s.queues[name].empty() }

func (s *Scheduler) drop(name string) { s.dropTree(s.queues[name]) }

func (s *Scheduler) add(set QueueSettings) { s.newQueue(set, s.queues[ParentName(set.Name)]) }
