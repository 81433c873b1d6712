package machine

import (
	"runtime"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// Cores is how many cores a Worker offers without a setting: all that this process may use, by its affinity and the limit of
// its container. The variable GOMAXPROCS stands in for both, as -XX:ActiveProcessorCount does in Java.
func Cores() int { return runtime.GOMAXPROCS(0) }

// What a Worker leaves to the system, and the least it offers, in MiB.
const (
	reservedMB = 1024
	leastMB    = 512
)

// MemoryMB is how much memory a Worker offers without a setting, in MiB: that of the machine, or of its container, less 1 GiB,
// but 512 MiB at least.
func MemoryMB() int {
	return offered(memlimit.FromSystem, memlimit.FromCgroup)
}

// offered is the rest of the least of several totals, which are in bytes; unknown ones do not count.
func offered(totals ...func() (uint64, error)) int {
	least := uint64(0)
	for _, total := range totals {
		if n, err := total(); err == nil && n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return max(int(least>>20)-reservedMB, leastMB)
}
