//coherer:pure

package fair

import (
	"fmt"
	"strings"
	"time"
)

// queueElement is the file's settings of one queue. A nil field is missing: it is inherited, or has its default.
type queueElement struct {
	parent, reserves        bool
	policy                  string
	weight                  *float32
	min, max, maxChild      *Limit
	maxContainer            *Resource
	maxApps                 *int
	maxAMShare              *float32
	minTimeout, fairTimeout *time.Duration
	fairThreshold           *float32
	notPreemptable          bool
	submit, administer      ACL // nobody, and everybody in Root
}

// defaults are the file's settings for all queues, or Hadoop's own.
type defaults struct {
	policy                  string
	userMaxApps             int
	queueMaxApps            int
	queueMax                Limit
	queueMaxAMShare         float32
	minTimeout, fairTimeout time.Duration
	fairThreshold           float32
}

func noDefaults() defaults {
	return defaults{
		policy: policyFair, userMaxApps: unlimitedApps, queueMaxApps: unlimitedApps, queueMax: Limit{Amount: unbounded},
		queueMaxAMShare: 0.5, minTimeout: never, fairTimeout: never, fairThreshold: 0.5,
	}
}

// Queue is the settings of a queue: one of the file, or a Dynamic one that is or would be below another.
func (a *Allocations) Queue(name string) QueueSettings {
	if s, ok := a.settled[name]; ok {
		return s
	}
	return a.derive(name)
}

// settle derives the settings of all queues of the file, parents first: children inherit.
func (a *Allocations) settle() {
	a.settled = make(map[string]QueueSettings, len(a.queues))
	for _, name := range a.names() {
		a.settled[name] = a.derive(name)
	}
}

// derive computes a queue's settings: the defaults, over them the parent's, over them its own.
func (a *Allocations) derive(name string) QueueSettings {
	d := a.defaults
	s := QueueSettings{
		Name: name, Policy: d.policy, Weight: 1, Max: d.queueMax, MaxRunningApps: d.queueMaxApps,
		MaxAMShare: d.queueMaxAMShare, MaxContainerAllocation: unbounded, MinSharePreemptionTimeout: d.minTimeout,
		FairSharePreemptionTimeout: d.fairTimeout, FairSharePreemptionThreshold: d.fairThreshold, Preemptable: true,
	}
	if name == Root && !a.faults.limitsRoot {
		s.Max, s.MaxRunningApps = Limit{Amount: unbounded}, unlimitedApps
	} else if parent := parentName(name); parent != "" {
		a.inherit(&s, a.Queue(parent))
	}
	if q := a.queues[name]; q != nil {
		q.settle(&s)
	} else {
		s.Dynamic = name != Root
	}
	return s
}

// inherit sets the settings that a queue has from those above it.
func (a *Allocations) inherit(s *QueueSettings, p QueueSettings) {
	s.MaxContainerAllocation = p.MaxContainerAllocation
	s.MinSharePreemptionTimeout, s.FairSharePreemptionTimeout = p.MinSharePreemptionTimeout, p.FairSharePreemptionTimeout
	s.FairSharePreemptionThreshold, s.Preemptable = p.FairSharePreemptionThreshold, p.Preemptable
	if a.queues[s.Name] == nil && p.MaxChild != nil { // maxChildResources is for queues that the file does not name
		s.Max = *p.MaxChild
	}
}

// settle sets the queue's own settings.
func (q *queueElement) settle(s *QueueSettings) {
	s.Parent, s.MaxChild, s.Submit, s.Administer = q.parent, q.maxChild, q.submit, q.administer
	if q.policy != "" {
		s.Policy = q.policy
	}
	set(&s.Weight, q.weight)
	set(&s.Min, q.min)
	set(&s.Max, q.max)
	set(&s.MaxContainerAllocation, q.maxContainer)
	set(&s.MaxRunningApps, q.maxApps)
	set(&s.MaxAMShare, q.maxAMShare)
	set(&s.MinSharePreemptionTimeout, q.minTimeout)
	set(&s.FairSharePreemptionTimeout, q.fairTimeout)
	set(&s.FairSharePreemptionThreshold, q.fairThreshold)
	if q.notPreemptable {
		s.Preemptable = false
	}
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// Creatable is the reason why a queue with its policies of the file cannot be made, as a parent or as a leaf: drf cannot stand
// below fair, and a parent cannot have fifo. It is nil if the queue can be made.
func (a *Allocations) Creatable(name string, parent bool) error {
	if name == Root {
		return nil
	}
	above := parentName(name)
	if a.missing[above] {
		return fmt.Errorf("queue %s is left out, as %s is", name, above)
	}
	if badName(name) {
		return fmt.Errorf("queue %.100q is left out: a part of its name is empty or begins or ends with a space, or it is longer than %d bytes", name, maxQueueName)
	}
	switch policy := a.Queue(name).Policy; {
	case parent && policy == policyFIFO:
		return fmt.Errorf("queue %s is left out: its policy is FIFO, and it is a parent; only queues without children can have FIFO", name)
	case a.Queue(above).Policy == policyFIFO:
		return fmt.Errorf("queue %s is left out: the policy of %s is FIFO, which only queues without children can have", name, above)
	case !mayStandBelow(a.Queue(above).Policy, policy):
		return fmt.Errorf("queue %s is left out: its policy is DRF, and that of %s is fair; give %s DRF too", name, above, above)
	}
	return nil
}

// badName reports whether a full name is too long, or its last part not valid.
func badName(name string) bool {
	node := name[strings.LastIndexByte(name, '.')+1:]
	return node == "" || node != strings.TrimSpace(node) || len(name) > maxQueueName
}

// mayStandBelow reports whether a queue with a policy may be below one with another.
func mayStandBelow(above, policy string) bool {
	return above != policyFIFO && (above != policyFair || policy != policyDRF)
}

// leaveOut finds the queues that cannot be made, with a warning each. Parents come first: Creatable looks at missing.
func (a *Allocations) leaveOut() {
	for _, name := range a.names() {
		if err := a.Creatable(name, a.queues[name].parent); err != nil {
			a.missing[name] = true
			a.Warnings = append(a.Warnings, err.Error())
		}
	}
	if a.faults.vanishing {
		a.historicOutline()
	}
}
