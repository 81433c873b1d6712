package driver

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/coherer/coherer/actors/driver/pools"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/rpcenv/conf"
)

// allocations reads spark.scheduler.allocation.file; nil when it is not set. A file that is not there is an error in either mode:
// its name is a mistake. Start calls it, so that no handler reads a file.
func allocations(c *conf.Conf, files rdd.FS) (*pools.Allocations, error) {
	path, set := SchedulerAllocationFile.Find(c)
	if !set {
		return nil, nil
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
