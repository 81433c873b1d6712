package applicationmaster

import (
	"time"

	"github.com/coherer/coherer/rpcenv/conf"
)

// Settings are those that an ApplicationMaster reads.
var Settings = conf.NewSet()

// The entries of Settings; the last argument of each says what it means.
var (
	executorMaxNumFailures = conf.Optional(Settings, "spark.executor.maxNumFailures", conf.AtLeast(conf.Ints, 0),
		"After how many failed executors the application fails.")
	executorFailuresValidityInterval = conf.Fallback(Settings, "spark.executor.failuresValidityInterval", conf.Durations(time.Millisecond),
		yarnExecutorFailuresValidityInterval, "After how long a failure of an executor no longer counts; when unset it counts for ever.")
	yarnAMWaitTime = conf.Declare(Settings, "spark.yarn.am.waitTime", conf.AtLeast(conf.Durations(time.Millisecond), 0), "100s",
		"How long the application master waits for the driver to be there.")
	YARNHeartbeatInterval = conf.Declare(Settings, "spark.yarn.scheduler.heartbeat.interval-ms", conf.Durations(time.Millisecond), "3s",
		"How often the application master sends the ResourceManager a heartbeat when it has nothing to ask for.")
	yarnInitialAllocationInterval = conf.Declare(Settings, "spark.yarn.scheduler.initial-allocation.interval", conf.Durations(time.Millisecond), "200ms",
		"How soon the application master asks again while it waits for containers; it doubles up to the heartbeat's.")
	yarnReporterMaxFailures = conf.Declare(Settings, "spark.yarn.scheduler.reporterThread.maxFailures", conf.AtLeast(conf.Ints, 1), "5",
		"After how many failed calls of the ResourceManager in a row the application master ends.")
	yarnContainerLauncherMaxThreads = conf.Declare(Settings, "spark.yarn.containerLauncherMaxThreads", conf.AtLeast(conf.Ints, 1), "25",
		"How many executors the application master starts at once.")
	yarnClientModeTreatDisconnectAsFailed = conf.Declare(Settings, "spark.yarn.am.clientModeTreatDisconnectAsFailed", conf.Bools, "false",
		"Whether, in client mode, a driver that goes without a word has failed.")
	_ = conf.Declare(Settings, "spark.yarn.am.clientModeExitOnError", conf.Bools, "false",
		"Whether, in client mode, the driver's process ends with 1 when the application failed or was killed.").Awaits("the exit code of a client")
	yarnExcludeNodes = conf.Optional(Settings, "spark.yarn.exclude.nodes", conf.Lists,
		"Nodes that get no executor.")
	yarnExecutorLaunchExcludeOnFailure = conf.Declare(Settings, "spark.yarn.executor.launch.excludeOnFailure.enabled", conf.Bools, "false",
		"Whether nodes where executors fail to start are left out for a while.").
		Older("spark.yarn.blacklist.executor.launch.blacklisting.enabled")
	yarnMaxExecutorFailures = conf.Optional(Settings, "spark.yarn.max.executor.failures", conf.AtLeast(conf.Ints, 0),
		"The older name of spark.executor.maxNumFailures, which wins.")
	yarnExecutorFailuresValidityInterval = conf.Optional(Settings, "spark.yarn.executor.failuresValidityInterval", conf.Durations(time.Millisecond),
		"The older name of spark.executor.failuresValidityInterval, which falls back to it.")
	yarnFinalMessageLimit = conf.Declare(Settings, "spark.yarn.am.finalMessageLimit", conf.AtLeast(conf.Sizes(conf.Byte), 0), "1m",
		"How many bytes of its final message the application master sends to the ResourceManager.")
	yarnExecutorNodeLabelExpression = conf.Optional(Settings, "spark.yarn.executor.nodeLabelExpression", conf.Texts,
		"The label of the nodes that may run executors.")
)
