package worker

import (
	"time"

	"github.com/coherer/coherer/rpcenv/conf"
)

// Settings are those that a Worker reads.
var Settings = conf.NewSet()

// The entries of Settings; the last argument of each says what it means.
var (
	workerInitialRegistrationRetries = conf.Declare(Settings, "spark.worker.initialRegistrationRetries", conf.AtLeast(conf.Ints, 0), "6",
		"How many registration tries of a worker come at the short interval.")
	workerMaxRegistrationRetries = conf.Declare(Settings, "spark.worker.maxRegistrationRetries", conf.AtLeast(conf.Ints, 0), "16",
		"After how many registration tries a worker gives up.")
	workerExecutorStateSyncMaxAttempts = conf.Declare(Settings, "spark.worker.executorStateSync.maxAttempts", conf.AtLeast(conf.Ints, 0), "5",
		"How often a worker tries to report an executor's state to the Master before it exits.")
	workerIDPattern = conf.Declare(Settings, "spark.worker.idPattern", conf.Filled(conf.Texts), "worker-%s-%s-%d",
		"The pattern of worker ids: time of start, host, port.")
	workerPreferConfiguredMasterAddress = conf.Declare(Settings, "spark.worker.preferConfiguredMasterAddress", conf.Bools, "false",
		"Whether a worker goes on with the Master's address as it was given rather than as the Master says it.")
	workerDriverTerminateTimeout = conf.Declare(Settings, "spark.worker.driverTerminateTimeout", conf.AtLeast(conf.Durations(time.Millisecond), 0), "10s",
		"How long a driver that is to end may take before it is killed.")
	WorkerDecommissionSignal = conf.Declare(Settings, "spark.worker.decommission.signal", conf.Filled(conf.Texts), "PWR",
		"The signal, without SIG, that decommissions a worker.")
	workerCleanupEnabled = conf.Declare(Settings, "spark.worker.cleanup.enabled", conf.Bools, "true",
		"Whether a worker removes the directories of ended applications.")
	workerCleanupInterval = conf.Declare(Settings, "spark.worker.cleanup.interval", conf.AtLeast(conf.Seconds, time.Second), "1800",
		"How often a worker looks for directories to remove.")
	workerCleanupAppDataTTL = conf.Declare(Settings, "spark.worker.cleanup.appDataTtl", conf.AtLeast(conf.Seconds, 0), "604800",
		"How old the directory of an ended application may become.")
	workerRetainedExecutors = conf.Declare(Settings, "spark.worker.ui.retainedExecutors", conf.AtLeast(conf.Ints, 0), "1000",
		"How many finished executors a worker remembers.")
	workerRetainedDrivers = conf.Declare(Settings, "spark.worker.ui.retainedDrivers", conf.AtLeast(conf.Ints, 0), "1000",
		"How many finished drivers a worker remembers.")
	cleanupFilesAfterExecutorExit = conf.Declare(Settings, "spark.storage.cleanupFilesAfterExecutorExit", conf.Bools, "true",
		"Whether a worker with a shuffle service removes what an executor left behind, but for its shuffle files.")
	uiReverseProxy = conf.Declare(Settings, "spark.ui.reverseProxy", conf.Bools, "false",
		"Whether pages of workers and applications are reached through the Master's.")
	uiReverseProxyURL = conf.Optional(Settings, "spark.ui.reverseProxyUrl", conf.Filled(conf.Texts),
		"Where the reverse proxy is that stands before the Master.")
)
