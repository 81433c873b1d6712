package known

import (
	"github.com/coherer/coherer/rpcenv/conf"
)

// Settings of a NodeManager, by Hadoop's names and with its defaults.
var (
	NodeManagerMemoryMB = conf.Declare(Settings, "yarn.nodemanager.resource.memory-mb", conf.AtLeast(conf.Ints, -1), "-1",
		"How much memory a node gives to containers, in MiB; 8192 when it is -1.")
	NodeManagerVCores = conf.Declare(Settings, "yarn.nodemanager.resource.cpu-vcores", conf.AtLeast(conf.Ints, -1), "-1",
		"How many virtual cores a node gives to containers; 8 when it is -1.")
	NodeManagerLocalDirs = conf.Optional(Settings, "yarn.nodemanager.local-dirs", conf.PathLists,
		"Where a node keeps what its containers need: directories, separated by commas.")
	NodeManagerLogDirs = conf.Optional(Settings, "yarn.nodemanager.log-dirs", conf.PathLists,
		"Where a node keeps the output of its containers: directories, separated by commas.")
	NodeManagerWebapp = conf.Declare(Settings, "yarn.nodemanager.webapp.address", conf.Filled(conf.Texts), "0.0.0.0:8042",
		"Where a NodeManager's pages are, HOST:PORT; the host 0.0.0.0 is where it listens, port 0 any free one.")
	NodeManagerEnvWhitelist = conf.Declare(Settings, "yarn.nodemanager.env-whitelist", conf.Lists,
		"JAVA_HOME,HADOOP_COMMON_HOME,HADOOP_HDFS_HOME,HADOOP_CONF_DIR,CLASSPATH_PREPEND_DISTCACHE,HADOOP_YARN_HOME,HADOOP_HOME,PATH,LANG,TZ",
		"The variables that a container has from its node when it does not set them.")
	NodeManagerMaxDiskUtilization = conf.Declare(Settings, "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage",
		conf.Between(conf.Floats, 0, 100), "100",
		"How full the disk of a directory may be, per cent; one that is fuller is not used.")
	NodeManagerMinHealthyDisks = conf.Declare(Settings, "yarn.nodemanager.disk-health-checker.min-healthy-disks", conf.Between(conf.Floats, 0, 1), "0.25",
		"Which share of its directories a node must be able to use, to be healthy.")
	ResourceManagerRecovery = conf.Declare(Settings, "yarn.resourcemanager.recovery.enabled", conf.Bools, "false",
		"Whether applications outlive their ResourceManager: it keeps records.")
	ResourceManagerStore = conf.Optional(Settings, "yarn.resourcemanager.fs.state-store.uri", conf.Filled(conf.Paths),
		"The directory of a ResourceManager's records.")
	ResourceManagerWebapp = conf.Declare(Settings, "yarn.resourcemanager.webapp.address", conf.Filled(conf.Texts), "0.0.0.0:8088",
		"Where a ResourceManager's pages are, HOST:PORT; the host 0.0.0.0 is where it listens, port 0 any free one.")
	NodesIncludePath = conf.Optional(Settings, "yarn.resourcemanager.nodes.include-path", conf.Filled(conf.Paths),
		"A file with the hosts that may be nodes; all may when it is unset or empty.")
	NodesExcludePath = conf.Optional(Settings, "yarn.resourcemanager.nodes.exclude-path", conf.Filled(conf.Paths),
		"A file with the hosts that may not be nodes.")
)
