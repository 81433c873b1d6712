package flows

import (
	"fmt"
	"syscall"
)

// spareFiles is how many files a process has open besides those of its peers.
const spareFiles = 64

// checkFiles fails when this process may not open as many files as its peers need, each so many.
func checkFiles(n int, peers string, each int) error {
	var limit syscall.Rlimit
	// The Go runtime has raised the soft limit to the hard one by now.
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return fmt.Errorf("limit of open files: %w", err)
	}
	need := uint64(n*each + spareFiles)
	if need > limit.Cur {
		return fmt.Errorf("%d %s need %d open files, and this process may have %d: raise the limit (ulimit -n), or want fewer pairs",
			n, peers, need, limit.Cur)
	}
	return nil
}
