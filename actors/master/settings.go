package master

import (
	"time"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/rpcenv/conf"
)

// Settings are those that a Master reads.
var Settings = conf.NewSet()

// The entries of Settings; the last argument of each says what it means.
var (
	masterMaxDriverShare = conf.Declare(Settings, "coherer.master.maxDriverShare", conf.Between(conf.Floats, 0, 1), "1",
		"Which part of the cores and of the memory drivers in cluster mode may have together, so that executors get some too; 1 is all.")
	deployScheduler = conf.Declare(Settings, "coherer.deploy.scheduler", conf.Enum("executors", "core-by-core"), "executors",
		"How the Master gives cores: by whole executors or, for study, core by core as Spark before 1.4 did.")
	appIDPattern = conf.Declare(Settings, "spark.deploy.appIdPattern", conf.Filled(conf.Texts), "app-%s-%04d",
		"The pattern of application ids: the time of submission, then a number.")
	appNumberModulo = conf.Optional(Settings, "spark.deploy.appNumberModulo", conf.Between(conf.Ints, 1000, conf.MaxInt),
		"Where the numbers of applications begin again.")
	driverIDPattern = conf.Declare(Settings, "spark.deploy.driverIdPattern", conf.Filled(conf.Texts), "driver-%s-%04d",
		"The pattern of driver ids: the time of submission, then a number.")
	defaultCores = conf.Declare(Settings, "spark.deploy.defaultCores", conf.AtLeast(conf.Ints, 1), conf.Infinite,
		"How many cores an application gets that does not set spark.cores.max.")
	spreadOutApps = conf.Declare(Settings, "spark.deploy.spreadOutApps", conf.Bools, "true",
		"Whether the executors of an application go to many workers rather than to few.")
	spreadOutDrivers = conf.Declare(Settings, "spark.deploy.spreadOutDrivers", conf.Bools, "true",
		"Whether drivers go to the workers in turn rather than to the first that fits.")
	workerSelectionPolicy = conf.Declare(Settings, "spark.deploy.workerSelectionPolicy",
		conf.Enum("CORES_FREE_ASC", "CORES_FREE_DESC", "MEMORY_FREE_ASC", "MEMORY_FREE_DESC", "WORKER_ID"), "CORES_FREE_DESC",
		"In which order the Master considers the workers for executors.")
	maxDrivers = conf.Declare(Settings, "spark.deploy.maxDrivers", conf.AtLeast(conf.Ints, 1), conf.Infinite,
		"How many drivers may run at once.")
	maxExecutorRetries = conf.Declare(Settings, "spark.deploy.maxExecutorRetries", conf.AtLeast(conf.Ints, -1), "10",
		"After how many failures of executors in a row an application without a running one is removed; -1 for never.")
	RecoveryMode = conf.Declare(Settings, "spark.deploy.recoveryMode", conf.Enum("NONE", "FILESYSTEM", "RAFT", "ROCKSDB", "ZOOKEEPER", "CUSTOM"), "NONE",
		"Where the Master keeps what it needs after a restart; RAFT: on several Masters, of which one leads.")
	RecoveryTimeout = conf.Fallback(Settings, "spark.deploy.recoveryTimeout", conf.AtLeast(conf.Durations(time.Second), time.Second), membership.WorkerTimeout,
		"How long a recovering Master waits for workers and applications to answer.")
	retainedApplications = conf.Declare(Settings, "spark.deploy.retainedApplications", conf.AtLeast(conf.Ints, 0), "200",
		"How many finished applications the Master remembers.")
	retainedDrivers = conf.Declare(Settings, "spark.deploy.retainedDrivers", conf.AtLeast(conf.Ints, 0), "200",
		"How many finished drivers the Master remembers.")
	deadWorkerPersistence = conf.Declare(Settings, "spark.dead.worker.persistence", conf.AtLeast(conf.Ints, 0), "15",
		"For how many further worker timeouts a dead worker stays listed.")
	useAppNameAsAppID = conf.Declare(Settings, "spark.master.useAppNameAsAppId.enabled", conf.Bools, "false",
		"Whether an application's id is made of its name.")
	_ = conf.Declare(Settings, "spark.master.ui.visibleEnvVarPrefixes", conf.Lists, "",
		"The beginnings of names of environment variables that the Master's pages show.").Awaits("the page of the Master's environment")
)
