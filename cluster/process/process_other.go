//go:build !linux

package process

import "syscall"

// childAttr makes a child the leader of its own group.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

// awaitEnd leaves the waiting to the Wait that reaps.
func awaitEnd(int) (unreaped bool) { return false }

// dieWithParent does nothing: there is only the pipe.
func dieWithParent() error { return nil }
