package conf

import "time"

// Settings of a ResourceManager, by Hadoop's names and with its defaults.
var (
	AMExpiry = entry("yarn.am.liveness-monitor.expiry-interval-ms", atLeast(durations(time.Millisecond), time.Millisecond), "900000",
		"After how long an application master that says nothing is given up.")
	NMExpiry = entry("yarn.nm.liveness-monitor.expiry-interval-ms", atLeast(durations(time.Millisecond), time.Millisecond), "600000",
		"After how long a node that says nothing is given up.")
	ContainerExpiry = entry("yarn.resourcemanager.rm.container-allocation.expiry-interval-ms",
		atLeast(durations(time.Millisecond), time.Millisecond), "600000",
		"After how long a container that is not started is taken back.")
	NMHeartbeatInterval = entry("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms",
		atLeast(durations(time.Millisecond), time.Millisecond), "1000",
		"How often nodes send heartbeats.")
	AMMaxAttempts = entry("yarn.resourcemanager.am.max-attempts", atLeast(ints, 1), "2",
		"How many application masters an application may have, one after the other.")
	MaxCompletedApplications = entry("yarn.resourcemanager.max-completed-applications", atLeast(ints, 0), "1000",
		"How many applications that have ended are remembered.")
	SchedulerClass = entry("yarn.resourcemanager.scheduler.class", enum(
		"org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler",
		"org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler"),
		"org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler",
		"Which scheduler gives containers.")
	ResourceManagerRecovery = entry("yarn.resourcemanager.recovery.enabled", bools, "false",
		"Whether applications outlive their ResourceManager: it keeps records.")
	ResourceManagerStore = optional("yarn.resourcemanager.fs.state-store.uri", filled(paths),
		"The directory of a ResourceManager's records.")
	SchedulingWait = entry("yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms", atLeast(durations(time.Millisecond), 0), "10000",
		"How long a ResourceManager that was started again gives no containers, so that nodes and application masters can come back.")
	ResourceManagerWebapp = entry("yarn.resourcemanager.webapp.address", filled(texts), "0.0.0.0:8088",
		"Where a ResourceManager's pages are, HOST:PORT; the host 0.0.0.0 is where it listens, port 0 any free one.")
	NodesIncludePath = optional("yarn.resourcemanager.nodes.include-path", filled(paths),
		"A file with the hosts that may be nodes; all may when it is unset or empty.")
	NodesExcludePath = optional("yarn.resourcemanager.nodes.exclude-path", filled(paths),
		"A file with the hosts that may not be nodes.")
	DecommissioningTimeout = entry("yarn.resourcemanager.nodemanager-graceful-decommission-timeout-secs", durations(time.Second), "3600",
		"How long a node that is decommissioned gracefully may go on with what it runs; below 0 for ever.")
)

// The sizes of containers. What is asked for is made up to a multiple of the increment.
var (
	MinimumAllocationMB = entry("yarn.scheduler.minimum-allocation-mb", atLeast(ints, 0), "1024",
		"How much memory a container has at least, in MiB.")
	MaximumAllocationMB = entry("yarn.scheduler.maximum-allocation-mb", atLeast(ints, 1), "8192",
		"How much memory a container has at most, in MiB.")
	MinimumAllocationVCores = entry("yarn.scheduler.minimum-allocation-vcores", atLeast(ints, 0), "1",
		"How many virtual cores a container has at least.")
	MaximumAllocationVCores = entry("yarn.scheduler.maximum-allocation-vcores", atLeast(ints, 1), "4",
		"How many virtual cores a container has at most.")
	IncrementAllocationMB = entry("yarn.scheduler.increment-allocation-mb", atLeast(ints, 1), "1024",
		"Containers have a multiple of this much memory, in MiB.")
	IncrementAllocationVCores = entry("yarn.scheduler.increment-allocation-vcores", atLeast(ints, 1), "1",
		"Containers have a multiple of this many virtual cores.")
)

// Settings of the FairScheduler.
var (
	FairAllocationFile = optional("yarn.scheduler.fair.allocation.file", filled(paths),
		"The file with the queues of the FairScheduler, read again every 10 s; unset for no file.")
	FairUserAsDefaultQueue = entry("yarn.scheduler.fair.user-as-default-queue", bools, "true",
		"Whether an application without a queue goes to that of its user.")
	FairAllowUndeclaredPools = entry("yarn.scheduler.fair.allow-undeclared-pools", bools, "true",
		"Whether queues that the file does not have are made when an application wants them.")
	FairSizeBasedWeight = entry("yarn.scheduler.fair.sizebasedweight", bools, "false",
		"Whether an application that wants more memory has a larger share.")
	FairUpdateInterval = entry("yarn.scheduler.fair.update-interval-ms", atLeast(durations(time.Millisecond), time.Millisecond), "500",
		"How often shares are computed anew.")
	FairContinuousScheduling = entry("yarn.scheduler.fair.continuous-scheduling-enabled", bools, "false",
		"Whether containers are given at any time, not only at a node's heartbeat.")
	FairContinuousSleep = entry("yarn.scheduler.fair.continuous-scheduling-sleep-ms", atLeast(durations(time.Millisecond), time.Millisecond), "5",
		"How long continuous scheduling waits between two looks at all nodes.")
	FairPreemption = entry("yarn.scheduler.fair.preemption", bools, "false",
		"Whether a starved application gets what another has above its share.")
	FairPreemptionThreshold = entry("yarn.scheduler.fair.preemption.cluster-utilization-threshold", between(floats, 0, 1), "0.8",
		"How full the cluster must be for that.")
	FairWaitTimeBeforeKill = entry("yarn.scheduler.fair.waitTimeBeforeKill", atLeast(durations(time.Millisecond), 0), "15000",
		"How long a container that is to be taken away may go on.")
	FairStarvationCheckWait = entry("yarn.scheduler.fair.waitTimeBeforeNextStarvationCheck", atLeast(durations(time.Millisecond), 0), "10000",
		"How long after that an application is not looked at again.")
	FairAssignMultiple = entry("yarn.scheduler.fair.assignmultiple", bools, "false",
		"Whether a node may be given several containers at one heartbeat.")
	FairDynamicMaxAssign = entry("yarn.scheduler.fair.dynamic.max.assign", bools, "true",
		"Whether those are as many as half of its free room takes.")
	FairMaxAssign = entry("yarn.scheduler.fair.max.assign", ints, "-1",
		"How many they are at most, when it is not by room; no bound below 1.")
	FairLocalityThresholdNode = entry("yarn.scheduler.fair.locality.threshold.node", floats, "-1",
		"Which part of the nodes must have had no local use for an application before it takes its rack; below 0: none.")
	FairLocalityThresholdRack = entry("yarn.scheduler.fair.locality.threshold.rack", floats, "-1",
		"Which part of the nodes must have had no local use for an application before it takes any; below 0: none.")
	FairLocalityDelayNode = entry("yarn.scheduler.fair.locality-delay-node-ms", ints, "-1",
		"How long, with continuous scheduling, an application waits for its node, in milliseconds; below 0: not at all.")
	FairLocalityDelayRack = entry("yarn.scheduler.fair.locality-delay-rack-ms", ints, "-1",
		"How long, with continuous scheduling, an application waits for its rack, in milliseconds; below 0: not at all.")
	FairReservableNodes = entry("yarn.scheduler.fair.reservable-nodes", between(floats, 0, 1), "0.05",
		"Which part of the nodes an application may have kept free for it.")
	FairReservationIncrement = entry("yarn.scheduler.reservation-threshold.increment-multiple", atLeast(floats, 0), "2",
		"How large, in increments, a container must be for a node to be kept free for it.")
)
