//coherer:pure

package fair

import (
	"fmt"
	"time"

	"github.com/coherer/coherer/actors/hadoop/exitstatus"
)

// AddNode counts a node in. A known id is an error: remove that node first.
func (s *Scheduler) AddNode(now time.Duration, spec NodeSpec) error {
	s.now = now
	if s.nodes.byID[spec.ID] != nil {
		return fmt.Errorf("node %s is added twice: remove it first", spec.ID)
	}
	if spec.Total.Memory < 0 || spec.Total.VCores < 0 {
		return fmt.Errorf("node %s has %s: want 0 or more", spec.ID, spec.Total)
	}
	s.nodes.add(&node{
		id: spec.ID, host: spec.Host, rack: spec.Rack, total: spec.Total, free: spec.Total, hash: historicNodeHash(spec.ID),
	})
	s.clusterChanged()
	return nil
}

// clusterChanged follows a change of the cluster's size: minimums and maximums may be parts of it, and drf compares by it.
func (s *Scheduler) clusterChanged() {
	s.root.walk(s.resize)
	s.root.everything()
	s.unsteady = true
	s.refresh()
}

// refresh notes the free resources. Hadoop does so after scheduling, not with each container: the limit of ApplicationMasters and
// headrooms go by the value of that time.
func (s *Scheduler) refresh() { s.available = s.nodes.total.Minus(s.root.Usage) }

// RemoveNode counts a node out; all its containers are Gone with exitstatus.Aborted. An unknown node is ErrUnknown.
func (s *Scheduler) RemoveNode(now time.Duration, id string) ([]Event, error) {
	s.now = now
	n := s.nodes.byID[id]
	if n == nil {
		return nil, fmt.Errorf("node %s is %w", id, ErrUnknown)
	}
	lost := End{ExitStatus: exitstatus.Aborted, Diagnostics: DiagnosticsLost, Cause: Killed}
	for _, c := range inOrder(n.containers) {
		s.complete(c, lost)
	}
	if n.reserved != nil {
		s.complete(n.reserved, lost)
	}
	s.nodes.remove(n) // after its containers, which need it to leave the books
	s.clusterChanged()
	return s.take(), nil
}

// UpdateNodeResource changes a node's size. Its containers stay, even if they exceed it: free is negative then.
func (s *Scheduler) UpdateNodeResource(now time.Duration, id string, total Resource) error {
	s.now = now
	n := s.nodes.byID[id]
	if n == nil {
		return fmt.Errorf("node %s is %w", id, ErrUnknown)
	}
	if total.Memory < 0 || total.VCores < 0 {
		return fmt.Errorf("node %s gets %s: want 0 or more", id, total)
	}
	n.free = n.free.Plus(total.Minus(n.total))
	n.total = total
	s.nodes.resized()
	s.clusterChanged()
	return nil
}

// Drain stops the offers of a node, which will be decommissioned when its containers have ended, or resumes them. Its size still
// counts, and NodeUpdate takes its news.
func (s *Scheduler) Drain(now time.Duration, id string, drain bool) error {
	s.now = now
	n := s.nodes.byID[id]
	if n == nil {
		return fmt.Errorf("node %s is %w", id, ErrUnknown)
	}
	n.drained = drain
	return nil
}
