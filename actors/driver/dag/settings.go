package dag

import (
	"time"

	"github.com/coherer/coherer/rpcenv/conf"
)

// Settings are those that say how often a stage is tried, whether tasks prefer hosts, and what is known of jobs that are over.
var Settings = conf.NewSet()

// The entries of Settings; the last argument of each says what it means.
var (
	stageMaxConsecutiveAttempts = conf.Declare(Settings, "spark.stage.maxConsecutiveAttempts", conf.AtLeast(conf.Ints, 1), "4",
		"After how many attempts in a row that failed to fetch a stage fails its job.")
	stageMaxAttempts = conf.Declare(Settings, "spark.stage.maxAttempts", conf.AtLeast(conf.Ints, 1), conf.Infinite,
		"After how many attempts in all a stage fails its job.")
	stageIgnoreDecommissionFetchFailure = conf.Declare(Settings, "spark.stage.ignoreDecommissionFetchFailure", conf.Bools, "true",
		"Whether failures to fetch from decommissioned executors do not count.")
	filesFetchFailureUnRegisterOutputOnHost = conf.Declare(Settings, "spark.files.fetchFailure.unRegisterOutputOnHost", conf.Bools, "false",
		"Whether a failure to fetch gives up all map outputs of a host that is decommissioned or whose outputs a shuffle service has.")
	shufflesKept = conf.Declare(Settings, "coherer.shuffle.kept", conf.AtLeast(conf.Ints, 0), "64",
		"How many shuffles that no running job needs the driver keeps, so that later jobs of the same argument skip the stages that made them.")
	shuffleReduceLocality = conf.Declare(Settings, "spark.shuffle.reduceLocality.enabled", conf.Bools, "true",
		"Whether tasks behind a shuffle prefer the hosts that have much of what they fetch.")
	maxConcurrentTasksCheckInterval = conf.Declare(Settings, "spark.scheduler.barrier.maxConcurrentTasksCheck.interval",
		conf.AtLeast(conf.Durations(time.Second), time.Second), "15s",
		"How long the driver waits before it checks again that a barrier stage fits.")
	maxConcurrentTasksCheckMaxFailures = conf.Declare(Settings, "spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures",
		conf.AtLeast(conf.Ints, 1), "40",
		"After how many failed checks that a barrier stage fits its job fails.")
	numCancelledJobGroupsToTrack = conf.Declare(Settings, "spark.scheduler.numCancelledJobGroupsToTrack", conf.AtLeast(conf.Ints, 1), "1000",
		"How many cancelled groups of jobs are remembered, so that jobs submitted later fail too.")
)
