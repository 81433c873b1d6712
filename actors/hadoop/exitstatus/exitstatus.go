//coherer:pure

// Package exitstatus has the exit statuses of containers that are no exit code of a process: what YARN says of a container
// that it ended itself, or that never ran. It mirrors org.apache.hadoop.yarn.api.records.ContainerExitStatus.
package exitstatus

// The statuses, by Hadoop's names.
const (
	// Success is a process's own 0.
	Success = 0
	// Invalid: the container has not ended, or its resources could not be fetched.
	Invalid = -1000
	// Aborted: released, lost with its node, not used in time, or its application has ended.
	Aborted = -100
	// DisksFailed: no directory of its node is usable.
	DisksFailed = -101
	// Preempted: the scheduler took it for others.
	Preempted = -102
	// KilledExceededVMem and KilledExceededPMem: it used more virtual, or physical, memory than it has.
	KilledExceededVMem = -103
	KilledExceededPMem = -104
	// KilledByAppMaster: its ApplicationMaster stopped it.
	KilledByAppMaster = -105
	// KilledByResourceManager: the ResourceManager asked its node to end it.
	KilledByResourceManager = -106
	// KilledAfterAppCompletion: its application ended while it ran.
	KilledAfterAppCompletion = -107
	// KilledByContainerScheduler: its node took it for others. No node here does.
	KilledByContainerScheduler = -108
)
