package resourcemanager

import (
	"slices"

	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/rpcenv/conf"
)

// fairFaults is what coherer.compat calls the faults of Hadoop's FairScheduler, all of them.
const fairFaults = "YARN-FAIR"

// crossingAsks is what coherer.compat calls asks that cross containers on their way: for them the application is given
// others. The ApplicationMaster has a part in it.
const crossingAsks = "YARN-1902"

// crossing reports whether the FairScheduler takes asks at their word.
func crossing(c *conf.Conf) bool { return slices.Contains(conf.Compat.Get(c), crossingAsks) }

// compatOf is whether the FairScheduler has Hadoop's faults.
func compatOf(c *conf.Conf) fair.Compat {
	if slices.Contains(conf.Compat.Get(c), fairFaults) {
		return fair.Upstream
	}
	return fair.Fixed
}
