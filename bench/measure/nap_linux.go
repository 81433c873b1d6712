package measure

import (
	"syscall"
	"time"
)

// nap sleeps in the kernel: the timers of the Go runtime come some 800 µs late in a process that has nothing else to do, this sleep 70, which
// would be all that a rate's latency shows.
func nap(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&t, nil) // a signal may end it early: the pacer looks at the clock anyway
}
