package exclude

import (
	"time"

	"github.com/coherer/coherer/rpcenv/conf"
)

// Settings are those of exclusion on failure.
var Settings = conf.NewSet()

// Which levels are on.
var (
	enabled = conf.Optional(Settings, "spark.excludeOnFailure.enabled", conf.Bools,
		"Whether executors and nodes on which tasks fail get no further ones for a time.").
		Older("spark.blacklist.enabled")
	applicationEnabled = conf.Optional(Settings, "spark.excludeOnFailure.application.enabled", conf.Bools,
		"Whether they get none of the application; when unset spark.excludeOnFailure.enabled decides.")
	taskAndStageEnabled = conf.Optional(Settings, "spark.excludeOnFailure.taskAndStage.enabled", conf.Bools,
		"Whether they get none of the task and the stage that failed; when unset spark.excludeOnFailure.enabled decides.")
)

// How much is too much.
var (
	taskAttemptsPerExecutor = conf.Declare(Settings, "spark.excludeOnFailure.task.maxTaskAttemptsPerExecutor", conf.AtLeast(conf.Ints, 1), "1",
		"How often one task is tried on one executor.").
		Older("spark.blacklist.task.maxTaskAttemptsPerExecutor")
	taskAttemptsPerNode = conf.Declare(Settings, "spark.excludeOnFailure.task.maxTaskAttemptsPerNode", conf.AtLeast(conf.Ints, 1), "2",
		"How often one task is tried on one node; less than spark.task.maxFailures.").
		Older("spark.blacklist.task.maxTaskAttemptsPerNode")
	stageTasksPerExecutor = conf.Declare(Settings, "spark.excludeOnFailure.stage.maxFailedTasksPerExecutor", conf.AtLeast(conf.Ints, 1), "2",
		"After how many failed tasks of a stage an executor is excluded from it.").
		Older("spark.blacklist.stage.maxFailedTasksPerExecutor")
	stageExecutorsPerNode = conf.Declare(Settings, "spark.excludeOnFailure.stage.maxFailedExecutorsPerNode", conf.AtLeast(conf.Ints, 1), "2",
		"After how many excluded executors a node is excluded from a stage.").
		Older("spark.blacklist.stage.maxFailedExecutorsPerNode")
	applicationTasksPerExecutor = conf.Declare(Settings, "spark.excludeOnFailure.application.maxFailedTasksPerExecutor", conf.AtLeast(conf.Ints, 1), "2",
		"After how many failed tasks an executor is excluded from the application.").
		Older("spark.blacklist.application.maxFailedTasksPerExecutor")
	// ApplicationExecutorsPerNode also bounds how many executors may fail to start on a node of YARN.
	ApplicationExecutorsPerNode = conf.Declare(Settings, "spark.excludeOnFailure.application.maxFailedExecutorsPerNode", conf.AtLeast(conf.Ints, 1), "2",
		"After how many excluded executors a node is excluded from the application.").
		Older("spark.blacklist.application.maxFailedExecutorsPerNode")
)

// What follows, and for how long.
var (
	timeout = conf.Optional(Settings, "spark.excludeOnFailure.timeout", conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond),
		"How long an executor or a node is excluded from an application; one hour when unset.").
		Older("spark.blacklist.timeout")
	legacyTimeout = conf.Optional(Settings, "spark.scheduler.executorTaskExcludeOnFailureTime", conf.AtLeast(conf.Durations(time.Millisecond), 0),
		"spark.excludeOnFailure.timeout of old: above 0 it also turns on exclusion from applications, unless a setting says whether it is on.").
		Older("spark.scheduler.executorTaskBlacklistTime")
	killExcluded = conf.Declare(Settings, "spark.excludeOnFailure.killExcludedExecutors", conf.Bools, "false",
		"Whether executors that the application excludes are killed.").
		Older("spark.blacklist.killBlacklistedExecutors")
	decommissionExcluded = conf.Declare(Settings, "spark.excludeOnFailure.killExcludedExecutors.decommission", conf.Bools, "false",
		"Whether excluded executors are decommissioned rather than killed.")
	fetchFailure = conf.Declare(Settings, "spark.excludeOnFailure.application.fetchFailure.enabled", conf.Bools, "false",
		"Whether an executor is excluded at once when its shuffle files cannot be fetched; its node with the external shuffle service.").
		Older("spark.blacklist.application.fetchFailure.enabled")
	// UnschedulableTimeout is for the task scheduler, which ends a set that can run nowhere.
	UnschedulableTimeout = conf.Declare(Settings, "spark.scheduler.excludeOnFailure.unschedulableTaskSetTimeout",
		conf.AtLeast(conf.Durations(time.Second), 0), "120s",
		"How long tasks that exclusion leaves nowhere to run wait for a new executor.").
		Older("spark.scheduler.blacklist.unschedulableTaskSetTimeout")
)
