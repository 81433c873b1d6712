//coherer:pure

package submit

// Option is one option of the command line.
type Option struct {
	// Name begins with two dashes; Short, which may be empty, with one.
	Name, Short string
	// Value names what the option takes, such as MEMORY; an option without it is a switch.
	Value string
	// Key is the setting that the option stands for; Else are older keys, read when Key is not set; Env is the variable of
	// the environment that is read last. Each may be empty.
	Key  string
	Else []string
	Env  string
	// Own: spark-submit does not have the option.
	Own bool
	// Doc says in a line what the option does.
	Doc string
}

// Options are all options, spark-submit's and our own, in the order of the help.
func Options() []Option { return append([]Option(nil), options...) }

// Find is the option of a name, long or short.
func Find(name string) (Option, bool) {
	for _, o := range options {
		if name != "" && (o.Name == name || o.Short == name) {
			return o, true
		}
	}
	return Option{}, false
}

// options mirrors the two lists of SparkSubmitOptionParser and the look-ups of SparkSubmitArguments.
var options = []Option{
	{Name: "--master", Value: "URL", Key: MasterURL.Key(), Env: "MASTER", Doc: "the cluster: spark://HOST:PORT[,HOST:PORT...], yarn, yarn://HOST:PORT, k8s://HOST:PORT or local (default local[*])"},
	{Name: "--deploy-mode", Value: "MODE", Key: deployMode.Key(), Env: "DEPLOY_MODE", Doc: "where the driver runs: client, here, or cluster, on a Worker or in YARN's application master (default client)"},
	{Name: "--remote", Value: "URL", Key: Remote.Key(), Env: "SPARK_REMOTE", Doc: "a Spark Connect server, sc://HOST:PORT, instead of --master"},
	{Name: "--class", Value: "CLASS", Doc: "the application's main class; a Go program needs none"},
	{Name: "--name", Value: "NAME", Key: AppName.Key(), Doc: "the application's name"},
	{Name: "--conf", Short: "-c", Value: "KEY=VALUE", Doc: "a setting, KEY=VALUE; may be given several times"},
	{Name: "--properties-file", Value: "FILE", Doc: "a file of settings, instead of conf/spark-defaults.conf; --conf wins over it"},
	{Name: "--extra-properties-file", Value: "FILE", Doc: "a file of settings over --properties-file; may be given several times, later ones win"},
	{Name: "--load-spark-defaults", Doc: "read spark-defaults.conf also when --properties-file is given"},
	{Name: "--driver-memory", Value: "MEMORY", Key: DriverMemory.Key(), Env: "SPARK_DRIVER_MEMORY", Doc: "memory of the driver, such as 1g"},
	{Name: "--driver-cores", Value: "N", Key: driverCores.Key(), Doc: "cores of the driver in cluster mode"},
	{Name: "--driver-class-path", Value: "PATHS", Key: driverClassPath.Key(), Doc: "what goes before the class path of the driver"},
	{Name: "--driver-java-options", Value: "OPTIONS", Key: driverJavaOptions.Key(), Doc: "options of the driver's JVM"},
	{Name: "--driver-library-path", Value: "PATHS", Key: driverLibraryPath.Key(), Doc: "the library path of the driver"},
	{Name: "--executor-memory", Value: "MEMORY", Key: ExecutorMemory.Key(), Env: "SPARK_EXECUTOR_MEMORY", Doc: "memory of an executor, such as 1g (spark.executor.memory)"},
	{Name: "--executor-cores", Value: "N", Key: ExecutorCores.Key(), Env: "SPARK_EXECUTOR_CORES", Doc: "cores of an executor (spark.executor.cores)"},
	{Name: "--total-executor-cores", Value: "N", Key: CoresMax.Key(), Doc: "cores of all executors (spark.cores.max)"},
	{Name: "--num-executors", Value: "N", Key: ExecutorInstances.Key(), Doc: "how many executors, on YARN and Kubernetes"},
	{Name: "--jars", Value: "FILES", Key: Jars.Key(), Doc: "jars for driver and executors, separated by commas"},
	{Name: "--files", Value: "FILES", Key: Files.Key(), Doc: "files for the working directory of every executor, separated by commas"},
	{Name: "--archives", Value: "FILES", Key: Archives.Key(), Doc: "archives to unpack there, separated by commas"},
	{Name: "--py-files", Value: "FILES", Key: submitPyFiles.Key(), Doc: "Python files and archives for the search path, separated by commas"},
	{Name: "--packages", Value: "LIST", Key: jarsPackages.Key(), Doc: "Maven coordinates of further jars"},
	{Name: "--exclude-packages", Value: "LIST", Key: jarsExcludes.Key(), Doc: "coordinates to leave out of --packages"},
	{Name: "--repositories", Value: "LIST", Key: jarsRepositories.Key(), Doc: "further repositories for --packages"},
	{Name: "--supervise", Key: driverSupervise.Key(), Doc: "in standalone cluster mode, start the driver again when it fails"},
	{Name: "--kill", Value: "ID", Doc: "kill a submission, instead of making one"},
	{Name: "--status", Value: "ID", Doc: "show the state of a submission, instead of making one"},
	{Name: "--queue", Value: "QUEUE", Key: YARNQueue.Key(), Doc: "the YARN queue"},
	{Name: "--principal", Value: "NAME", Key: kerberosPrincipal.Key(), Else: []string{"spark.yarn.principal"}, Doc: "the application's principal on a secured Hadoop cluster"},
	{Name: "--keytab", Value: "FILE", Key: kerberosKeytab.Key(), Else: []string{"spark.yarn.keytab"}, Doc: "the keys of --principal"},
	{Name: "--proxy-user", Value: "NAME", Doc: "the user to act for; not together with --principal"},
	{Name: "--verbose", Short: "-v", Doc: "print what was understood and decided"},
	{Name: "--version", Doc: "print the version; nothing behind it is read"},
	{Name: "--help", Short: "-h", Doc: "print this"},
	{Name: "--usage-error", Doc: "print this and fail"},
	{Name: "--dry-run", Own: true, Doc: "print what would be done, for every kind of application and cluster, and do nothing"},
	{Name: "--output", Short: "-o", Value: "FORM", Own: true, Doc: "how --dry-run, and --status by REST, print: text or json"},
}
