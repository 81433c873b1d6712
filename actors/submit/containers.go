//coherer:pure

package submit

import (
	"math"

	"github.com/coherer/coherer/rpcenv/conf"
)

// Container is what an application asks YARN for, for one process.
type Container struct {
	// HeapMB is the memory that the process may use by its settings, OverheadMB what its container has beside it.
	HeapMB, OverheadMB int64
	Cores              int
}

// MemoryMB is the memory of the container. What does not fit an int64 is as much as fits.
func (c Container) MemoryMB() int64 { return add(c.HeapMB, c.OverheadMB) }

// The overhead of an application master in client mode, which no setting changes.
const (
	amOverheadFactor = 0.10
	amMinOverheadMB  = 384
)

// AMContainer is the container of the application master: in cluster mode the driver is in it. It mirrors the amMemory of
// org.apache.spark.deploy.yarn.Client.
func AMContainer(c *conf.Conf, mode Mode) Container {
	if mode == Client {
		heap := yarnAMMemory.Get(c)
		return Container{heap, overhead(yarnAMMemoryOverhead, c, heap, amOverheadFactor, amMinOverheadMB), YARNAMCores.Get(c)}
	}
	heap := DriverMemory.Get(c)
	over := overhead(driverMemoryOverhead, c, heap, driverMemoryOverheadFactor.Get(c), driverMinMemoryOverhead.Get(c))
	return Container{heap, over, driverCores.Get(c)}
}

// ExecutorContainer is the container of an executor of the default profile; python is whether Python workers run beside it. It
// mirrors what ResourceProfile.getResourcesForClusterManager adds up.
func ExecutorContainer(c *conf.Conf, python bool) Container { return ProfileContainer(c, python, 0, 0) }

// ProfileContainer is the container of an executor of another profile, with its memory in MiB and its cores; 0 is as in the
// default profile.
func ProfileContainer(c *conf.Conf, python bool, memoryMB int64, cores int) Container {
	heap := ExecutorMemory.Get(c)
	if memoryMB > 0 {
		heap = memoryMB
	}
	over := overhead(executorMemoryOverhead, c, heap, executorMemoryOverheadFactor.Get(c), executorMinMemoryOverhead.Get(c))
	if memoryOffHeapEnabled.Get(c) {
		over = add(over, memoryOffHeapSize.Get(c)>>20)
	}
	if python {
		over = add(over, executorPySparkMemory.Get(c))
	}
	if n, set := ExecutorCores.Find(c); set && cores <= 0 {
		cores = n
	}
	return Container{heap, over, max(1, cores)}
}

// overhead is what is set, else a share of the heap, at least a minimum.
func overhead(set *conf.Entry[int64], c *conf.Conf, heap int64, factor float64, least int64) int64 {
	if mb, ok := set.Find(c); ok {
		return mb
	}
	share := factor * float64(heap)
	if share >= math.MaxInt64 {
		return math.MaxInt64
	}
	return max(int64(share), least)
}

// add adds numbers that are not negative.
func add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
