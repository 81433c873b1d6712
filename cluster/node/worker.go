package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/coherer/coherer/actors/worker"
	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/rpcenv"
)

// WorkerOptions are what a Worker is told.
type WorkerOptions struct {
	Options
	// Masters are those named; none: membership finds them.
	Masters []rpcenv.Address
	// Cores and MemoryMB are what the Worker offers.
	Cores, MemoryMB int
	// WorkDir is under which executors have their directories.
	WorkDir string
}

// RunWorker runs a Worker until ctx ends, or it ends itself: then the error is an *ExitError. The executors it started end
// with it.
func RunWorker(ctx context.Context, opts WorkerOptions) (err error) {
	if opts.WorkDir, err = filepath.Abs(opts.WorkDir); err != nil {
		return err
	}
	if err := os.MkdirAll(opts.WorkDir, 0o700); err != nil {
		return fmt.Errorf("work directory: %w: name another with --work-dir", err)
	}
	starter := process.NewStarter()
	defer starter.Close()
	d, err := newDaemon(opts.Options, launcher{starter, opts.MemoryMB}.start)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	cfg := worker.Config{
		Masters: opts.Masters, Cores: opts.Cores, MemoryMB: opts.MemoryMB, WorkDir: opts.WorkDir, Directories: directories{opts.WorkDir},
		Membership: len(opts.Join) > 0,
	}
	if err := d.listen(func(env rpcenv.Config) (*Node, error) { return Worker(d.host, env, cfg) }); err != nil {
		return err
	}
	if len(opts.Join) > 0 {
		if err := d.join(ctx); err != nil {
			return err
		}
	}
	if err := d.ready(); err != nil {
		return err
	}
	if err := d.wait(ctx); err != nil {
		return err
	}
	ending, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	b := d.node.Env.Blocking(ending)
	defer b.Close()
	if _, err := rpcenv.AskWait(b, d.node.Ref, worker.Shutdown{}); err != nil {
		opts.Log.Warnf("the executors' last words were not all heard: %v", err)
	}
	return nil
}

// shutdownTime is how long a Worker that is told to end waits for its executors to end and for the Master to hear of it.
const shutdownTime = 3 * time.Second

// directories are those of applications under a work directory.
type directories struct{ work string }

// Remove removes what an application had on this machine, its map outputs and its program, but the output of its executors,
// stdout and stderr, which people read afterwards.
func (d directories) Remove(_ *rpcenv.Blocking, app string) error {
	root := filepath.Join(d.work, app)
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == "stdout" || e.Name() == "stderr" {
			return err
		}
		return os.Remove(path)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
