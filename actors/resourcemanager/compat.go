package resourcemanager

import (
	"slices"

	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/rpcenv/conf"
)

// fairFaults is the name in coherer.compat of all faults of Hadoop's FairScheduler.
const fairFaults = "YARN-FAIR"

// crossingAsks is the name in coherer.compat of one fault: an ask that crosses containers on their way counts them again, and
// the application gets too many. The ApplicationMaster has a part in it.
const crossingAsks = "YARN-1902"

// crossing reports whether the FairScheduler has that fault.
func crossing(c *conf.Conf) bool { return slices.Contains(conf.Compat.Get(c), crossingAsks) }

// compatOf says whether the FairScheduler has Hadoop's faults.
func compatOf(c *conf.Conf) fair.Compat {
	if slices.Contains(conf.Compat.Get(c), fairFaults) {
		return fair.Upstream
	}
	return fair.Fixed
}
