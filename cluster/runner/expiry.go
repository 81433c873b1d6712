package runner

import (
	"fmt"
	"time"

	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv/conf"
)

// In a run a node, or an application master, that is silent is given up sooner than after YARN's 10 and 15 minutes: all is on one
// machine, and the user waits.
const (
	nodeExpiry   = 30 * time.Second
	masterExpiry = 2 * time.Minute
)

// expiries are the settings of a run's ResourceManager for that; the user's come later and win.
func expiries() []string {
	return []string{
		"--conf", fmt.Sprintf("%s=%d", scheduler.NMExpiry.Key(), nodeExpiry.Milliseconds()),
		"--conf", fmt.Sprintf("%s=%d", rmproxy.AMExpiry.Key(), masterExpiry.Milliseconds()),
	}
}

// nodeLost says when a node that ended counts as lost: the ResourceManager looks three times in an expiry.
func (r *run) nodeLost() string {
	expiry, why := nodeExpiry, "shorter in a run than YARN's 10 minutes"
	c, _ := conf.New(r.cfg.Conf, known.All()) // checked by Run
	if d, set := scheduler.NMExpiry.Find(c); set {
		expiry, why = d, "as set"
	}
	return fmt.Sprintf("the ResourceManager counts the node as lost %s to %s from now, and what ran there begins elsewhere then (%s, %s)",
		expiry, (expiry + expiry/3).Round(time.Second), scheduler.NMExpiry.Key(), why)
}
