//go:build !linux

package machine

import (
	"errors"
	"fmt"
)

// Usage is the memory of a process and of all that it started; it is known on Linux alone.
func Usage(pid int) (Memory, error) {
	return Memory{}, fmt.Errorf("the memory of process %d: %w", pid, errors.ErrUnsupported)
}
