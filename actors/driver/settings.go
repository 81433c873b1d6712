package driver

import (
	"time"

	"github.com/coherer/coherer/rpcenv/conf"
)

// Settings are those that a driver's scheduler reads.
var Settings = conf.NewSet()

// Settings of the application, its executors and the results of its tasks.
var (
	executorRemoveDelayOnDisconnection = conf.Declare(Settings, "spark.standalone.executorRemoveDelayOnDisconnection",
		conf.AtLeast(conf.Durations(time.Millisecond), 0), "5s",
		"How long the driver waits after an executor disconnected for the Master to say why.")
	_ = conf.Declare(Settings, "spark.driver.timeout", conf.AtLeast(conf.Durations(time.Minute), 0), "0",
		"After how long a driver ends itself; 0 for never.").Awaits("a limit of a driver's life")
	taskMaxFailures = conf.Declare(Settings, "spark.task.maxFailures", conf.AtLeast(conf.Ints, 1), "4",
		"After how many failures of one task its stage fails.")
	checkpointDir = conf.Optional(Settings, "spark.checkpoint.dir", conf.Filled(conf.Paths),
		"The folder below which checkpoints are written, as driver and executors see it.")
	cleanCheckpoints = conf.Declare(Settings, "spark.cleaner.referenceTracking.cleanCheckpoints", conf.Bools, "false",
		"Whether the checkpoints of an application are removed at its end.")
	resultGetterThreads = conf.Declare(Settings, "spark.resultGetter.threads", conf.AtLeast(conf.Ints, 1), "4",
		"How many results the driver fetches from executors at once.")
)

// Settings of the DAG and task schedulers.
var (
	_ = conf.Optional(Settings, "spark.default.parallelism", conf.AtLeast(conf.Ints, 1),
		"The number of partitions when an operation names none; when unset the cores of the executors, at least 2.").Awaits("a default number of partitions")
	schedulerReviveInterval = conf.Declare(Settings, "spark.scheduler.revive.interval", conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond), "1s",
		"How often the driver offers free cores again without an event.")
	SchedulerMinRegisteredResourcesRatio = conf.Optional(Settings, "spark.scheduler.minRegisteredResourcesRatio", conf.Between(conf.Floats, 0, 1),
		"The share of the expected cores that must be there before tasks start; when unset the cluster's kind decides.")
	SchedulerMaxRegisteredResourcesWaitingTime = conf.Declare(Settings, "spark.scheduler.maxRegisteredResourcesWaitingTime",
		conf.AtLeast(conf.Durations(time.Millisecond), 0), "30s",
		"After how long tasks start whatever the share of registered cores.")
	shuffleMapOutputMinSizeForBroadcast = conf.Declare(Settings, "spark.shuffle.mapOutput.minSizeForBroadcast",
		conf.Between(conf.Sizes(conf.Byte), 0, 2047*conf.MiB), "512k",
		"Lists of map outputs from this size on go by broadcast.")
)
