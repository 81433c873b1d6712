package conf

import "time"

// Settings of the DAG and task schedulers.
var (
	DefaultParallelism = optional("spark.default.parallelism", atLeast(ints, 1),
		"The number of partitions when an operation names none; when unset the cores of the executors, at least 2.").awaits("a default number of partitions")
	SchedulerMode = entry("spark.scheduler.mode", enum("FIFO", "FAIR"), "FIFO",
		"In which order jobs get cores.").awaits("pools of jobs")
	SchedulerAllocationFile = optional("spark.scheduler.allocation.file", filled(paths),
		"The file that describes the pools of mode FAIR.").awaits("pools of jobs")
	SchedulerReviveInterval = entry("spark.scheduler.revive.interval", atLeast(durations(time.Millisecond), time.Millisecond), "1s",
		"How often the driver offers free cores again without an event.")
	SchedulerMinRegisteredResourcesRatio = optional("spark.scheduler.minRegisteredResourcesRatio", between(floats, 0, 1),
		"The share of the expected cores that must be there before tasks start; when unset the cluster's kind decides.")
	SchedulerMaxRegisteredResourcesWaitingTime = entry("spark.scheduler.maxRegisteredResourcesWaitingTime",
		atLeast(durations(time.Millisecond), 0), "30s",
		"After how long tasks start whatever the share of registered cores.")
	ListenerBusQueueCapacity = entry("spark.scheduler.listenerbus.eventqueue.capacity", atLeast(ints, 1), "10000",
		"How many events may wait for a listener before further ones are dropped.").awaits("the listener bus")
	StarvationTimeout = entry("spark.starvation.timeout", atLeast(durations(time.Millisecond), time.Millisecond), "15s",
		"After how long without a started task the driver warns that it has no resources.")
	StageMaxConsecutiveAttempts = entry("spark.stage.maxConsecutiveAttempts", atLeast(ints, 1), "4",
		"After how many attempts in a row that failed to fetch a stage fails its job.")
	StageMaxAttempts = entry("spark.stage.maxAttempts", atLeast(ints, 1), infinite,
		"After how many attempts in all a stage fails its job.")
	StageIgnoreDecommissionFetchFailure = entry("spark.stage.ignoreDecommissionFetchFailure", bools, "true",
		"Whether failures to fetch from decommissioned executors do not count.").awaits("decommissioning of map outputs")
	BarrierMaxConcurrentTasksCheckInterval = entry("spark.scheduler.barrier.maxConcurrentTasksCheck.interval",
		atLeast(durations(time.Second), time.Second), "15s",
		"How long the driver waits before it checks again that a barrier stage fits.").awaits("barrier stages")
	BarrierMaxConcurrentTasksCheckMaxFailures = entry("spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures",
		atLeast(ints, 1), "40",
		"After how many failed checks that a barrier stage fits its job fails.").awaits("barrier stages")
	BarrierSyncTimeout = entry("spark.barrier.sync.timeout", atLeast(durations(time.Second), time.Second), "365d",
		"How long a barrier waits for all its tasks.").awaits("barrier stages")
	NumCancelledJobGroupsToTrack = entry("spark.scheduler.numCancelledJobGroupsToTrack", atLeast(ints, 1), "1000",
		"How many cancelled groups of jobs are remembered, so that jobs submitted later fail too.").awaits("groups of jobs")
	ShuffleMapOutputMinSizeForBroadcast = entry("spark.shuffle.mapOutput.minSizeForBroadcast",
		between(sizes(byteUnit), 0, 2047*mib), "512k",
		"Lists of map outputs from this size on go by broadcast.").awaits("map outputs by broadcast")
)

// Settings of where and how often tasks run.
var (
	LocalityWait = entry("spark.locality.wait", atLeast(durations(time.Millisecond), 0), "3s",
		"How long a task waits for cores near its data before it takes others.").awaits("locality")
	LocalityWaitProcess = fallback("spark.locality.wait.process", atLeast(durations(time.Millisecond), 0), LocalityWait,
		"How long a task waits for the executor that has its data.").awaits("locality")
	LocalityWaitNode = fallback("spark.locality.wait.node", atLeast(durations(time.Millisecond), 0), LocalityWait,
		"How long a task waits for the machine that has its data.").awaits("locality")
	LocalityWaitRack = fallback("spark.locality.wait.rack", atLeast(durations(time.Millisecond), 0), LocalityWait,
		"How long a task waits for the rack that has its data.").awaits("locality")
	Speculation = entry("spark.speculation", bools, "false",
		"Whether slow tasks are started a second time elsewhere.").awaits("speculation")
	SpeculationInterval = entry("spark.speculation.interval", atLeast(durations(time.Millisecond), time.Millisecond), "100ms",
		"How often the driver looks for slow tasks.").awaits("speculation")
	SpeculationMinTaskRuntime = entry("spark.speculation.minTaskRuntime", atLeast(durations(time.Millisecond), 0), "100ms",
		"How long a task runs at least before it counts as slow.").awaits("speculation")
	SpeculationMultiplier = entry("spark.speculation.multiplier", atLeast(floats, 0), "3",
		"How many times longer than the median a slow task runs.").awaits("speculation")
	SpeculationQuantile = entry("spark.speculation.quantile", between(floats, 0, 1), "0.9",
		"The share of a stage's tasks that must be done before others count as slow.").awaits("speculation")
	SpeculationEfficiency = entry("spark.speculation.efficiency.enabled", bools, "true",
		"Whether only tasks that process their data slowly count as slow.").awaits("speculation")
	SpeculationEfficiencyProcessRateMultiplier = entry("spark.speculation.efficiency.processRateMultiplier",
		above(between(floats, 0, 1), 0), "0.75",
		"The share of the mean rate of its stage below which a task processes slowly.").awaits("speculation")
	SpeculationEfficiencyLongRunTaskFactor = entry("spark.speculation.efficiency.longRunTaskFactor", atLeast(floats, 1), "2",
		"How many times the time of a slow task a task must run to count as slow whatever its rate.").awaits("speculation")
	SpeculationTaskDurationThreshold = optional("spark.speculation.task.duration.threshold", atLeast(durations(time.Millisecond), 0),
		"How long a task of a stage with few tasks may run before it counts as slow.").awaits("speculation")
)

// Settings of the exclusion of executors and nodes on which tasks fail.
var (
	ExcludeOnFailure = optional("spark.excludeOnFailure.enabled", bools,
		"Whether executors and nodes on which tasks fail get no further ones for a time.").awaits("exclusion on failure")
	ExcludeOnFailureTimeout = optional("spark.excludeOnFailure.timeout", atLeast(durations(time.Millisecond), time.Millisecond),
		"How long an executor or a node is excluded from an application; one hour when unset.")
	ExcludeMaxTaskAttemptsPerExecutor = entry("spark.excludeOnFailure.task.maxTaskAttemptsPerExecutor", atLeast(ints, 1), "1",
		"How often one task is tried on one executor.").awaits("exclusion on failure")
	ExcludeMaxTaskAttemptsPerNode = entry("spark.excludeOnFailure.task.maxTaskAttemptsPerNode", atLeast(ints, 1), "2",
		"How often one task is tried on one node.").awaits("exclusion on failure")
	ExcludeStageMaxFailedTasksPerExecutor = entry("spark.excludeOnFailure.stage.maxFailedTasksPerExecutor", atLeast(ints, 1), "2",
		"After how many failed tasks of a stage an executor is excluded from it.").awaits("exclusion on failure")
	ExcludeStageMaxFailedExecutorsPerNode = entry("spark.excludeOnFailure.stage.maxFailedExecutorsPerNode", atLeast(ints, 1), "2",
		"After how many excluded executors a node is excluded from a stage.").awaits("exclusion on failure")
	ExcludeAppMaxFailedTasksPerExecutor = entry("spark.excludeOnFailure.application.maxFailedTasksPerExecutor", atLeast(ints, 1), "2",
		"After how many failed tasks an executor is excluded from the application.").awaits("exclusion on failure")
	ExcludeAppMaxFailedExecutorsPerNode = entry("spark.excludeOnFailure.application.maxFailedExecutorsPerNode", atLeast(ints, 1), "2",
		"After how many excluded executors a node is excluded from the application.")
	ExcludeKillExecutors = entry("spark.excludeOnFailure.killExcludedExecutors", bools, "false",
		"Whether excluded executors are killed.").awaits("exclusion on failure")
	ExcludeDecommissionExecutors = entry("spark.excludeOnFailure.killExcludedExecutors.decommission", bools, "false",
		"Whether excluded executors are decommissioned rather than killed.").awaits("exclusion on failure")
	ExcludeFetchFailure = entry("spark.excludeOnFailure.application.fetchFailure.enabled", bools, "false",
		"Whether an executor is excluded at once when its shuffle files cannot be fetched.").awaits("exclusion on failure")
	ExcludeUnschedulableTaskSetTimeout = entry("spark.scheduler.excludeOnFailure.unschedulableTaskSetTimeout",
		atLeast(durations(time.Second), 0), "120s",
		"How long tasks that exclusion leaves nowhere to run wait for a new executor.").awaits("exclusion on failure")
)

// Settings of dynamic allocation, which asks for executors and gives them back by need.
var (
	DynamicAllocation = entry("spark.dynamicAllocation.enabled", bools, "false",
		"Whether the number of executors follows the work.")
	DynamicAllocationMinExecutors = entry("spark.dynamicAllocation.minExecutors", atLeast(ints, 0), "0",
		"The least number of executors.")
	DynamicAllocationMaxExecutors = entry("spark.dynamicAllocation.maxExecutors", atLeast(ints, 0), infinite,
		"The greatest number of executors.")
	DynamicAllocationInitialExecutors = fallback("spark.dynamicAllocation.initialExecutors", atLeast(ints, 0),
		DynamicAllocationMinExecutors, "The number of executors at the start.")
	DynamicAllocationRatio = entry("spark.dynamicAllocation.executorAllocationRatio", above(between(floats, 0, 1), 0), "1",
		"The share of full parallelism that is asked for.")
	DynamicAllocationBacklogTimeout = entry("spark.dynamicAllocation.schedulerBacklogTimeout",
		atLeast(durations(time.Second), time.Second), "1s",
		"After how long with waiting tasks executors are asked for.")
	DynamicAllocationSustainedBacklogTimeout = fallback("spark.dynamicAllocation.sustainedSchedulerBacklogTimeout",
		atLeast(durations(time.Second), time.Second), DynamicAllocationBacklogTimeout,
		"After how long with tasks that still wait more executors are asked for.")
	DynamicAllocationIdleTimeout = entry("spark.dynamicAllocation.executorIdleTimeout", atLeast(durations(time.Second), 0), "60s",
		"After how long without a task an executor is given back.")
	DynamicAllocationCachedIdleTimeout = entry("spark.dynamicAllocation.cachedExecutorIdleTimeout",
		atLeast(durations(time.Second), 0), infinite,
		"After how long without a task an executor with cached blocks is given back.").awaits("the block manager")
	DynamicAllocationShuffleTracking = entry("spark.dynamicAllocation.shuffleTracking.enabled", bools, "true",
		"Whether executors stay while a job may need their shuffle files.")
	DynamicAllocationShuffleTimeout = optional("spark.dynamicAllocation.shuffleTracking.timeout",
		atLeast(durations(time.Millisecond), 0),
		"After how long an executor that is kept for its shuffle files is given back; never when unset.").awaits("tracking of shuffle files by time")
)
