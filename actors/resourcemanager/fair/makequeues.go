//coherer:pure

package fair

import "slices"

// maker holds the existing queues. Allocations uses it to make those of a file, or for a submission.
type maker interface {
	look(name string) (exists, leaf bool, policy string)
	vacant(name string) bool // no application is in it or below
	drop(name string)        // with all below
	add(set QueueSettings)
}

// create makes a queue with its missing parents, of the file or for a submission. It ends at a queue whose policy may not stand
// there, and those made before stay.
func (a *Allocations) create(m maker, name string, parent, submitted bool) {
	if exists, _, _ := m.look(name); exists {
		return
	}
	missing := []string{name}
	above := parentName(name)
	exists, leaf, policy := m.look(above)
	for ; above != "" && !exists; exists, leaf, policy = m.look(above) {
		missing = append(missing, above)
		above = parentName(above)
	}
	// All names before the first queue is made: a bad one in the middle must leave nothing behind.
	if !exists || leaf || slices.ContainsFunc(missing, badName) {
		return
	}
	for _, n := range slices.Backward(missing) {
		set := a.Queue(n)
		set.Parent, set.Dynamic = parent || n != name, submitted
		if !mayStandBelow(policy, set.Policy) || set.Parent && set.Policy == policyFIFO {
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

func (s *Scheduler) add(set QueueSettings) { s.newQueue(set, s.queues[parentName(set.Name)]) }
