//coherer:pure

package fair

import (
	"math"
	"strings"
	"time"
)

// historicUnlimited is what Hadoop has for the types that a maximum in the form memory-mb=4096 does not name: unlimited
// memory, but -1 cores, since the number is cut to an int. No container has room then.
var historicUnlimited = Resource{Memory: UnboundedMemory, VCores: -1}

// historicQueueTag reports whether Hadoop takes an element inside a queue for another queue: each tag that "queue" ends with
// is one.
func historicQueueTag(tag string) bool { return strings.HasSuffix("queue", tag) }

// historicRoot reads the element of a queue called ROOT or Root. Hadoop takes it for root's, and then looks for the settings of
// root.ROOT and what is below, which it makes, by other names: they have none.
func (p *fileParser) historicRoot(e *element) {
	p.queue(Root, e)
	for _, name := range p.names() {
		if name != Root {
			p.queues[name] = &queueElement{parent: p.queues[name].parent}
		}
	}
}

// historicSeconds is a time-out of n seconds in Hadoop, which multiplies without looking: the largest number, which files
// have for never, is -1000 ms, so that whoever is below its share is starved at once.
func historicSeconds(n int64) time.Duration {
	switch ms := n * 1000; {
	case ms > Never.Milliseconds():
		return Never
	case ms < -Never.Milliseconds():
		return -Never
	default:
		return time.Duration(ms) * time.Millisecond
	}
}

// historicNoAMLimit reports whether a maxAMShare below 0 limits nothing: in Hadoop -1 alone does; under another one no
// ApplicationMaster runs.
func historicNoAMLimit(share float32) bool { return math.Abs(float64(share)+1) < 0.0001 }
