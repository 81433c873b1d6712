//coherer:pure

package fair

import (
	"math"
	"strings"
	"time"
)

// historicUnlimited is Hadoop's amount of the types that a maximum in the form memory-mb=4096 leaves out: unlimited memory, but -1
// cores, since the number is cut to an int. No container has room then.
var historicUnlimited = Resource{Memory: unboundedMemory, VCores: -1}

// historicQueueTag reports whether Hadoop takes an element inside a queue for another queue: it asks whether "queue" ends with the
// tag, and not the reverse.
func historicQueueTag(tag string) bool { return strings.HasSuffix("queue", tag) }

// historicRoot reads the element of a queue named ROOT or Root. Hadoop takes it for root's, makes root.ROOT and the queues below
// it, and then looks up their settings by other names, so that they have none.
func (p *fileParser) historicRoot(e *element) {
	p.queue(Root, e)
	for _, name := range p.names() {
		if name != Root {
			p.queues[name] = &queueElement{parent: p.queues[name].parent}
		}
	}
}

// historicSeconds is a time-out of n seconds in Hadoop, which multiplies without a check: the largest number, which files
// use for never, is -1000 ms, so that an application below its share is starved at once.
func historicSeconds(n int64) time.Duration {
	switch ms := n * 1000; {
	case ms > never.Milliseconds():
		return never
	case ms < -never.Milliseconds():
		return -never
	default:
		return time.Duration(ms) * time.Millisecond
	}
}

// historicNoAMLimit reports whether a maxAMShare below 0 limits nothing: in Hadoop -1 alone does; under another one no
// ApplicationMaster runs.
func historicNoAMLimit(share float32) bool { return math.Abs(float64(share)+1) < 0.0001 }
