package measure

import (
	"runtime"
	"syscall"
	"time"
)

// Usage is what a process has used.
type Usage struct {
	// Mallocs is how many objects it has allocated.
	Mallocs uint64 `json:"mallocs"`
	// CPU is the time that its threads have run, in the kernel too. On a machine that others use as well it says more than the
	// time that has passed.
	CPU time.Duration `json:"cpu_ns"`
}

// used is what this process has used so far.
func used() Usage {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r) // fails only for another first argument
	return Usage{m.Mallocs, time.Duration(r.Utime.Nano() + r.Stime.Nano())}
}

func (u Usage) since(before Usage) Usage {
	return Usage{u.Mallocs - before.Mallocs, u.CPU - before.CPU}
}

// Plus is the usage of two processes.
func (u Usage) Plus(other Usage) Usage { return Usage{u.Mallocs + other.Mallocs, u.CPU + other.CPU} }
