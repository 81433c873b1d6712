package nodemanager

import (
	"fmt"
	"math"

	"github.com/coherer/coherer/actors/hadoop/exitstatus"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// watchesMemory reports whether the node's own watch ends containers: as in Hadoop 3 not while control groups are to enforce
// memory, which they are unless yarn.nodemanager.resource.memory.enforced is false.
func watchesMemory(c *conf.Conf) bool {
	return !nodeManagerMemoryEnforced.Get(c) && (nodeManagerPmemCheck.Get(c) || nodeManagerVmemCheck.Get(c))
}

// monitorContainers looks at the memory of all that run. It mirrors ContainersMonitorImpl.MonitoringThread.
func (n *ContainerManager) monitorContainers(c *rpcenv.Context) {
	watch := n.cfg.Machine
	for _, x := range n.books.containers {
		if x.process == nil || x.process.PID() == 0 {
			continue
		}
		pid := x.process.PID()
		rpcenv.Run(c, "monitor", func(b *rpcenv.Blocking) (Usage, error) {
			return watch.Usage(b, pid)
		}, func(u Usage, err error) {
			switch {
			case err != nil:
				c.Log().WithError(err).Warnf("The memory of container %s cannot be seen", x.id)
			case x.process != nil && x.process.PID() == pid: // else it ended, or was started again, meanwhile
				n.judgeMemory(c, x, pid, u)
			}
		})
	}
}

// judgeMemory ends a container that uses more than twice its memory, or more than it in two looks in a row.
func (n *ContainerManager) judgeMemory(c *rpcenv.Context, x *container, pid int, u Usage) {
	pmem := x.token.GetResource().GetMemory() << 20
	vmem := int64(float64(pmem) * nodeManagerVmemRatio.Get(c.Conf()))
	overP := nodeManagerPmemCheck.Get(c.Conf()) && u.Resident > pmem
	overV := nodeManagerVmemCheck.Get(c.Conf()) && u.Virtual > vmem
	if !overP && !overV {
		x.over = 0
		return
	}
	x.over++
	twice := overP && u.Resident > 2*pmem || overV && u.Virtual > 2*vmem
	// A fork has its parent's memory for a moment, so one look proves little unless the use is twice the limit.
	if x.over < 2 && !twice {
		return
	}
	kind, beyond, status := "VIRTUAL", u.Virtual-vmem, int32(exitstatus.KilledExceededVMem)
	if !overV {
		kind, beyond, status = "PHYSICAL", u.Resident-pmem, exitstatus.KilledExceededPMem
	}
	text := fmt.Sprintf("Container [pid=%d,containerID=%s] is running %dB beyond the '%s' memory limit. "+
		"Current usage: %s of %s physical memory used; %s of %s virtual memory used. Killing container.\n",
		pid, x.id, beyond, kind, binarySize(u.Resident), binarySize(pmem), binarySize(u.Virtual), binarySize(vmem))
	c.Log().Warn(text)
	n.killContainer(c, x, status, text)
}

// binarySize is a number of bytes as Hadoop's StringUtils.TraditionalBinaryPrefix writes it: 322.7 MB, 256 MB.
func binarySize(n int64) string {
	units := "KMGTPE"
	unit, value := -1, float64(n)
	for value >= 1024 { // at most E: no int64 is larger
		value /= 1024
		unit++
	}
	switch {
	case unit < 0:
		return fmt.Sprintf("%d B", n)
	case value == math.Trunc(value):
		return fmt.Sprintf("%.0f %cB", value, units[unit])
	case math.Round(value*10)/10 >= 1024:
		return fmt.Sprintf("%.1f %cB", value/1024, units[unit+1])
	}
	return fmt.Sprintf("%.1f %cB", value, units[unit])
}
