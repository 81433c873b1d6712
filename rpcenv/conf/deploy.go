package conf

import "time"

// Settings of the standalone Master.
var (
	MasterURL = optional("spark.master", filled(texts),
		"The cluster to run on, such as spark://HOST:PORT[,HOST:PORT...].")
	DeployMode = entry("spark.submit.deployMode", enum("client", "cluster"), "client",
		"Where the driver runs: in the submitting process or on a worker.")
	AppIDPattern = entry("spark.deploy.appIdPattern", filled(texts), "app-%s-%04d",
		"The pattern of application ids: the time of submission, then a number.")
	AppNumberModulo = optional("spark.deploy.appNumberModulo", between(ints, 1000, maxInt),
		"Where the numbers of applications begin again.")
	DriverIDPattern = entry("spark.deploy.driverIdPattern", filled(texts), "driver-%s-%04d",
		"The pattern of driver ids: the time of submission, then a number.")
	DefaultCores = entry("spark.deploy.defaultCores", atLeast(ints, 1), infinite,
		"How many cores an application gets that does not set spark.cores.max.")
	CoresMax = optional("spark.cores.max", atLeast(ints, 1),
		"How many cores an application takes of the whole cluster at most.")
	SpreadOutApps = entry("spark.deploy.spreadOutApps", bools, "true",
		"Whether the executors of an application go to many workers rather than to few.")
	SpreadOutDrivers = entry("spark.deploy.spreadOutDrivers", bools, "true",
		"Whether drivers go to the workers in turn rather than to the first that fits.")
	WorkerSelectionPolicy = entry("spark.deploy.workerSelectionPolicy",
		enum("CORES_FREE_ASC", "CORES_FREE_DESC", "MEMORY_FREE_ASC", "MEMORY_FREE_DESC", "WORKER_ID"), "CORES_FREE_DESC",
		"In which order the Master considers the workers for executors.")
	MaxDrivers = entry("spark.deploy.maxDrivers", atLeast(ints, 1), infinite,
		"How many drivers may run at once.")
	MaxExecutorRetries = entry("spark.deploy.maxExecutorRetries", atLeast(ints, -1), "10",
		"After how many failures of executors in a row an application without a running one is removed; -1 for never.")
	RecoveryMode = entry("spark.deploy.recoveryMode", enum("NONE", "FILESYSTEM", "RAFT", "ROCKSDB", "ZOOKEEPER", "CUSTOM"), "NONE",
		"Where the Master keeps what it needs after a restart; RAFT: on several Masters, of which one leads.")
	RecoveryDirectory = entry("spark.deploy.recoveryDirectory", paths, "",
		"The directory of recovery modes FILESYSTEM and RAFT.")
	RecoveryTimeout = fallback("spark.deploy.recoveryTimeout", atLeast(durations(time.Second), time.Second), WorkerTimeout,
		"How long a recovering Master waits for workers and applications to answer.")
	RetainedApplications = entry("spark.deploy.retainedApplications", atLeast(ints, 0), "200",
		"How many finished applications the Master remembers.")
	RetainedDrivers = entry("spark.deploy.retainedDrivers", atLeast(ints, 0), "200",
		"How many finished drivers the Master remembers.")
	DeadWorkerPersistence = entry("spark.dead.worker.persistence", atLeast(ints, 0), "15",
		"For how many further worker timeouts a dead worker stays listed.")
	ExecutorRemoveDelayOnDisconnection = entry("spark.standalone.executorRemoveDelayOnDisconnection",
		atLeast(durations(time.Millisecond), 0), "5s",
		"How long the driver waits after an executor disconnected for the Master to say why.")
	SubmitWaitAppCompletion = entry("spark.standalone.submit.waitAppCompletion", bools, "false",
		"Whether a submission in cluster mode waits for the driver's end.")
	UseAppNameAsAppID = entry("spark.master.useAppNameAsAppId.enabled", bools, "false",
		"Whether an application's id is made of its name.")
	MasterRESTEnabled = entry("spark.master.rest.enabled", bools, "false",
		"Whether the Master takes submissions by REST; off here, on in Spark 4.1.")
	MasterRESTHost = optional("spark.master.rest.host", filled(texts),
		"The host of the REST server.")
	MasterRESTPort = entry("spark.master.rest.port", ports, "6066",
		"The port of the REST server.")
	MasterUIPort = entry("spark.master.ui.port", ports, "8080",
		"The port of the Master's pages.")
	MasterUITitle = optional("spark.master.ui.title", texts,
		"The title of the Master's pages.")
	MasterDecommissionAllowMode = entry("spark.master.ui.decommission.allow.mode", enum("LOCAL", "ALLOW", "DENY"), "LOCAL",
		"Whose requests to decommission workers the Master's pages take: those of this machine, all or none.")
	MasterVisibleEnvVarPrefixes = entry("spark.master.ui.visibleEnvVarPrefixes", lists, "",
		"The beginnings of names of environment variables that the Master's pages show.").awaits("the page of the Master's environment")
	UIKillEnabled = entry("spark.ui.killEnabled", bools, "true",
		"Whether pages may kill applications, drivers and jobs.")
)

// Settings of the standalone Worker.
var (
	WorkerTimeout = entry("spark.worker.timeout", atLeast(seconds, time.Second), "60",
		"After how long without a heartbeat the Master takes a worker for dead; a worker sends four in that time.")
	WorkerInitialRegistrationRetries = entry("spark.worker.initialRegistrationRetries", atLeast(ints, 0), "6",
		"How many registration tries of a worker come at the short interval.")
	WorkerMaxRegistrationRetries = entry("spark.worker.maxRegistrationRetries", atLeast(ints, 0), "16",
		"After how many registration tries a worker gives up.")
	WorkerExecutorStateSyncMaxAttempts = entry("spark.worker.executorStateSync.maxAttempts", atLeast(ints, 0), "5",
		"How often a worker tries to report an executor's state to the Master before it exits.")
	WorkerIDPattern = entry("spark.worker.idPattern", filled(texts), "worker-%s-%s-%d",
		"The pattern of worker ids: time of start, host, port.")
	WorkerPreferConfiguredMasterAddress = entry("spark.worker.preferConfiguredMasterAddress", bools, "false",
		"Whether a worker goes on with the Master's address as it was given rather than as the Master says it.")
	WorkerDriverTerminateTimeout = entry("spark.worker.driverTerminateTimeout", atLeast(durations(time.Millisecond), 0), "10s",
		"How long a driver that is to end may take before it is killed.")
	WorkerDecommissionSignal = entry("spark.worker.decommission.signal", filled(texts), "PWR",
		"The signal, without SIG, that decommissions a worker.")
	WorkerCleanupEnabled = entry("spark.worker.cleanup.enabled", bools, "true",
		"Whether a worker removes the directories of ended applications.")
	WorkerCleanupInterval = entry("spark.worker.cleanup.interval", atLeast(seconds, time.Second), "1800",
		"How often a worker looks for directories to remove.")
	WorkerCleanupAppDataTTL = entry("spark.worker.cleanup.appDataTtl", atLeast(seconds, 0), "604800",
		"How old the directory of an ended application may become.")
	WorkerUIPort = optional("spark.worker.ui.port", ports,
		"The port of the worker's pages; 8081 when unset.")
	WorkerRetainedExecutors = entry("spark.worker.ui.retainedExecutors", atLeast(ints, 0), "1000",
		"How many finished executors a worker remembers.")
	WorkerRetainedDrivers = entry("spark.worker.ui.retainedDrivers", atLeast(ints, 0), "1000",
		"How many finished drivers a worker remembers.")
)

// maxInt is Java's Integer.MAX_VALUE, which stands for no limit; infinite is its text.
const (
	maxInt   = 1<<31 - 1
	infinite = "2147483647"
)
