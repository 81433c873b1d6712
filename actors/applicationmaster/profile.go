//coherer:pure

package applicationmaster

import (
	"math"

	"github.com/coherer/coherer/actors/applicationmaster/allocator"
	"github.com/coherer/coherer/actors/applicationmaster/amrm"
	"github.com/coherer/coherer/actors/driver/allocation"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv/conf"
)

// profileOf is a resource profile; the settings fill in what it does not say.
func profileOf(c *conf.Conf, p *deploy.ResourceProfile) allocator.Profile {
	size := submit.ExecutorContainer(c, submit.YARNIsPython.Get(c))
	if p.GetId() != allocator.DefaultProfile {
		size = submit.ProfileContainer(c, submit.YARNIsPython.Get(c), int64(p.GetExecutorMemoryMb()), int(p.GetExecutorCores()))
	}
	return allocator.Profile{
		ID: p.GetId(), Container: amrm.Resource{MemoryMB: size.MemoryMB(), VCores: int32(size.Cores)},
		MemoryMB: size.HeapMB, Cores: int32(size.Cores), TasksPerExecutor: max(1, size.Cores/submit.TaskCPUs.Get(c)),
	}
}

// maxExecutorFailures is how many failed executors an application may have.
func maxExecutorFailures(c *conf.Conf) int {
	for _, e := range []*conf.Entry[int]{executorMaxNumFailures, yarnMaxExecutorFailures} {
		if n, set := e.Find(c); set {
			return n
		}
	}
	n := submit.ExecutorInstances.Get(c)
	if submit.DynamicAllocation.Get(c) {
		n = allocation.DynamicAllocationMaxExecutors.Get(c)
	}
	if n > math.MaxInt32/2 { // maxExecutors is the largest Int by default; Spark's doubling stops there, too
		return math.MaxInt32
	}
	return max(3, 2*n)
}

// totalsOf is what a driver wants. Counts below 0 are 0.
func totalsOf(c *conf.Conf, m *app.RequestExecutors) []allocator.Total {
	out := make([]allocator.Total, 0, len(m.GetResourceProfileToTotalExecs()))
	for _, t := range m.GetResourceProfileToTotalExecs() {
		total := allocator.Total{Profile: profileOf(c, t.GetProfile()), Total: int(max(0, t.GetTotal()))}
		// The driver sends each count of a profile as a row of its own.
		for _, aware := range m.GetNumLocalityAwareTasks() {
			if aware.GetResourceProfileId() == total.Profile.ID {
				total.LocalityAware = int(max(0, aware.GetCount()))
			}
		}
		for _, h := range m.GetHostToLocalTaskCount() {
			if h.GetResourceProfileId() == total.Profile.ID && h.GetHost() != "" && h.GetCount() > 0 {
				total.Hosts = append(total.Hosts, allocator.HostCount{Host: h.GetHost(), Tasks: int(h.GetCount())})
			}
		}
		out = append(out, total)
	}
	return out
}
