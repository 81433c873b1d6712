package process

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// remedies say what to do about errors of the operating system.
var remedies = []struct {
	errno  syscall.Errno
	remedy string
}{
	{syscall.ENOSPC, "the disk is full: free some space or choose another directory"},
	{syscall.EDQUOT, "the quota is used up: free some space or choose another directory"},
	{syscall.EROFS, "the file system is read-only: choose another directory"},
	{syscall.ENOEXEC, "it is no program for this machine: build it for this system and processor"},
	{syscall.EMFILE, "this process has too many open files: raise ulimit -n"},
	{syscall.ENFILE, "this machine has too many open files"},
	{syscall.EAGAIN, "this user has too many processes: raise ulimit -u or start fewer"},
	{syscall.ENOMEM, "the machine is out of memory: start fewer processes"},
	{syscall.E2BIG, "the arguments and the environment are too long"},
	{syscall.ETXTBSY, "another process is writing the program: wait until it is done"},
	{syscall.ENAMETOOLONG, "the path is too long: choose a shorter directory"},
	{syscall.ENOTDIR, "a part of the path is a file and no directory"},
}

// explain adds to an error of the operating system what to do.
func explain(err error) error {
	for _, r := range remedies {
		if errors.Is(err, r.errno) {
			return fmt.Errorf("%w: %s", err, r.remedy)
		}
	}
	if errors.Is(err, os.ErrPermission) {
		return fmt.Errorf("%w: user %d may not: change its owner or mode, or choose another place", err, os.Getuid())
	}
	return err
}
