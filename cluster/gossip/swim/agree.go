package swim

import (
	"math"
	"time"

	"github.com/hashicorp/memberlist"

	"github.com/coherer/coherer/cluster/gossip"
)

// Agreement is how soon n members that can reach one another know who is there, counted from the last of their coming and going and of all
// faults. It is the sum of what has to happen at worst, one after the other:
//
//   - Members that have given each other up call on each other's addresses: the time between two calls, and the end of a call to nobody.
//   - Gossip tells by chance, and may pass a member by. The member hears what it missed when it exchanges all that is known with another one,
//     for the first time within twice the interval of these exchanges.
//   - Nobody may have heard that a member is gone. Each probes all in a round, and in the next one in another order: within two rounds the
//     member finds out itself. Its suspicion, without another accuser, lasts the longest.
//
// Mostly it takes a second or two.
func Agreement(cfg *memberlist.Config, n int) time.Duration {
	call := gossip.Upkeep + cfg.TCPTimeout
	rounds := 2 * time.Duration(n) * cfg.ProbeInterval
	suspicion := time.Duration(cfg.SuspicionMaxTimeoutMult) * suspicionTimeout(cfg, n)
	return call + 2*pushPullScale(cfg.PushPullInterval, n) + rounds + suspicion
}

// pushPullScale is the time between two exchanges of a member. It grows with the cluster: all that everybody knows is much then.
func pushPullScale(interval time.Duration, n int) time.Duration {
	const threshold = 32
	if n <= threshold {
		return interval
	}
	return time.Duration(math.Ceil(math.Log2(float64(n))-math.Log2(threshold))+1) * interval
}
