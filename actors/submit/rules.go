//coherer:pure

package submit

import "github.com/coherer/coherer/rpcenv/conf"

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
	{option: "--master", managers: allManagers, modes: allModes, key: conf.MasterURL.Key()},
	{option: "--remote", managers: allManagers, modes: allModes, key: conf.Remote.Key()},
	{option: "--deploy-mode", managers: allManagers, modes: allModes, key: conf.DeployMode.Key()},
	{option: "--name", managers: allManagers, modes: allModes, key: conf.AppName.Key()},
	{option: "--driver-memory", managers: allManagers, modes: Client, key: conf.DriverMemory.Key()},
	{option: "--driver-class-path", managers: allManagers, modes: allModes, key: conf.DriverClassPath.Key()},
	{option: "--driver-java-options", managers: allManagers, modes: allModes, key: conf.DriverJavaOptions.Key()},
	{option: "--driver-library-path", managers: allManagers, modes: allModes, key: conf.DriverLibraryPath.Key()},
	{option: "--principal", managers: allManagers, modes: allModes, key: conf.KerberosPrincipal.Key()},
	{option: "--keytab", managers: allManagers, modes: allModes, key: conf.KerberosKeytab.Key()},
	{option: "--py-files", managers: allManagers, modes: Cluster, key: conf.SubmitPyFiles.Key()},

	{option: "--packages", managers: Standalone | Kubernetes, modes: Cluster, key: conf.JarsPackages.Key()},
	{option: "--repositories", managers: Standalone | Kubernetes, modes: Cluster, key: conf.JarsRepositories.Key()},
	{option: "--exclude-packages", managers: Standalone | Kubernetes, modes: Cluster, key: conf.JarsExcludes.Key()},

	{option: "--queue", managers: YARN, modes: allModes, key: conf.YARNQueue.Key()},
	{option: "--py-files", managers: YARN, modes: allModes, key: conf.YARNDistPyFiles.Key(), merge: true},
	{option: "--jars", managers: YARN, modes: allModes, key: conf.YARNDistJars.Key(), merge: true},
	{option: "--files", managers: YARN, modes: allModes, key: conf.YARNDistFiles.Key(), merge: true},
	{option: "--archives", managers: YARN, modes: allModes, key: conf.YARNDistArchives.Key(), merge: true},

	{option: "--num-executors", managers: YARN | Kubernetes, modes: allModes, key: conf.ExecutorInstances.Key()},
	{option: "--executor-cores", managers: Standalone | YARN | Kubernetes, modes: allModes, key: conf.ExecutorCores.Key()},
	{option: "--executor-memory", managers: Standalone | YARN | Kubernetes, modes: allModes, key: conf.ExecutorMemory.Key()},
	{option: "--total-executor-cores", managers: Standalone, modes: allModes, key: conf.CoresMax.Key()},
	{option: "--files", managers: Local | Standalone | Kubernetes, modes: allModes, key: conf.Files.Key()},
	{option: "--archives", managers: Local | Standalone | Kubernetes, modes: allModes, key: conf.Archives.Key()},
	{option: "--jars", managers: Local, modes: Client, key: conf.Jars.Key()},
	{option: "--jars", managers: Standalone | Kubernetes, modes: allModes, key: conf.Jars.Key()},
	{option: "--driver-memory", managers: Standalone | YARN | Kubernetes, modes: Cluster, key: conf.DriverMemory.Key()},
	{option: "--driver-cores", managers: Standalone | YARN | Kubernetes, modes: Cluster, key: conf.DriverCores.Key()},
}
