package conf

import (
	"fmt"
	"strings"
	"time"
)

// Settings of an application on YARN: of its client and of its driver. What YARN is asked for is in submit.go.
var (
	YARNStagingDir = optional("spark.yarn.stagingDir", filled(absolutePaths),
		"The directory under which submissions to YARN stage their files, and which every NodeManager sees; the user's home when unset.")
	YARNPreserveStagingFiles = entry("spark.yarn.preserve.staging.files", bools, "false",
		"Whether the staged files stay when the application has ended.")
	YARNReportInterval = entry("spark.yarn.report.interval", atLeast(durations(time.Millisecond), time.Millisecond), "1s",
		"How often a client asks YARN for a report of the application.")
	YARNReportLoggingFrequency = entry("spark.yarn.report.loggingFrequency", atLeast(ints, 1), "30",
		"After how many reports without a change a client logs one again.")
	YARNClientLaunchMonitorInterval = entry("spark.yarn.clientLaunchMonitorInterval",
		atLeast(durations(time.Millisecond), time.Millisecond), "1s",
		"How often a driver in client mode asks YARN whether its application master runs.")
	YARNSubmitWaitAppCompletion = entry("spark.yarn.submit.waitAppCompletion", bools, "true",
		"Whether a client in cluster mode waits for the application's end.")
	YARNTags = optional("spark.yarn.tags", lists,
		"Words that YARN keeps with the application.")
	YARNPriority = optional("spark.yarn.priority", ints,
		"The application's priority among those that wait; larger is more urgent.")
	YARNAttemptFailuresValidityInterval = optional("spark.yarn.am.attemptFailuresValidityInterval",
		atLeast(durations(time.Millisecond), time.Millisecond),
		"After how long a failure of the application master no longer counts.")
	YARNAMNodeLabelExpression = optional("spark.yarn.am.nodeLabelExpression", texts,
		"The label of the nodes that may run the application master.")
	YARNUnmanagedAM = entry("spark.yarn.unmanagedAM.enabled", bools, "false",
		"Whether the application master runs in the client's process; not done here.")
	YARNArchive = optional("spark.yarn.archive", filled(texts),
		"An archive with Spark's jars, to be unpacked in every container: refused, since a Go program needs none.")
	YARNJars = optional("spark.yarn.jars", lists,
		"Spark's jars, instead of those of this machine; a Go program needs none.").awaits("Spark's own jars")
)

// Settings of the application master.
var (
	YARNAMWaitTime = entry("spark.yarn.am.waitTime", atLeast(durations(time.Millisecond), 0), "100s",
		"How long the application master waits for the driver to be there.")
	YARNHeartbeatInterval = entry("spark.yarn.scheduler.heartbeat.interval-ms", durations(time.Millisecond), "3s",
		"How often the application master sends the ResourceManager a heartbeat when it has nothing to ask for.")
	YARNInitialAllocationInterval = entry("spark.yarn.scheduler.initial-allocation.interval", durations(time.Millisecond), "200ms",
		"How soon the application master asks again while it waits for containers; it doubles up to the heartbeat's.")
	YARNReporterMaxFailures = entry("spark.yarn.scheduler.reporterThread.maxFailures", atLeast(ints, 1), "5",
		"After how many failed calls of the ResourceManager in a row the application master ends.")
	YARNContainerLauncherMaxThreads = entry("spark.yarn.containerLauncherMaxThreads", atLeast(ints, 1), "25",
		"How many executors the application master starts at once.")
	YARNClientModeTreatDisconnectAsFailed = entry("spark.yarn.am.clientModeTreatDisconnectAsFailed", bools, "false",
		"Whether, in client mode, a driver that goes without a word has failed.")
	YARNClientModeExitOnError = entry("spark.yarn.am.clientModeExitOnError", bools, "false",
		"Whether, in client mode, the driver's process ends with 1 when the application failed or was killed.").awaits("the exit code of a client")
	YARNExcludeNodes = optional("spark.yarn.exclude.nodes", lists,
		"Nodes that get no executor.")
	YARNExecutorLaunchExcludeOnFailure = entry("spark.yarn.executor.launch.excludeOnFailure.enabled", bools, "false",
		"Whether nodes where executors fail to start are left out for a while.")
	YARNMaxExecutorFailures = optional("spark.yarn.max.executor.failures", atLeast(ints, 0),
		"The older name of spark.executor.maxNumFailures, which wins.")
	YARNExecutorFailuresValidityInterval = optional("spark.yarn.executor.failuresValidityInterval", durations(time.Millisecond),
		"The older name of spark.executor.failuresValidityInterval, which falls back to it.")
	YARNFinalMessageLimit = entry("spark.yarn.am.finalMessageLimit", atLeast(sizes(byteUnit), 0), "1m",
		"How many bytes of its final message the application master sends to the ResourceManager.")
	YARNExecutorNodeLabelExpression = optional("spark.yarn.executor.nodeLabelExpression", texts,
		"The label of the nodes that may run executors.")
)

// Settings of YARN that its clients look at, by Hadoop's names. They come from yarn-site.xml, or as spark.hadoop.yarn.*.
var (
	ResourceManagerAddress = optional("yarn.resourcemanager.address", filled(texts),
		"Where clients reach the ResourceManager, HOST:PORT; it is where NodeManagers and application masters reach it too.")
	ResourceManagerHostname = entry("yarn.resourcemanager.hostname", filled(texts), "0.0.0.0",
		"The ResourceManager's machine, when its address is not set; 0.0.0.0 is this one.")
	YARNPollInterval = entry("yarn.client.application-client-protocol.poll-interval-ms",
		atLeast(durations(time.Millisecond), time.Millisecond), "200",
		"How often a client asks whether its submission was accepted.")
	YARNPollTimeout = entry("yarn.client.application-client-protocol.poll-timeout-ms", durations(time.Millisecond), "-1",
		"After how long a client gives up a submission that is not accepted; negative for never.")
)

// ResourceManagerPort is where a ResourceManager listens when nothing else is said: for clients, NodeManagers and application
// masters alike, of which Hadoop gives 8031 and 8030 to the last two.
const ResourceManagerPort = 8032

// ResourceManagerAt is HOST:PORT of the ResourceManager: yarn.resourcemanager.address, else yarn.resourcemanager.hostname with
// Hadoop's port. Hadoop's any-address is this machine.
func ResourceManagerAt(c *Conf) string {
	at, set := ResourceManagerAddress.Find(c)
	if !set {
		at = fmt.Sprintf("%s:%d", ResourceManagerHostname.Get(c), ResourceManagerPort)
	}
	// To listen at any address is no address to dial.
	if rest, any := strings.CutPrefix(at, "0.0.0.0:"); any {
		return "127.0.0.1:" + rest
	}
	if !strings.Contains(at, ":") {
		return fmt.Sprintf("%s:%d", at, ResourceManagerPort)
	}
	return at
}
