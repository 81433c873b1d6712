package allocation

import (
	"github.com/coherer/coherer/actors/compat"
	"github.com/coherer/coherer/rpcenv/conf"
)

// forgetsTarget is a historic fault, for study (SPARK-20079): with another ApplicationMaster the target begins anew, and
// what the tasks need is not asked for before the next stage, or before an executor was idle for too long.
func forgetsTarget(c *conf.Conf) bool { return compat.Has(c, "SPARK-20079") }
