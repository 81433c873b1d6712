package bus

import (
	"time"

	"github.com/coherer/coherer/rpcenv/conf"
)

// Settings are those that the bus reads.
var Settings = conf.NewSet()

// The entries of Settings; the last argument of each says what it means.
var (
	queueCapacity = conf.Declare(Settings, "spark.scheduler.listenerbus.eventqueue.capacity", conf.AtLeast(conf.Ints, 1), "10000",
		"How many events may wait for the event log before further ones are dropped.")
	logBlockUpdates = conf.Declare(Settings, "spark.eventLog.logBlockUpdates.enabled", conf.Bools, "false",
		"The event log has each change of a kept block.")
	logStageMetrics = conf.Declare(Settings, "spark.eventLog.logStageExecutorMetrics", conf.Bools, "false",
		"The event log has the peaks of each executor in each stage.")
)

// droppedEvery is how often the log says that events were dropped, as in Spark.
const droppedEvery = time.Minute
