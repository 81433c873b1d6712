package driver

import (
	"github.com/coherer/coherer/actors/compat"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/rpcenv/conf"
)

// faults are the historic faults of Spark that this driver has, for study: coherer.compat.
type faults struct {
	offersEarly bool // SPARK-13112: an executor is offered tasks when it registers, before it is made
	tellsNobody bool // SPARK-13519: neither an executor that is given up nor the Master hears of it
	halfRemoves bool // SPARK-27348: the scheduler forgets an executor that is silent, the backend keeps it
	tasks       tasks.Faults
}

func faultsOf(c *conf.Conf) faults {
	has := func(id string) bool { return compat.Has(c, id) }
	return faults{
		offersEarly: has("SPARK-13112"), tellsNobody: has("SPARK-13519"), halfRemoves: has("SPARK-27348"),
		tasks: tasks.Faults{AbortsTwice: has("TASK-SCHEDULER"), ResubmitsFailed: has("TASK-SCHEDULER")},
	}
}
