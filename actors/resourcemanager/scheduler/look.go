package scheduler

import (
	"maps"
	"slices"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
)

// Look is the content of a Scheduler's books at one moment, for observers of a simulation, in which nothing runs meanwhile.
type Look struct {
	// Nodes are by their addresses, HOST:PORT.
	Nodes []LookedNode
	// Containers are those that have room on a node; none is reserved.
	Containers []LookedContainer
	// Waiting are attempts that ask for containers and have not got them.
	Waiting []LookedWait
}

// LookedNode is a node, in MiB and cores.
type LookedNode struct {
	Address     string
	Total, Free fair.Resource
}

// LookedContainer is a container.
type LookedContainer struct {
	ID, Node string
	Size     fair.Resource
	Made     time.Time
	// Running: its node has said that it runs.
	Running bool
}

// LookedWait is an attempt that waits for containers.
type LookedWait struct {
	Attempt, Queue string
	// Could names a node that could give it a container now, without any reason against it; empty: no node. On are the addresses
	// of all such nodes.
	Could string
	On    []string
}

// Look looks at the books; a Scheduler that has not begun has none. The FifoScheduler does not list waiting attempts.
func (s *Scheduler) Look(now time.Time) Look {
	var l Look
	if s.book == nil {
		return l
	}
	for _, n := range s.book.Nodes() {
		l.Nodes = append(l.Nodes, LookedNode{n.ID, n.Total, n.Free})
	}
	for _, id := range slices.SortedFunc(maps.Keys(s.containers), ids.CompareContainers) {
		if k := s.containers[id]; k.machine.State != machine.ContainerReserved {
			l.Containers = append(l.Containers, LookedContainer{id.String(), k.Node, k.Resource, k.made, k.machine.State == machine.ContainerRunning})
		}
	}
	if s.fifo || now.Before(s.readyAt) {
		return l
	}
	for _, id := range slices.SortedFunc(maps.Keys(s.apps), ids.CompareApplications) {
		a := s.apps[id]
		st, _ := s.policy.App(a.attempt) // nothing, between two attempts
		if count, _ := waits(st); count == 0 {
			continue
		}
		w := LookedWait{Attempt: a.attempt.String(), Queue: st.Queue}
		reasons, _ := s.book.Why(now.Sub(s.start), a.attempt)
		for _, r := range reasons {
			if r.Filter == fair.ByTurn && r.Nodes > 0 {
				w.Could, w.On = r.Reason, append(w.On, r.On...)
			}
		}
		l.Waiting = append(l.Waiting, w)
	}
	return l
}
