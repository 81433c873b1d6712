package allocation

import (
	"time"

	"github.com/coherer/coherer/rpcenv/conf"
)

// Settings are those that dynamic allocation reads.
var Settings = conf.NewSet()

// The entries of Settings; the last argument of each says what it means.
var (
	dynamicAllocationMinExecutors = conf.Declare(Settings, "spark.dynamicAllocation.minExecutors", conf.AtLeast(conf.Ints, 0), "0",
		"The least number of executors.")
	DynamicAllocationMaxExecutors = conf.Declare(Settings, "spark.dynamicAllocation.maxExecutors", conf.AtLeast(conf.Ints, 0), conf.Infinite,
		"The greatest number of executors.")
	dynamicAllocationInitialExecutors = conf.Fallback(Settings, "spark.dynamicAllocation.initialExecutors", conf.AtLeast(conf.Ints, 0),
		dynamicAllocationMinExecutors, "The number of executors at the start.")
	dynamicAllocationRatio = conf.Declare(Settings, "spark.dynamicAllocation.executorAllocationRatio", conf.Above(conf.Between(conf.Floats, 0, 1), 0), "1",
		"The share of full parallelism that is asked for.")
	dynamicAllocationBacklogTimeout = conf.Declare(Settings, "spark.dynamicAllocation.schedulerBacklogTimeout",
		conf.AtLeast(conf.Durations(time.Second), time.Second), "1s",
		"After how long with waiting tasks executors are asked for.")
	dynamicAllocationSustainedBacklogTimeout = conf.Fallback(Settings, "spark.dynamicAllocation.sustainedSchedulerBacklogTimeout",
		conf.AtLeast(conf.Durations(time.Second), time.Second), dynamicAllocationBacklogTimeout,
		"After how long with tasks that still wait more executors are asked for.")
	dynamicAllocationIdleTimeout = conf.Declare(Settings, "spark.dynamicAllocation.executorIdleTimeout", conf.AtLeast(conf.Durations(time.Second), 0), "60s",
		"After how long without a task an executor is given back.")
	_ = conf.Declare(Settings, "spark.dynamicAllocation.cachedExecutorIdleTimeout",
		conf.AtLeast(conf.Durations(time.Second), 0), conf.Infinite,
		"After how long without a task an executor with cached blocks is given back.").Awaits("cached blocks in dynamic allocation")
	dynamicAllocationShuffleTracking = conf.Declare(Settings, "spark.dynamicAllocation.shuffleTracking.enabled", conf.Bools, "true",
		"Whether executors stay while a job may need their shuffle files.")
	_ = conf.Optional(Settings, "spark.dynamicAllocation.shuffleTracking.timeout",
		conf.AtLeast(conf.Durations(time.Millisecond), 0),
		"After how long an executor that is kept for its shuffle files is given back; never when unset.").Awaits("tracking of shuffle files by time")
)
