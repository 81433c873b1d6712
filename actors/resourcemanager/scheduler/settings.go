package scheduler

import (
	"time"

	"github.com/coherer/coherer/rpcenv/conf"
)

// Settings are those that a ResourceManager reads, all its endpoints together, by Hadoop's names and with its defaults.
var Settings = conf.NewSet()

// Settings of its nodes, containers and applications.
var (
	NMExpiry = conf.Declare(Settings, "yarn.nm.liveness-monitor.expiry-interval-ms", conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond), "600000",
		"After how long a node that says nothing is given up.")
	containerExpiry = conf.Declare(Settings, "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms",
		conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond), "600000",
		"After how long a container that is not started is taken back.")
	MaxCompletedApplications = conf.Declare(Settings, "yarn.resourcemanager.max-completed-applications", conf.AtLeast(conf.Ints, 0), "1000",
		"How many applications that have ended are remembered.")
	SchedulerClass = conf.Declare(Settings, "yarn.resourcemanager.scheduler.class", conf.Enum(
		"org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler",
		"org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler"),
		"org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler",
		"Which scheduler gives containers.")
	schedulingWait = conf.Declare(Settings, "yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms", conf.AtLeast(conf.Durations(time.Millisecond), 0), "10000",
		"How long a ResourceManager that was started again gives no containers, so that nodes and application masters can come back.")
	DecommissioningTimeout = conf.Declare(Settings, "yarn.resourcemanager.nodemanager-graceful-decommission-timeout-secs", conf.Durations(time.Second), "3600",
		"How long a node that is decommissioned gracefully may go on with what it runs; below 0 for ever.")
)

// The sizes of containers. What is asked for is made up to a multiple of the increment.
var (
	MinimumAllocationMB = conf.Declare(Settings, "yarn.scheduler.minimum-allocation-mb", conf.AtLeast(conf.Ints, 0), "1024",
		"How much memory a container has at least, in MiB.")
	MaximumAllocationMB = conf.Declare(Settings, "yarn.scheduler.maximum-allocation-mb", conf.AtLeast(conf.Ints, 1), "8192",
		"How much memory a container has at most, in MiB.")
	MinimumAllocationVCores = conf.Declare(Settings, "yarn.scheduler.minimum-allocation-vcores", conf.AtLeast(conf.Ints, 0), "1",
		"How many virtual cores a container has at least.")
	MaximumAllocationVCores = conf.Declare(Settings, "yarn.scheduler.maximum-allocation-vcores", conf.AtLeast(conf.Ints, 1), "4",
		"How many virtual cores a container has at most.")
	incrementAllocationMB = conf.Declare(Settings, "yarn.scheduler.increment-allocation-mb", conf.AtLeast(conf.Ints, 1), "1024",
		"Containers have a multiple of this much memory, in MiB.")
	incrementAllocationVCores = conf.Declare(Settings, "yarn.scheduler.increment-allocation-vcores", conf.AtLeast(conf.Ints, 1), "1",
		"Containers have a multiple of this many virtual cores.")
)

// Settings of the FairScheduler.
var (
	FairAllocationFile = conf.Optional(Settings, "yarn.scheduler.fair.allocation.file", conf.Filled(conf.Paths),
		"The file with the queues of the FairScheduler, read again every 10 s; unset for no file.")
	FairUserAsDefaultQueue = conf.Declare(Settings, "yarn.scheduler.fair.user-as-default-queue", conf.Bools, "true",
		"Whether an application without a queue goes to that of its user.")
	fairAllowUndeclaredPools = conf.Declare(Settings, "yarn.scheduler.fair.allow-undeclared-pools", conf.Bools, "true",
		"Whether queues that the file does not have are made when an application wants them.")
	fairSizeBasedWeight = conf.Declare(Settings, "yarn.scheduler.fair.sizebasedweight", conf.Bools, "false",
		"Whether an application that wants more memory has a larger share.")
	FairUpdateInterval = conf.Declare(Settings, "yarn.scheduler.fair.update-interval-ms", conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond), "500",
		"How often shares are computed anew.")
	fairContinuousScheduling = conf.Declare(Settings, "yarn.scheduler.fair.continuous-scheduling-enabled", conf.Bools, "false",
		"Whether containers are given at any time, not only at a node's heartbeat.")
	fairContinuousSleep = conf.Declare(Settings, "yarn.scheduler.fair.continuous-scheduling-sleep-ms", conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond), "5",
		"How long continuous scheduling waits between two looks at all nodes.")
	fairPreemption = conf.Declare(Settings, "yarn.scheduler.fair.preemption", conf.Bools, "false",
		"Whether a starved application gets what another has above its share.")
	fairPreemptionThreshold = conf.Declare(Settings, "yarn.scheduler.fair.preemption.cluster-utilization-threshold", conf.Between(conf.Floats, 0, 1), "0.8",
		"How full the cluster must be for that.")
	fairWaitTimeBeforeKill = conf.Declare(Settings, "yarn.scheduler.fair.waitTimeBeforeKill", conf.AtLeast(conf.Durations(time.Millisecond), 0), "15000",
		"How long a container that is to be taken away may go on.")
	fairStarvationCheckWait = conf.Declare(Settings, "yarn.scheduler.fair.waitTimeBeforeNextStarvationCheck", conf.AtLeast(conf.Durations(time.Millisecond), 0), "10000",
		"How long after that an application is not looked at again.")
	fairAssignMultiple = conf.Declare(Settings, "yarn.scheduler.fair.assignmultiple", conf.Bools, "false",
		"Whether a node may be given several containers at one heartbeat.")
	fairDynamicMaxAssign = conf.Declare(Settings, "yarn.scheduler.fair.dynamic.max.assign", conf.Bools, "true",
		"Whether those are as many as half of its free room takes.")
	fairMaxAssign = conf.Declare(Settings, "yarn.scheduler.fair.max.assign", conf.Ints, "-1",
		"How many they are at most, when it is not by room; no bound below 1.")
	fairLocalityThresholdNode = conf.Declare(Settings, "yarn.scheduler.fair.locality.threshold.node", conf.Floats, "-1",
		"Which part of the nodes must have had no local use for an application before it takes its rack; below 0: none.")
	fairLocalityThresholdRack = conf.Declare(Settings, "yarn.scheduler.fair.locality.threshold.rack", conf.Floats, "-1",
		"Which part of the nodes must have had no local use for an application before it takes any; below 0: none.")
	fairLocalityDelayNode = conf.Declare(Settings, "yarn.scheduler.fair.locality-delay-node-ms", conf.Ints, "-1",
		"How long, with continuous scheduling, an application waits for its node, in milliseconds; below 0: not at all.")
	fairLocalityDelayRack = conf.Declare(Settings, "yarn.scheduler.fair.locality-delay-rack-ms", conf.Ints, "-1",
		"How long, with continuous scheduling, an application waits for its rack, in milliseconds; below 0: not at all.")
	fairReservableNodes = conf.Declare(Settings, "yarn.scheduler.fair.reservable-nodes", conf.Between(conf.Floats, 0, 1), "0.05",
		"Which part of the nodes an application may have kept free for it.")
	fairReservationIncrement = conf.Declare(Settings, "yarn.scheduler.reservation-threshold.increment-multiple", conf.AtLeast(conf.Floats, 0), "2",
		"How large, in increments, a container must be for a node to be kept free for it.")
)
