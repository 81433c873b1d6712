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
	driverMaxResultSize = conf.Declare(Settings, "spark.driver.maxResultSize", conf.AtLeast(conf.Sizes(conf.Byte), 0), "1g",
		"How many bytes the results of one action may have together; 0 for no limit.")
	_ = conf.Declare(Settings, "spark.driver.timeout", conf.AtLeast(conf.Durations(time.Minute), 0), "0",
		"After how long a driver ends itself; 0 for never.").Awaits("a limit of a driver's life")
	taskMaxFailures = conf.Declare(Settings, "spark.task.maxFailures", conf.AtLeast(conf.Ints, 1), "4",
		"After how many failures of one task its stage fails.")
	_ = conf.Declare(Settings, "spark.resultGetter.threads", conf.AtLeast(conf.Ints, 1), "4",
		"How many results the driver decodes at once.").Awaits("results by several threads")
)

// Settings of the DAG and task schedulers.
var (
	_ = conf.Optional(Settings, "spark.default.parallelism", conf.AtLeast(conf.Ints, 1),
		"The number of partitions when an operation names none; when unset the cores of the executors, at least 2.").Awaits("a default number of partitions")
	_ = conf.Declare(Settings, "spark.scheduler.mode", conf.Enum("FIFO", "FAIR"), "FIFO",
		"In which order jobs get cores.").Awaits("pools of jobs")
	schedulerReviveInterval = conf.Declare(Settings, "spark.scheduler.revive.interval", conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond), "1s",
		"How often the driver offers free cores again without an event.")
	SchedulerMinRegisteredResourcesRatio = conf.Optional(Settings, "spark.scheduler.minRegisteredResourcesRatio", conf.Between(conf.Floats, 0, 1),
		"The share of the expected cores that must be there before tasks start; when unset the cluster's kind decides.")
	SchedulerMaxRegisteredResourcesWaitingTime = conf.Declare(Settings, "spark.scheduler.maxRegisteredResourcesWaitingTime",
		conf.AtLeast(conf.Durations(time.Millisecond), 0), "30s",
		"After how long tasks start whatever the share of registered cores.")
	_ = conf.Declare(Settings, "spark.scheduler.listenerbus.eventqueue.capacity", conf.AtLeast(conf.Ints, 1), "10000",
		"How many events may wait for a listener before further ones are dropped.").Awaits("the listener bus")
	_ = conf.Declare(Settings, "spark.stage.ignoreDecommissionFetchFailure", conf.Bools, "true",
		"Whether failures to fetch from decommissioned executors do not count.").Awaits("decommissioning of map outputs")
	_ = conf.Declare(Settings, "spark.scheduler.barrier.maxConcurrentTasksCheck.interval",
		conf.AtLeast(conf.Durations(time.Second), time.Second), "15s",
		"How long the driver waits before it checks again that a barrier stage fits.").Awaits("barrier stages")
	_ = conf.Declare(Settings, "spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures",
		conf.AtLeast(conf.Ints, 1), "40",
		"After how many failed checks that a barrier stage fits its job fails.").Awaits("barrier stages")
	_ = conf.Declare(Settings, "spark.barrier.sync.timeout", conf.AtLeast(conf.Durations(time.Second), time.Second), "365d",
		"How long a barrier waits for all its tasks.").Awaits("barrier stages")
	_ = conf.Declare(Settings, "spark.shuffle.mapOutput.minSizeForBroadcast",
		conf.Between(conf.Sizes(conf.Byte), 0, 2047*conf.MiB), "512k",
		"Lists of map outputs from this size on go by broadcast.").Awaits("map outputs by broadcast")
)

// Settings of where and how often tasks run.
var (
	localityWait = conf.Declare(Settings, "spark.locality.wait", conf.AtLeast(conf.Durations(time.Millisecond), 0), "3s",
		"How long a task waits for cores near its data before it takes others.").Awaits("locality")
	_ = conf.Fallback(Settings, "spark.locality.wait.process", conf.AtLeast(conf.Durations(time.Millisecond), 0), localityWait,
		"How long a task waits for the executor that has its data.").Awaits("locality")
	_ = conf.Fallback(Settings, "spark.locality.wait.node", conf.AtLeast(conf.Durations(time.Millisecond), 0), localityWait,
		"How long a task waits for the machine that has its data.").Awaits("locality")
	_ = conf.Fallback(Settings, "spark.locality.wait.rack", conf.AtLeast(conf.Durations(time.Millisecond), 0), localityWait,
		"How long a task waits for the rack that has its data.").Awaits("locality")
	_ = conf.Declare(Settings, "spark.speculation", conf.Bools, "false",
		"Whether slow tasks are started a second time elsewhere.").Awaits("speculation")
	_ = conf.Declare(Settings, "spark.speculation.interval", conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond), "100ms",
		"How often the driver looks for slow tasks.").Awaits("speculation")
	_ = conf.Declare(Settings, "spark.speculation.minTaskRuntime", conf.AtLeast(conf.Durations(time.Millisecond), 0), "100ms",
		"How long a task runs at least before it counts as slow.").Awaits("speculation")
	_ = conf.Declare(Settings, "spark.speculation.multiplier", conf.AtLeast(conf.Floats, 0), "3",
		"How many times longer than the median a slow task runs.").Awaits("speculation")
	_ = conf.Declare(Settings, "spark.speculation.quantile", conf.Between(conf.Floats, 0, 1), "0.9",
		"The share of a stage's tasks that must be done before others count as slow.").Awaits("speculation")
	_ = conf.Declare(Settings, "spark.speculation.efficiency.enabled", conf.Bools, "true",
		"Whether only tasks that process their data slowly count as slow.").Awaits("speculation")
	_ = conf.Declare(Settings, "spark.speculation.efficiency.processRateMultiplier",
		conf.Above(conf.Between(conf.Floats, 0, 1), 0), "0.75",
		"The share of the mean rate of its stage below which a task processes slowly.").Awaits("speculation")
	_ = conf.Declare(Settings, "spark.speculation.efficiency.longRunTaskFactor", conf.AtLeast(conf.Floats, 1), "2",
		"How many times the time of a slow task a task must run to count as slow whatever its rate.").Awaits("speculation")
	_ = conf.Optional(Settings, "spark.speculation.task.duration.threshold", conf.AtLeast(conf.Durations(time.Millisecond), 0),
		"How long a task of a stage with few tasks may run before it counts as slow.").Awaits("speculation")
)

// Settings of the exclusion of executors and nodes on which tasks fail.
var (
	_ = conf.Optional(Settings, "spark.excludeOnFailure.enabled", conf.Bools,
		"Whether executors and nodes on which tasks fail get no further ones for a time.").Awaits("exclusion on failure")
	_ = conf.Declare(Settings, "spark.excludeOnFailure.task.maxTaskAttemptsPerExecutor", conf.AtLeast(conf.Ints, 1), "1",
		"How often one task is tried on one executor.").Awaits("exclusion on failure")
	_ = conf.Declare(Settings, "spark.excludeOnFailure.task.maxTaskAttemptsPerNode", conf.AtLeast(conf.Ints, 1), "2",
		"How often one task is tried on one node.").Awaits("exclusion on failure")
	_ = conf.Declare(Settings, "spark.excludeOnFailure.stage.maxFailedTasksPerExecutor", conf.AtLeast(conf.Ints, 1), "2",
		"After how many failed tasks of a stage an executor is excluded from it.").Awaits("exclusion on failure")
	_ = conf.Declare(Settings, "spark.excludeOnFailure.stage.maxFailedExecutorsPerNode", conf.AtLeast(conf.Ints, 1), "2",
		"After how many excluded executors a node is excluded from a stage.").Awaits("exclusion on failure")
	_ = conf.Declare(Settings, "spark.excludeOnFailure.application.maxFailedTasksPerExecutor", conf.AtLeast(conf.Ints, 1), "2",
		"After how many failed tasks an executor is excluded from the application.").Awaits("exclusion on failure")
	_ = conf.Declare(Settings, "spark.excludeOnFailure.killExcludedExecutors", conf.Bools, "false",
		"Whether excluded executors are killed.").Awaits("exclusion on failure")
	_ = conf.Declare(Settings, "spark.excludeOnFailure.killExcludedExecutors.decommission", conf.Bools, "false",
		"Whether excluded executors are decommissioned rather than killed.").Awaits("exclusion on failure")
	_ = conf.Declare(Settings, "spark.excludeOnFailure.application.fetchFailure.enabled", conf.Bools, "false",
		"Whether an executor is excluded at once when its shuffle files cannot be fetched.").Awaits("exclusion on failure")
	_ = conf.Declare(Settings, "spark.scheduler.excludeOnFailure.unschedulableTaskSetTimeout",
		conf.AtLeast(conf.Durations(time.Second), 0), "120s",
		"How long tasks that exclusion leaves nowhere to run wait for a new executor.").Awaits("exclusion on failure")
)
