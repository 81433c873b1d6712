//go:build !unix

package wire

import "syscall"

// WriteFD writes nothing on this system: the caller leaves all to a goroutine that may wait.
func WriteFD(uintptr, []byte) (int, error) { return 0, syscall.EAGAIN }

// readFD reads from a descriptor that does not block.
func readFD(fd uintptr, b []byte) (int, error) { return syscall.Read(syscall.Handle(fd), b) }
