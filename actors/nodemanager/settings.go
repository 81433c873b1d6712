package nodemanager

import (
	"time"

	"github.com/coherer/coherer/rpcenv/conf"
)

// Settings are those that a NodeManager reads, by Hadoop's names and with its defaults.
var Settings = conf.NewSet()

// The entries of Settings; the last argument of each says what it means.
var (
	NodeManagerKillDelay = conf.Declare(Settings, "yarn.nodemanager.sleep-delay-before-sigkill.ms", conf.AtLeast(conf.Durations(time.Millisecond), 0), "250",
		"How long a container that is to end may take before it is killed.")
	nodeManagerMonitorInterval = conf.Declare(Settings, "yarn.nodemanager.container-monitor.interval-ms",
		conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond), "3000",
		"How often a node looks at the memory of its containers.")
	nodeManagerMemoryEnforced = conf.Declare(Settings, "yarn.nodemanager.resource.memory.enforced", conf.Bools, "true",
		"Whether control groups, and not the node's own watch, end containers that use too much memory; here nothing then does.")
	nodeManagerPmemCheck = conf.Declare(Settings, "yarn.nodemanager.pmem-check-enabled", conf.Bools, "true",
		"Whether the watch ends containers that use more memory than they have.")
	nodeManagerVmemCheck = conf.Declare(Settings, "yarn.nodemanager.vmem-check-enabled", conf.Bools, "true",
		"Whether the watch ends containers that use more virtual memory than they may.")
	nodeManagerVmemRatio = conf.Declare(Settings, "yarn.nodemanager.vmem-pmem-ratio", conf.AtLeast(conf.Floats, 0), "2.1",
		"How much virtual memory a container may use, as a multiple of its memory.")
	nodeManagerFetchThreads = conf.Declare(Settings, "yarn.nodemanager.localizer.fetch.thread-count", conf.AtLeast(conf.Ints, 1), "4",
		"How many resources a node fetches at once.")
	nodeManagerCacheTargetMB = conf.Declare(Settings, "yarn.nodemanager.localizer.cache.target-size-mb", conf.AtLeast(conf.Ints, 0), "10240",
		"How large the cache of unused resources may stay, in MiB.")
	nodeManagerCacheCleanupInterval = conf.Declare(Settings, "yarn.nodemanager.localizer.cache.cleanup.interval-ms",
		conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond), "600000",
		"How often a node looks whether its cache is too large.")
	nodeManagerDeleteDebugDelay = conf.Declare(Settings, "yarn.nodemanager.delete.debug-delay-sec", conf.Durations(time.Second), "0",
		"How long the files of a container or an application stay after its end, for debugging; below 0 for ever.")
	nodeManagerLogRetain = conf.Declare(Settings, "yarn.nodemanager.log.retain-seconds", conf.Durations(time.Second), "10800",
		"How long a node keeps the output of containers after their application; below 0 for ever.")
	nodeManagerAdminEnv = conf.Declare(Settings, "yarn.nodemanager.admin-env", conf.Texts, "MALLOC_ARENA_MAX=$MALLOC_ARENA_MAX",
		"The variables that each container has, NAME=VALUE separated by commas.")
	NodeManagerAuxServices = conf.Optional(Settings, "yarn.nodemanager.aux-services", conf.Lists,
		"The names of the auxiliary services of a node: spark_shuffle serves map outputs; any other name says that something else runs it.")
	NodeManagerHealthScript = conf.Optional(Settings, "yarn.nodemanager.health-checker.script.path", conf.Filled(conf.Paths),
		"A program that a node runs to see whether it is healthy: a line that begins with ERROR says that it is not.")
	nodeManagerHealthScriptTimeout = conf.Declare(Settings, "yarn.nodemanager.health-checker.timeout-ms",
		conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond), "1200000",
		"After how long the health script is given up, which is unhealthy.")
	nodeManagerHealthInterval = conf.Declare(Settings, "yarn.nodemanager.health-checker.interval-ms",
		conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond), "600000",
		"How often a node runs its health script.")
	nodeManagerDiskInterval = conf.Declare(Settings, "yarn.nodemanager.disk-health-checker.interval-ms",
		conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond), "120000",
		"How often a node looks whether its directories can be used.")
	nodeManagerContainerStatuses = conf.Declare(Settings, "yarn.nodemanager.duration-to-track-stopped-containers",
		conf.Durations(time.Millisecond), "600000",
		"How long a node remembers which containers ended, to refuse another start of them.")
)
