package conf

import "time"

// Settings of the application and its driver.
var (
	AppName = optional("spark.app.name", texts,
		"The application's name, for people.")
	AppID = optional("spark.app.id", filled(texts),
		"The application's id; set by the cluster.")
	DriverCores = entry("spark.driver.cores", atLeast(ints, 1), "1",
		"The cores of a driver in cluster mode.")
	DriverMemory = entry("spark.driver.memory", atLeast(sizes(mib), 1), "1g",
		"The memory of the driver.")
	DriverMaxResultSize = entry("spark.driver.maxResultSize", atLeast(sizes(byteUnit), 0), "1g",
		"How many bytes the results of one action may have together; 0 for no limit.")
	DriverSupervise = entry("spark.driver.supervise", bools, "false",
		"Whether a driver in cluster mode is started again when it fails.")
	DriverTimeout = entry("spark.driver.timeout", atLeast(durations(time.Minute), 0), "0",
		"After how long a driver ends itself; 0 for never.").awaits("a limit of a driver's life")
)

// Settings of executors.
var (
	ExecutorID = optional("spark.executor.id", filled(texts),
		"Which executor this process is, or driver; set by the launcher.")
	ExecutorCores = optional("spark.executor.cores", atLeast(ints, 1),
		"The cores of an executor; when unset a worker gives one executor all its cores.")
	ExecutorMemory = entry("spark.executor.memory", atLeast(sizes(mib), 1), "1g",
		"The memory of an executor.")
	ExecutorMemoryOverhead = optional("spark.executor.memoryOverhead", atLeast(sizes(mib), 0),
		"Memory of an executor's container beside spark.executor.memory; when unset a share of that.")
	ExecutorMemoryOverheadFactor = entry("spark.executor.memoryOverheadFactor", above(floats, 0), "0.1",
		"The share of spark.executor.memory that a container has beside it.")
	ExecutorMinMemoryOverhead = entry("spark.executor.minMemoryOverhead", atLeast(sizes(mib), 0), "384m",
		"The least memory that a container has beside spark.executor.memory.")
	MemoryOffHeapEnabled = entry("spark.memory.offHeap.enabled", bools, "false",
		"Whether an executor's container on YARN has spark.memory.offHeap.size beside the rest; a Go executor keeps all in its heap.")
	MemoryOffHeapSize = entry("spark.memory.offHeap.size", atLeast(sizes(byteUnit), 0), "0",
		"What spark.memory.offHeap.enabled adds to an executor's container on YARN.")
	ExecutorPySparkMemory = optional("spark.executor.pyspark.memory", atLeast(sizes(mib), 0),
		"What an executor's container on YARN has beside the rest for Python workers, which a Go executor does not start.")
	ExecutorInstances = optional("spark.executor.instances", atLeast(ints, 0),
		"How many executors an application starts with.")
	ExecutorHeartbeatInterval = entry("spark.executor.heartbeatInterval", atLeast(durations(time.Millisecond), time.Millisecond), "10s",
		"How often an executor sends the driver a heartbeat. It must be less than spark.network.timeout.")
	ExecutorHeartbeatMaxFailures = entry("spark.executor.heartbeat.maxFailures", atLeast(ints, 1), "60",
		"After how many failed heartbeats in a row an executor ends itself.")
	ExecutorMaxNumFailures = optional("spark.executor.maxNumFailures", atLeast(ints, 0),
		"After how many failed executors the application fails.")
	ExecutorFailuresValidityInterval = fallback("spark.executor.failuresValidityInterval", durations(time.Millisecond),
		YARNExecutorFailuresValidityInterval, "After how long a failure of an executor no longer counts; when unset it counts for ever.")
	ExecutorDecommissionSignal = entry("spark.executor.decommission.signal", filled(texts), "PWR",
		"The signal, without SIG, that decommissions an executor.")
	ExecutorDecommissionKillInterval = optional("spark.executor.decommission.killInterval", atLeast(durations(time.Second), 0),
		"After how long a decommissioned executor is killed from outside.").awaits("decommissioning with a deadline")
	ExecutorDecommissionForceKillTimeout = optional("spark.executor.decommission.forceKillTimeout", atLeast(durations(time.Second), 0),
		"After how long the driver forces a decommissioned executor to end.").awaits("decommissioning with a deadline")
	ExecutorMetricsPollingInterval = entry("spark.executor.metrics.pollingInterval", atLeast(durations(time.Millisecond), 0), "0",
		"How often an executor reads its metrics; 0 for with each heartbeat.").awaits("executors' metrics")
	DecommissionEnabled = entry("spark.decommission.enabled", bools, "false",
		"Whether executors that are to be lost finish their work and hand over their blocks first.")
)

// Settings of tasks in an executor, and of their results.
var (
	TaskCPUs = entry("spark.task.cpus", atLeast(ints, 1), "1",
		"The cores of one task.")
	TaskMaxFailures = entry("spark.task.maxFailures", atLeast(ints, 1), "4",
		"After how many failures of one task its stage fails.")
	TaskMaxDirectResultSize = entry("spark.task.maxDirectResultSize", between(sizes(byteUnit), 1, 2047*mib), "1m",
		"Results up to this size travel in the status message, larger ones as blocks.").awaits("indirect results")
	TaskReaperEnabled = entry("spark.task.reaper.enabled", bools, "false",
		"Whether killed tasks are watched until they end.").awaits("the task reaper")
	TaskReaperPollingInterval = entry("spark.task.reaper.pollingInterval", atLeast(durations(time.Millisecond), time.Millisecond), "10s",
		"How often a killed task is looked at.").awaits("the task reaper")
	TaskReaperKillTimeout = entry("spark.task.reaper.killTimeout", durations(time.Millisecond), "-1",
		"After how long a killed task that goes on ends its executor; negative for never.").awaits("the task reaper")
	ResultGetterThreads = entry("spark.resultGetter.threads", atLeast(ints, 1), "4",
		"How many results the driver decodes at once.").awaits("results by several threads")
	TaskReaperThreadDump = entry("spark.task.reaper.threadDump", bools, "true",
		"Whether the stacks of a killed task that goes on are logged.").awaits("the task reaper")
	CleanupFilesAfterExecutorExit = entry("spark.storage.cleanupFilesAfterExecutorExit", bools, "true",
		"Whether a worker removes what an executor left behind, but for its shuffle files.").awaits("the clean-up after executors")
)
