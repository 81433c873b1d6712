package resourcemanager

import (
	"slices"

	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/rpcenv/conf"
)

// faultsOf are the faults of Hadoop's FairScheduler that coherer.compat names: YARN-FAIR all of them, YARN-1902 one alone, in
// which the ApplicationMaster has a part.
func faultsOf(c *conf.Conf) fair.Faults {
	ids := conf.Compat.Get(c)
	if slices.Contains(ids, "YARN-FAIR") {
		return fair.Upstream()
	}
	return fair.Faults{CrossingAsks: slices.Contains(ids, "YARN-1902")}
}
