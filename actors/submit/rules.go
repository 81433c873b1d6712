//coherer:pure

package submit

// Mode is a deploy mode.
type Mode int

// The deploy modes, as bits, since rules are for several.
const (
	// Client runs the driver in the submitting process.
	Client Mode = 1 << iota
	// Cluster runs it in the cluster.
	Cluster

	allModes = Client | Cluster
)

// String is Spark's word for the mode.
func (m Mode) String() string {
	if m == Cluster {
		return "cluster"
	}
	return "client"
}

// rule says for which clusters an option becomes a setting. It mirrors OptionAssigner.
type rule struct {
	option   string
	managers Manager
	modes    Mode
	key      string
	// merge puts the option's list behind the one that is set, instead of over it.
	merge bool
}

// rules are in Spark's order; a later one wins. What is not an option of the command line is done in decide.go.
var rules = []rule{
	{option: "--master", managers: allManagers, modes: allModes, key: MasterURL.Key()},
	{option: "--remote", managers: allManagers, modes: allModes, key: Remote.Key()},
	{option: "--deploy-mode", managers: allManagers, modes: allModes, key: deployMode.Key()},
	{option: "--name", managers: allManagers, modes: allModes, key: AppName.Key()},
	{option: "--driver-memory", managers: allManagers, modes: Client, key: DriverMemory.Key()},
	{option: "--driver-class-path", managers: allManagers, modes: allModes, key: driverClassPath.Key()},
	{option: "--driver-java-options", managers: allManagers, modes: allModes, key: driverJavaOptions.Key()},
	{option: "--driver-library-path", managers: allManagers, modes: allModes, key: driverLibraryPath.Key()},
	{option: "--principal", managers: allManagers, modes: allModes, key: kerberosPrincipal.Key()},
	{option: "--keytab", managers: allManagers, modes: allModes, key: kerberosKeytab.Key()},
	{option: "--py-files", managers: allManagers, modes: Cluster, key: submitPyFiles.Key()},

	{option: "--packages", managers: Standalone | Kubernetes, modes: Cluster, key: jarsPackages.Key()},
	{option: "--repositories", managers: Standalone | Kubernetes, modes: Cluster, key: jarsRepositories.Key()},
	{option: "--exclude-packages", managers: Standalone | Kubernetes, modes: Cluster, key: jarsExcludes.Key()},

	{option: "--queue", managers: YARN, modes: allModes, key: YARNQueue.Key()},
	{option: "--py-files", managers: YARN, modes: allModes, key: yarnDistPyFiles.Key(), merge: true},
	{option: "--jars", managers: YARN, modes: allModes, key: YARNDistJars.Key(), merge: true},
	{option: "--files", managers: YARN, modes: allModes, key: YARNDistFiles.Key(), merge: true},
	{option: "--archives", managers: YARN, modes: allModes, key: YARNDistArchives.Key(), merge: true},

	{option: "--num-executors", managers: YARN | Kubernetes, modes: allModes, key: ExecutorInstances.Key()},
	{option: "--executor-cores", managers: Standalone | YARN | Kubernetes, modes: allModes, key: ExecutorCores.Key()},
	{option: "--executor-memory", managers: Standalone | YARN | Kubernetes, modes: allModes, key: ExecutorMemory.Key()},
	{option: "--total-executor-cores", managers: Standalone, modes: allModes, key: CoresMax.Key()},
	{option: "--files", managers: Local | Standalone | Kubernetes, modes: allModes, key: Files.Key()},
	{option: "--archives", managers: Local | Standalone | Kubernetes, modes: allModes, key: Archives.Key()},
	{option: "--jars", managers: Local, modes: Client, key: Jars.Key()},
	{option: "--jars", managers: Standalone | Kubernetes, modes: allModes, key: Jars.Key()},
	{option: "--driver-memory", managers: Standalone | YARN | Kubernetes, modes: Cluster, key: DriverMemory.Key()},
	{option: "--driver-cores", managers: Standalone | YARN | Kubernetes, modes: Cluster, key: driverCores.Key()},
}
