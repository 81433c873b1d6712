package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// Usage is the memory of a process and of all that it started; nothing when it has ended.
func Usage(pid int) (Memory, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return Memory{}, fmt.Errorf("the memory of process %d: %w", pid, err)
	}
	var all []stat
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		text, err := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if err != nil {
			continue // it has ended meanwhile
		}
		s, err := parseStat(text)
		if err != nil {
			return Memory{}, err
		}
		all = append(all, s)
	}
	return sum(all, pid, int64(os.Getpagesize())), nil
}
