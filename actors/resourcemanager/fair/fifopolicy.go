//coherer:pure

package fair

import "cmp"

// fifoPolicy gives the applications of a leaf queue everything in turn: Hadoop's FifoPolicy.
type fifoPolicy struct{ faults Faults }

func (fifoPolicy) Name() string { return policyFIFO }

// Compare serves the larger priority number first, then the earlier start.
func (fifoPolicy) Compare(a, b *schedulable, _ Resource) int {
	if c := cmp.Compare(b.Priority, a.Priority); c != 0 {
		return c
	}
	return ties(a, b)
}

// ComputeShares gives the total to the application that started first.
func (p fifoPolicy) ComputeShares(items []*schedulable, total Resource) {
	var first *schedulable
	for _, s := range items {
		if !p.faults.keepsShares {
			s.FairShare = Resource{}
		}
		if first == nil || s.StartTime < first.StartTime {
			first = s
		}
	}
	if first != nil {
		first.FairShare = total
	}
}

// ComputeSteadyShares does nothing: applications have no steady share.
func (fifoPolicy) ComputeSteadyShares([]*schedulable, Resource) {}

func (fifoPolicy) Less(a, b, _ Resource) bool { return a.Memory < b.Memory }

func (fifoPolicy) Below(usage, share, _ Resource) bool { return usage.Memory < share.Memory }

func (fifoPolicy) Headroom(share, usage, most Resource) Resource {
	return memoryHeadroom(share, usage, most)
}
