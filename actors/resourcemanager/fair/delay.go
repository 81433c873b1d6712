//coherer:pure

package fair

import "time"

// locality is the distance of a container from the places that were asked for.
type locality int

// The localities, the nearest first: Hadoop's NodeType.
const (
	nodeLocal locality = iota // on a host that was asked for
	rackLocal                 // in a rack that was asked for
	offSwitch                 // anywhere
)

var localities = [...]string{nodeLocal: "NODE_LOCAL", rackLocal: "RACK_LOCAL", offSwitch: "OFF_SWITCH"}

func (l locality) String() string { return localities[l] }

// delay is the wait of one key's requests for a near node, and the distance allowed by now: delay scheduling. It outlives the
// requests.
type delay struct {
	allowed locality
	begun   bool          // allowed counts
	missed  int           // offers since allowed changed
	since   time.Duration // when allowed changed, by time
}

// byOffers is the distance allowed after another offer, if nodePart and rackPart of all nodes may be missed first. A part below 0
// means no delay; one above 1 counts as 1. Parts have 32 bits, as Hadoop's settings do.
func (d *delay) byOffers(nodes int, nodePart, rackPart float64) locality {
	if nodePart < 0 || rackPart < 0 {
		return offSwitch
	}
	if !d.begun {
		d.begun, d.allowed = true, nodeLocal
		return nodeLocal
	}
	if part := min(float64(float32(d.choose(nodePart, rackPart))), 1); d.allowed != offSwitch && float64(d.missed) > float64(nodes)*part {
		d.allowed, d.missed = d.allowed+1, 0
	}
	return d.allowed
}

// byTime is the distance allowed at now, if nodeWait and rackWait have to pass first. A wait below 0 means no delay.
func (d *delay) byTime(now, nodeWait, rackWait time.Duration) locality {
	if nodeWait < 0 || rackWait < 0 {
		return offSwitch
	}
	if !d.begun {
		d.begun, d.allowed, d.since = true, nodeLocal, now
		return nodeLocal
	}
	wait := nodeWait
	if d.allowed == rackLocal {
		wait = rackWait
	}
	if d.allowed != offSwitch && now-d.since > wait {
		d.allowed, d.missed, d.since = d.allowed+1, 0, now
	}
	return d.allowed
}

func (d *delay) choose(nodePart, rackPart float64) float64 {
	if d.allowed == nodeLocal {
		return nodePart
	}
	return rackPart
}

// given sets the delay back to the level of a container that is nearer than it had to be: near nodes exist, so that it waits again.
func (d *delay) given(level locality) {
	if d.begun {
		d.allowed = min(d.allowed, level)
	}
}
