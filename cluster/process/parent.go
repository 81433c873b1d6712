package process

import (
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/coherer/coherer/rpcenv/parent"
)

// KeepParentAcrossExec lets both ropes to the parent pass through an execve: the descriptor named by COHERER_PARENT_FD
// stays open and, on Linux, the signal for the parent's death is renewed, since it belongs to a thread. So the execve must
// be called by the same goroutine, which stays locked to its thread. [Exec] does both.
func KeepParentAcrossExec() error {
	fd, ok, err := parent.FD()
	if err != nil || !ok {
		return err
	}
	runtime.LockOSThread()
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFD, 0); err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("keep the pipe of the parent open: %w", err)
	}
	if err := dieWithParent(); err != nil {
		runtime.UnlockOSThread()
		return err
	}
	return nil
}

// Exec replaces this process's program by another, with the same number, environment, output and parent. args do not
// contain the program's name. It returns only when that failed.
func Exec(path string, args []string) error {
	abs, err := program(path)
	if err != nil {
		return err
	}
	if err := KeepParentAcrossExec(); err != nil {
		return fmt.Errorf("exec %s: %w", path, err)
	}
	err = unix.Exec(abs, append([]string{abs}, args...), os.Environ())
	// It failed, and this program goes on: the pipe must not leak into the children that it may still start.
	if fd, ok, err := parent.FD(); err == nil && ok {
		unix.CloseOnExec(fd)
		runtime.UnlockOSThread()
	}
	return fmt.Errorf("exec %s: %w", path, explain(err))
}
