//coherer:pure

package fair

import (
	"fmt"
	"time"

	"github.com/coherer/coherer/actors/exitstatus"
)

// AddNode counts a node in. A node of that id that is there already is an error: remove it first.
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

// clusterChanged follows a change of what the cluster has.
func (s *Scheduler) clusterChanged() {
	s.root.walk(s.resize)
	s.root.everything()
	s.unsteady = true
	s.refresh()
}

// refresh notes what is free. Hadoop does so after scheduling, not with each container: the share of ApplicationMasters and
// headrooms are by what it was.
func (s *Scheduler) refresh() { s.available = s.nodes.total.Minus(s.root.Usage) }

// RemoveNode counts a node out; all its containers are Gone with exitstatus.Aborted. One that is not there is ErrUnknown.
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
	s.nodes.remove(n)
	s.clusterChanged()
	return s.take(), nil
}

// UpdateNodeResource changes what a node has in all. What runs there stays, also where it is more than that.
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

// Drain says whether a node is offered no more: it is to be taken out of service when what runs there has ended. What it
// has in all still counts, and NodeUpdate takes its news.
func (s *Scheduler) Drain(now time.Duration, id string, drain bool) error {
	s.now = now
	n := s.nodes.byID[id]
	if n == nil {
		return fmt.Errorf("node %s is %w", id, ErrUnknown)
	}
	n.drained = drain
	return nil
}
