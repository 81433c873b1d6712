package invariant

import (
	"time"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// heartbeatWait is how long a heartbeat may wait for its handler.
const heartbeatWait = 10 * time.Second

// latency is I10.
type latency struct {
	*Monitor
	looked
}

func (c *latency) see(r *tracepb.Record) {
	if r.GetKind() != tracepb.Kind_HANDLED || r.GetEndpoint() != "HeartbeatReceiver" || r.GetReceived() == 0 || r.GetStarted() == 0 {
		return
	}
	c.judged[NoBlock]++
	if d := time.Duration(r.GetStarted() - r.GetReceived()); d >= heartbeatWait {
		c.fail(NoBlock, "a heartbeat waits %s for %s/HeartbeatReceiver", d.Round(time.Second), c.past.name(r.GetEnv()))
	}
}
