package driver

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/coherer/coherer/actors/driver/pools"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/rpcenv/conf"
)

// defaultAllocations is the file of pools in the directory of settings. It is FairSchedulableBuilder.DEFAULT_SCHEDULER_FILE.
const defaultAllocations = "fairscheduler.xml"

// allocations reads spark.scheduler.allocation.file. A file that is not there is an error in either mode: its name is a mistake. Without
// the setting, mode FAIR has the pools of fairscheduler.xml in dir, if that file exists. Without either it returns nil. Start calls it, so
// that no handler reads a file.
func allocations(c *conf.Conf, files rdd.FS, dir string) (*pools.Allocations, error) {
	path, set := SchedulerAllocationFile.Find(c)
	if !set {
		if dir == "" || SchedulerMode.Get(c) != "FAIR" {
			return nil, nil
		}
		a, err := readAllocations(filepath.Join(dir, defaultAllocations), files)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return a, err
	}
	a, err := readAllocations(path, files)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w: name a file that is there, or remove the setting", SchedulerAllocationFile.Key(), err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", SchedulerAllocationFile.Key(), err)
	}
	return a, nil
}

func readAllocations(path string, files rdd.FS) (*pools.Allocations, error) {
	if files == nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("this driver has no file system")}
	}
	f, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// One byte more than is allowed, so that Parse refuses a larger file.
	content := make([]byte, min(f.Size(), pools.MaxFile+1))
	if _, err := f.ReadAt(content, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return pools.Parse(path, content)
}
