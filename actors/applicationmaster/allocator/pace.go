//coherer:pure

package allocator

import "time"

// Pace is the rhythm of allocate calls: while something is wanted, Initial after one, then twice as long each time, up to
// Heartbeat; otherwise Heartbeat. It mirrors ApplicationMaster.allocationThreadImpl.
type Pace struct {
	// Heartbeat is spark.yarn.scheduler.heartbeat.interval-ms, at most half of what the ResourceManager waits.
	Heartbeat time.Duration
	// Initial is spark.yarn.scheduler.initial-allocation.interval, at most Heartbeat.
	Initial time.Duration

	next time.Duration
}

// NewPace limits the two intervals: the heartbeat to half of expiry, after which the ResourceManager gives an
// ApplicationMaster up; the initial one to the heartbeat.
func NewPace(heartbeat, initial, expiry time.Duration) Pace {
	h := max(0, min(expiry/2, heartbeat))
	i := min(h, initial)
	return Pace{Heartbeat: h, Initial: i, next: i}
}

// Sleep is how long to wait after a call before the next. wanted: containers are asked for, or the driver waits for the
// reason of a loss.
func (p *Pace) Sleep(wanted bool) time.Duration {
	if !wanted {
		p.next = p.Initial
		return p.Heartbeat
	}
	sleep := min(p.Heartbeat, p.next)
	p.next = 2 * sleep
	return sleep
}

// Reset begins with Initial again.
func (p *Pace) Reset() { p.next = p.Initial }

// Rest is how long a call that is woken that long after the last one has still to wait: two calls are Initial apart.
func (p *Pace) Rest(since time.Duration) time.Duration { return max(0, p.Initial-since) }
