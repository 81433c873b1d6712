package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// exitDiskStoreFailed is ExecutorExitCode.DISK_STORE_FAILED_TO_CREATE_DIR.
const exitDiskStoreFailed = 53

// makeLocalDirs makes a directory of this executor's own in each of roots; without roots, the process's working directory
// serves. Roots that fail are left out, and named in warnings. It mirrors DiskBlockManager.createLocalDirs.
func makeLocalDirs(roots []string) (dirs, warnings []string, err error) {
	if len(roots) == 0 {
		return []string{"."}, nil, nil
	}
	for _, root := range roots {
		dir, err := os.MkdirTemp(root, "blockmgr-")
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("Failed to create local dir in %s. Ignoring this directory: %v", root, err))
			continue
		}
		dirs = append(dirs, dir)
	}
	if len(dirs) == 0 {
		return nil, warnings, fmt.Errorf("failed to create any local dir: %s", strings.Join(warnings, "; "))
	}
	return dirs, warnings, nil
}

// removeLocalDirs removes what makeLocalDirs made.
func removeLocalDirs(dirs []string) error {
	var errs []error
	for _, dir := range dirs {
		if dir != "." {
			errs = append(errs, os.RemoveAll(dir))
		}
	}
	return errors.Join(errs...)
}

// absolute makes paths absolute.
func absolute(dirs []string) ([]string, error) {
	out := make([]string, len(dirs))
	for i, dir := range dirs {
		var err error
		if out[i], err = filepath.Abs(dir); err != nil {
			return nil, err
		}
	}
	return out, nil
}
