//go:build unix

package wire

import "syscall"

// WriteFD writes to a descriptor that does not block.
func WriteFD(fd uintptr, b []byte) (int, error) { return syscall.Write(int(fd), b) }

// readFD reads from a descriptor that does not block.
func readFD(fd uintptr, b []byte) (int, error) { return syscall.Read(int(fd), b) }
