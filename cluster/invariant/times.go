package invariant

import (
	"cmp"
	"time"
)

// YARN are the times of a ResourceManager, its nodes and its ApplicationMasters that deadlines follow from. 0 stands for the
// default of Hadoop and Spark.
type YARN struct {
	// Heartbeat is yarn.resourcemanager.nodemanagers.heartbeat-interval-ms, Update yarn.scheduler.fair.update-interval-ms.
	Heartbeat, Update time.Duration
	// NodeExpiry and MasterExpiry are yarn.nm.liveness-monitor.expiry-interval-ms and yarn.am.liveness-monitor.expiry-interval-ms.
	NodeExpiry, MasterExpiry time.Duration
	// KillDelay is yarn.nodemanager.sleep-delay-before-sigkill.ms.
	KillDelay time.Duration
	// Call is spark.yarn.scheduler.heartbeat.interval-ms: how often an ApplicationMaster calls that wants nothing.
	Call time.Duration
	// Attempts is yarn.resourcemanager.am.max-attempts.
	Attempts int
}

// filled has the defaults of Hadoop and Spark in place of zeros.
func (y YARN) filled() YARN {
	return YARN{
		Heartbeat: cmp.Or(y.Heartbeat, time.Second), Update: cmp.Or(y.Update, 500*time.Millisecond),
		NodeExpiry: cmp.Or(y.NodeExpiry, 10*time.Minute), MasterExpiry: cmp.Or(y.MasterExpiry, 15*time.Minute),
		KillDelay: cmp.Or(y.KillDelay, 250*time.Millisecond), Call: cmp.Or(y.Call, 3*time.Second), Attempts: cmp.Or(y.Attempts, 2),
	}
}

// silence is after how long without a heartbeat a node is not offered, and hears nothing: two did not come, and a third one is late.
// Its ResourceManager counts on it until it expires.
func (y YARN) silence() time.Duration { return 3 * y.Heartbeat }

// hunger is how long demand may wait that a node could meet: until the demand is computed, and a node that was silent meanwhile
// is known to be, and another has been offered twice.
func (y YARN) hunger() time.Duration { return y.silence() + 2*y.Heartbeat + 2*y.Update }

// counted is how long a node's containers may be others than those that are counted there: two heartbeats.
func (y YARN) counted() time.Duration { return 2 * y.Heartbeat }

// ended is how long a container may live that its ResourceManager does not count: it hears of it with one heartbeat, says so with
// the answer to the next, and a process that does not listen is killed. One heartbeat may be late.
func (y YARN) ended() time.Duration { return 3*y.Heartbeat + y.KillDelay }

// givenUp is how long a container may live that its driver has given up: its ApplicationMaster's next call says so.
func (y YARN) givenUp() time.Duration { return y.Call + y.ended() }

// lost is after how long at most a node that is silent is given up, lostMaster an ApplicationMaster: they are looked for three
// times in each expiry.
func (y YARN) lost() time.Duration       { return y.NodeExpiry*4/3 + y.Heartbeat }
func (y YARN) lostMaster() time.Duration { return y.MasterExpiry*4/3 + y.Heartbeat }

// place is a node, by its address, as a ResourceManager knows it.
type place struct{ manager, node string }

// contact is since when a ResourceManager has heard of a node without a silence, and when it did last.
type contact struct{ since, last time.Time }

// beat: a ResourceManager handles a node's heartbeat.
func (h *history) beat(at place) {
	c, ok := h.contacts[at]
	if !ok || h.now.Sub(c.last) > h.silence {
		c.since = h.now
	}
	c.last = h.now
	h.contacts[at] = c
}

// heard is for how long a ResourceManager has heard of a node without a silence; not ok when it does not.
func (h *history) heard(manager, node string) (d time.Duration, ok bool) {
	c, ok := h.contacts[place{manager, node}]
	return h.now.Sub(c.since), ok && h.now.Sub(c.last) <= h.silence
}
