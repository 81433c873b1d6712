package submit

import "github.com/coherer/coherer/rpcenv/conf"

// Settings are those that a submission hands to an application, and that its driver, its client and its ApplicationMaster read after it.
var Settings = conf.NewSet()

// Settings of where an application runs, and on how much of the cluster.
var (
	MasterURL = conf.Optional(Settings, "spark.master", conf.Filled(conf.Texts),
		"The cluster to run on, such as spark://HOST:PORT[,HOST:PORT...].")
	deployMode = conf.Declare(Settings, "spark.submit.deployMode", conf.Enum("client", "cluster"), "client",
		"Where the driver runs: in the submitting process or on a worker.")
	CoresMax = conf.Optional(Settings, "spark.cores.max", conf.AtLeast(conf.Ints, 1),
		"How many cores an application takes of the whole cluster at most.")
	MasterRESTEnabled = conf.Declare(Settings, "spark.master.rest.enabled", conf.Bools, "false",
		"Whether the Master takes submissions by REST; off here, on in Spark 4.1.")
)

// Settings of the application and its driver.
var (
	AppName = conf.Optional(Settings, "spark.app.name", conf.Texts,
		"The application's name, for people.")
	driverCores = conf.Declare(Settings, "spark.driver.cores", conf.AtLeast(conf.Ints, 1), "1",
		"The cores of a driver in cluster mode.")
	DriverMemory = conf.Declare(Settings, "spark.driver.memory", conf.AtLeast(conf.Sizes(conf.MiB), 1), "1g",
		"The memory of the driver.")
	DriverMaxResultSize = conf.Declare(Settings, "spark.driver.maxResultSize", conf.AtLeast(conf.Sizes(conf.Byte), 0), "1g",
		"How many bytes the results of one action may have together; 0 for no limit.")
	driverSupervise = conf.Declare(Settings, "spark.driver.supervise", conf.Bools, "false",
		"Whether a driver in cluster mode is started again when it fails.")
)

// Settings of executors, their number and their tasks, and of where they reach the driver.
var (
	ExecutorCores = conf.Optional(Settings, "spark.executor.cores", conf.AtLeast(conf.Ints, 1),
		"The cores of an executor; when unset a worker gives one executor all its cores.")
	ExecutorMemory = conf.Declare(Settings, "spark.executor.memory", conf.AtLeast(conf.Sizes(conf.MiB), 1), "1g",
		"The memory of an executor.")
	executorMemoryOverhead = conf.Optional(Settings, "spark.executor.memoryOverhead", conf.AtLeast(conf.Sizes(conf.MiB), 0),
		"Memory of an executor's container beside spark.executor.memory; when unset a share of that.")
	executorMemoryOverheadFactor = conf.Declare(Settings, "spark.executor.memoryOverheadFactor", conf.Above(conf.Floats, 0), "0.1",
		"The share of spark.executor.memory that a container has beside it.")
	executorMinMemoryOverhead = conf.Declare(Settings, "spark.executor.minMemoryOverhead", conf.AtLeast(conf.Sizes(conf.MiB), 0), "384m",
		"The least memory that a container has beside spark.executor.memory.")
	memoryOffHeapEnabled = conf.Declare(Settings, "spark.memory.offHeap.enabled", conf.Bools, "false",
		"Whether an executor's container on YARN has spark.memory.offHeap.size beside the rest; a Go executor keeps all in its heap.")
	memoryOffHeapSize = conf.Declare(Settings, "spark.memory.offHeap.size", conf.AtLeast(conf.Sizes(conf.Byte), 0), "0",
		"What spark.memory.offHeap.enabled adds to an executor's container on YARN.")
	executorPySparkMemory = conf.Optional(Settings, "spark.executor.pyspark.memory", conf.AtLeast(conf.Sizes(conf.MiB), 0),
		"What an executor's container on YARN has beside the rest for Python workers, which a Go executor does not start.")
	ExecutorInstances = conf.Optional(Settings, "spark.executor.instances", conf.AtLeast(conf.Ints, 0),
		"How many executors an application starts with.")
	TaskCPUs = conf.Declare(Settings, "spark.task.cpus", conf.AtLeast(conf.Ints, 1), "1",
		"The cores of one task.")
	DriverHost = conf.Optional(Settings, "spark.driver.host", conf.Filled(conf.Texts),
		"The host name or address at which executors reach the driver; the local host when unset.")
	DynamicAllocation = conf.Declare(Settings, "spark.dynamicAllocation.enabled", conf.Bools, "false",
		"Whether the number of executors follows the work.")
)

// Settings that promise protection. Each is refused unless it has its default.
var (
	kerberosPrincipal = conf.Optional(Settings, "spark.kerberos.principal", conf.Texts,
		"The Kerberos principal of a driver on a secured Hadoop cluster.").Protects("Kerberos authenticates no caller")
	kerberosKeytab = conf.Optional(Settings, "spark.kerberos.keytab", conf.Texts,
		"The file with the keys of spark.kerberos.principal.").Protects("Kerberos authenticates no caller")
)

// Settings that spark-submit hands to a driver; none of them changes what a cluster does here.
var (
	Jars = conf.Optional(Settings, "spark.jars", conf.Lists,
		"What the class path of driver and executors holds beside Spark; the application's own file among them.")
	Files = conf.Optional(Settings, "spark.files", conf.Lists,
		"Files that every executor has in its working directory.")
	Archives = conf.Optional(Settings, "spark.archives", conf.Lists,
		"Archives that are unpacked in the working directory of every executor.")
	jarsPackages = conf.Optional(Settings, "spark.jars.packages", conf.Lists,
		"Maven coordinates of further jars.")
	jarsExcludes = conf.Optional(Settings, "spark.jars.excludes", conf.Lists,
		"Maven coordinates to leave out of spark.jars.packages' dependencies.")
	jarsRepositories = conf.Optional(Settings, "spark.jars.repositories", conf.Lists,
		"Further repositories for spark.jars.packages.")
	_ = conf.Optional(Settings, "spark.jars.ivy", conf.Texts,
		"The directory in which Ivy keeps what it fetched.").Awaits("fetching of Maven packages")
	replLocalJars = conf.Optional(Settings, "spark.repl.local.jars", conf.Lists,
		"The jars of a shell as they lie on this machine.")
	submitPyFiles = conf.Optional(Settings, "spark.submit.pyFiles", conf.Lists,
		"Python files and archives for the search path of a Python application.")
	driverClassPath = conf.Optional(Settings, "spark.driver.extraClassPath", conf.Texts,
		"What goes before the class path of the driver.")
	driverJavaOptions = conf.Optional(Settings, "spark.driver.extraJavaOptions", conf.Texts,
		"Options of the driver's JVM.")
	driverLibraryPath = conf.Optional(Settings, "spark.driver.extraLibraryPath", conf.Texts,
		"The library path of the driver.")
	Remote = conf.Optional(Settings, "spark.remote", conf.Filled(conf.Texts),
		"A Spark Connect server, sc://HOST:PORT, instead of spark.master.")
	AppSubmitTime = conf.Optional(Settings, "spark.app.submitTime", conf.Ints64,
		"When the application was submitted, in milliseconds since 1970; set by submit.")
	YARNQueue = conf.Declare(Settings, "spark.yarn.queue", conf.Filled(conf.Texts), "default",
		"The YARN queue that an application is submitted to.")
	YARNApplicationType = conf.Declare(Settings, "spark.yarn.applicationType", conf.Filled(conf.Texts), "SPARK",
		"The type under which YARN lists the application.")
	YARNMaxAppAttempts = conf.Optional(Settings, "spark.yarn.maxAppAttempts", conf.AtLeast(conf.Ints, 1),
		"How often YARN starts the application master; YARN's own setting when unset.")
	yarnAMMemory = conf.Declare(Settings, "spark.yarn.am.memory", conf.AtLeast(conf.Sizes(conf.MiB), 1), "512m",
		"The memory of the application master in client mode.")
	yarnAMMemoryOverhead = conf.Optional(Settings, "spark.yarn.am.memoryOverhead", conf.AtLeast(conf.Sizes(conf.MiB), 0),
		"What the application master gets beside it in client mode; a tenth, 384m at least, when unset.")
	YARNAMCores = conf.Declare(Settings, "spark.yarn.am.cores", conf.AtLeast(conf.Ints, 1), "1",
		"The cores of the application master in client mode.")
	yarnAMJavaOptions = conf.Optional(Settings, "spark.yarn.am.extraJavaOptions", conf.Texts,
		"Options of the application master's JVM in client mode.")
	yarnAMLibraryPath = conf.Optional(Settings, "spark.yarn.am.extraLibraryPath", conf.Texts,
		"The library path of the application master in client mode.")
	driverMemoryOverhead = conf.Optional(Settings, "spark.driver.memoryOverhead", conf.AtLeast(conf.Sizes(conf.MiB), 0),
		"What a driver in a container gets beside its memory; a share, with a minimum, when unset.")
	driverMemoryOverheadFactor = conf.Declare(Settings, "spark.driver.memoryOverheadFactor", conf.Above(conf.Floats, 0), "0.1",
		"The share of its memory that a driver in a container gets beside it.")
	driverMinMemoryOverhead = conf.Declare(Settings, "spark.driver.minMemoryOverhead", conf.AtLeast(conf.Sizes(conf.MiB), 0), "384m",
		"What a driver in a container gets beside its memory at least.")
	YARNDistJars = conf.Optional(Settings, "spark.yarn.dist.jars", conf.Lists,
		"Jars that YARN hands to every container.")
	YARNDistFiles = conf.Optional(Settings, "spark.yarn.dist.files", conf.Lists,
		"Files that YARN hands to every container.")
	yarnDistPyFiles = conf.Optional(Settings, "spark.yarn.dist.pyFiles", conf.Lists,
		"Python files that YARN hands to every container.")
	YARNDistArchives = conf.Optional(Settings, "spark.yarn.dist.archives", conf.Lists,
		"Archives that YARN hands to every container.")
	YARNIsPython = conf.Optional(Settings, "spark.yarn.isPython", conf.Bools,
		"Whether an application on YARN is a Python one.")
	kubernetesSubmitInDriver = conf.Declare(Settings, "spark.kubernetes.submitInDriver", conf.Bools, "false",
		"Whether this submission is that inside the driver's pod.")
)

// ExecutorEnvPrefix begins the settings of the environment of executors: then comes the name of a variable.
var ExecutorEnvPrefix = Settings.Family("spark.executorEnv.")
