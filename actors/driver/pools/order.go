//coherer:pure

package pools

import (
	"cmp"
	"math"
)

// Key is what the order of task sets depends on.
type Key struct {
	// Job is the priority: lower ones come first.
	Job            int32
	Stage, Attempt int32
}

// compare is the order of FIFO. It mirrors FIFOSchedulingAlgorithm, which leaves attempts of a stage in the order in which they came.
func (k Key) compare(o Key) int {
	return cmp.Or(cmp.Compare(k.Job, o.Job), cmp.Compare(k.Stage, o.Stage), cmp.Compare(k.Attempt, o.Attempt))
}

// share is what the order of FAIR depends on, of a pool or of a set.
type share struct {
	running, minShare, weight int
	name                      string
}

// needs reports whether a share is below its minimum.
func (s share) needs() bool { return s.running < s.minShare }

// compare is the order of FAIR. It mirrors FairSchedulingAlgorithm.
func (s share) compare(o share) int {
	var by int
	switch {
	case s.needs() && !o.needs():
		return -1
	case !s.needs() && o.needs():
		return 1
	case s.needs():
		by = cmp.Compare(s.ofMinimum(), o.ofMinimum())
	default:
		by = cmp.Compare(javaOrder(s.perWeight()), javaOrder(o.perWeight()))
	}
	return cmp.Or(by, cmp.Compare(s.name, o.name))
}

// ofMinimum is the part of the minimum share that runs. It asks only of minima above 0.
func (s share) ofMinimum() float64 { return float64(s.running) / float64(s.minShare) }

func (s share) perWeight() float64 { return float64(s.running) / float64(s.weight) }

// javaOrder is a number whose order is that of Java's Double.compare. A pool with a weight below 0 has -0 when nothing of it runs,
// which comes before 0, and one of weight 0 has no number at all, which comes last.
func javaOrder(f float64) int64 {
	if math.IsNaN(f) {
		return math.MaxInt64
	}
	bits := int64(math.Float64bits(f))
	return bits ^ (bits >> 63 & math.MaxInt64)
}
