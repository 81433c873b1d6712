package conf

import "time"

// Settings of a NodeManager, by Hadoop's names and with its defaults.
var (
	NodeManagerMemoryMB = entry("yarn.nodemanager.resource.memory-mb", atLeast(ints, -1), "-1",
		"How much memory a node gives to containers, in MiB; 8192 when it is -1.")
	NodeManagerVCores = entry("yarn.nodemanager.resource.cpu-vcores", atLeast(ints, -1), "-1",
		"How many virtual cores a node gives to containers; 8 when it is -1.")
	NodeManagerLocalDirs = optional("yarn.nodemanager.local-dirs", pathLists,
		"Where a node keeps what its containers need: directories, separated by commas.")
	NodeManagerLogDirs = optional("yarn.nodemanager.log-dirs", pathLists,
		"Where a node keeps the output of its containers: directories, separated by commas.")
	NodeManagerWebapp = entry("yarn.nodemanager.webapp.address", filled(texts), "0.0.0.0:8042",
		"Where a NodeManager's pages are, HOST:PORT; the host 0.0.0.0 is where it listens, port 0 any free one.")
	NodeManagerKillDelay = entry("yarn.nodemanager.sleep-delay-before-sigkill.ms", atLeast(durations(time.Millisecond), 0), "250",
		"How long a container that is to end may take before it is killed.")
	NodeManagerMonitorInterval = entry("yarn.nodemanager.container-monitor.interval-ms",
		atLeast(durations(time.Millisecond), time.Millisecond), "3000",
		"How often a node looks at the memory of its containers.")
	NodeManagerMemoryEnforced = entry("yarn.nodemanager.resource.memory.enforced", bools, "true",
		"Whether control groups, and not the node's own watch, end containers that use too much memory; here nothing then does.")
	NodeManagerPmemCheck = entry("yarn.nodemanager.pmem-check-enabled", bools, "true",
		"Whether the watch ends containers that use more memory than they have.")
	NodeManagerVmemCheck = entry("yarn.nodemanager.vmem-check-enabled", bools, "true",
		"Whether the watch ends containers that use more virtual memory than they may.")
	NodeManagerVmemRatio = entry("yarn.nodemanager.vmem-pmem-ratio", atLeast(floats, 0), "2.1",
		"How much virtual memory a container may use, as a multiple of its memory.")
	NodeManagerFetchThreads = entry("yarn.nodemanager.localizer.fetch.thread-count", atLeast(ints, 1), "4",
		"How many resources a node fetches at once.")
	NodeManagerCacheTargetMB = entry("yarn.nodemanager.localizer.cache.target-size-mb", atLeast(ints, 0), "10240",
		"How large the cache of unused resources may stay, in MiB.")
	NodeManagerCacheCleanupInterval = entry("yarn.nodemanager.localizer.cache.cleanup.interval-ms",
		atLeast(durations(time.Millisecond), time.Millisecond), "600000",
		"How often a node looks whether its cache is too large.")
	NodeManagerDeleteDebugDelay = entry("yarn.nodemanager.delete.debug-delay-sec", durations(time.Second), "0",
		"How long the files of a container or an application stay after its end, for debugging; below 0 for ever.")
	NodeManagerLogRetain = entry("yarn.nodemanager.log.retain-seconds", durations(time.Second), "10800",
		"How long a node keeps the output of containers after their application; below 0 for ever.")
	NodeManagerEnvWhitelist = entry("yarn.nodemanager.env-whitelist", lists,
		"JAVA_HOME,HADOOP_COMMON_HOME,HADOOP_HDFS_HOME,HADOOP_CONF_DIR,CLASSPATH_PREPEND_DISTCACHE,HADOOP_YARN_HOME,HADOOP_HOME,PATH,LANG,TZ",
		"The variables that a container has from its node when it does not set them.")
	NodeManagerAdminEnv = entry("yarn.nodemanager.admin-env", texts, "MALLOC_ARENA_MAX=$MALLOC_ARENA_MAX",
		"The variables that each container has, NAME=VALUE separated by commas.")
	NodeManagerAuxServices = optional("yarn.nodemanager.aux-services", lists,
		"The names of the auxiliary services of a node; none is built in, so a name says that something else runs it.")
	NodeManagerHealthScript = optional("yarn.nodemanager.health-checker.script.path", filled(paths),
		"A program that a node runs to see whether it is healthy: a line that begins with ERROR says that it is not.")
	NodeManagerHealthScriptTimeout = entry("yarn.nodemanager.health-checker.timeout-ms",
		atLeast(durations(time.Millisecond), time.Millisecond), "1200000",
		"After how long the health script is given up, which is unhealthy.")
	NodeManagerHealthInterval = entry("yarn.nodemanager.health-checker.interval-ms",
		atLeast(durations(time.Millisecond), time.Millisecond), "600000",
		"How often a node runs its health script.")
	NodeManagerDiskInterval = entry("yarn.nodemanager.disk-health-checker.interval-ms",
		atLeast(durations(time.Millisecond), time.Millisecond), "120000",
		"How often a node looks whether its directories can be used.")
	NodeManagerMaxDiskUtilization = entry("yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage",
		between(floats, 0, 100), "100",
		"How full the disk of a directory may be, per cent; one that is fuller is not used.")
	NodeManagerMinHealthyDisks = entry("yarn.nodemanager.disk-health-checker.min-healthy-disks", between(floats, 0, 1), "0.25",
		"Which share of its directories a node must be able to use, to be healthy.")
	NodeManagerContainerStatuses = entry("yarn.nodemanager.duration-to-track-stopped-containers",
		durations(time.Millisecond), "600000",
		"How long a node remembers which containers ended, to refuse another start of them.")
	YARNConnectMaxWait = entry("yarn.resourcemanager.connect.max-wait.ms", durations(time.Millisecond), "900000",
		"How long nodes, application masters and clients try to reach the ResourceManager before they give up; negative for ever.")
	YARNConnectRetryInterval = entry("yarn.resourcemanager.connect.retry-interval.ms",
		atLeast(durations(time.Millisecond), time.Millisecond), "30000",
		"How long nodes and application masters wait before they try to reach the ResourceManager again.")
)
