//coherer:pure

package allocator

import (
	"fmt"

	"github.com/coherer/coherer/actors/hadoop/exitstatus"
)

// Completed is a container that ended.
type Completed struct {
	ContainerID string
	ExitStatus  int
	Diagnostics string
}

// Reason is why an executor ended. It mirrors org.apache.spark.scheduler.ExecutorExited.
type Reason struct {
	ExitStatus  int
	CausedByApp bool
	Message     string
}

// verdict is a Reason, and whether it counts as a failure of an executor.
type verdict struct {
	Reason
	counts bool
}

// classify says what a container's end means. stopping: the driver said that the application is over.
func classify(c Completed, host string, stopping bool) verdict {
	on := ""
	if host != "" {
		on = " on host: " + host
	}
	v := verdict{Reason: Reason{ExitStatus: c.ExitStatus}}
	switch {
	case stopping:
		// The driver ends its executors now: an exit code says nothing about the application.
		v.Message = fmt.Sprintf("Executor for container %s exited after Application shutdown.", c.ContainerID)
	case c.ExitStatus == exitstatus.Success:
		v.Message = fmt.Sprintf("Executor for container %s exited because of a YARN event (e.g., preemption) and not because of an error in the running job.", c.ContainerID)
	case c.ExitStatus == exitstatus.Preempted:
		v.Message = fmt.Sprintf("Container %s%s was preempted.", c.ContainerID, on)
	case c.ExitStatus == exitstatus.KilledExceededVMem:
		v.CausedByApp = true
		v.Message = fmt.Sprintf("Container killed by YARN for exceeding virtual memory limits: %s. Raise spark.executor.memoryOverhead, or yarn.nodemanager.vmem-pmem-ratio, or set yarn.nodemanager.vmem-check-enabled=false.", c.Diagnostics)
	case c.ExitStatus == exitstatus.KilledExceededPMem:
		v.CausedByApp = true
		v.Message = fmt.Sprintf("Container killed by YARN for exceeding physical memory limits: %s. Raise spark.executor.memoryOverhead.", c.Diagnostics)
	case notOfTheApp(c.ExitStatus):
		v.Message = fmt.Sprintf("Container marked as failed: %s%s. Exit status: %d. Diagnostics: %s.", c.ContainerID, on, c.ExitStatus, c.Diagnostics)
	default:
		// The process ended by itself: only such ends count towards spark.executor.maxNumFailures.
		v.CausedByApp, v.counts = true, true
		v.Message = fmt.Sprintf("Container from a bad node: %s%s. Exit status: %d. Diagnostics: %s.", c.ContainerID, on, c.ExitStatus, c.Diagnostics)
	}
	return v
}

// notOfTheApp are ends that neither the application nor the node is to blame for
// (YarnAllocator.NOT_APP_AND_SYSTEM_FAULT_EXIT_STATUS).
func notOfTheApp(status int) bool {
	switch status {
	case exitstatus.KilledByResourceManager, exitstatus.KilledByAppMaster, exitstatus.KilledAfterAppCompletion, exitstatus.Aborted, exitstatus.DisksFailed:
		return true
	}
	return false
}

// requested is the reason of a container that was released.
func requested(c Completed) Reason {
	return Reason{
		ExitStatus: c.ExitStatus,
		Message:    fmt.Sprintf("Container %s exited from explicit termination request.", c.ContainerID),
	}
}
