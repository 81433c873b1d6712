package resourcemanager

import (
	"slices"

	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/rpcenv/conf"
)

// fairFaults is what coherer.compat calls the faults of Hadoop's FairScheduler, all of them.
const fairFaults = "YARN-FAIR"

// compatOf is whether the FairScheduler has Hadoop's faults.
func compatOf(c *conf.Conf) fair.Compat {
	if slices.Contains(conf.Compat.Get(c), fairFaults) {
		return fair.Upstream
	}
	return fair.Fixed
}
