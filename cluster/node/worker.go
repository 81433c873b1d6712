package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/actors/shuffleservice"
	"github.com/coherer/coherer/actors/worker"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/machine"
	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/cluster/web/spark"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// WorkerOptions are those of a Worker.
type WorkerOptions struct {
	Options
	// Masters are those named; none: membership finds them.
	Masters []rpcenv.Address
	// Cores and MemoryMB are what the Worker offers.
	Cores, MemoryMB int
	// WorkDir is the directory that holds those of executors.
	WorkDir string
	// LocalDirs are where executors keep blocks; empty: those of spark.local.dir, else in WorkDir.
	LocalDirs []string
	// Decommission makes the Worker, at each value, take no more executors. It may be nil.
	Decommission <-chan os.Signal
	// Launched hears of each executor's process when it has started; ended gets its end. It may be nil.
	Launched func(a executor.Args, pid int, ended <-chan rpcenv.Exit)
}

// RunWorker runs a Worker until ctx ends, or it ends itself: then the error is an *ExitError. The executors it started end
// with it.
func RunWorker(ctx context.Context, opts WorkerOptions) (err error) {
	if len(opts.LocalDirs) == 0 {
		opts.LocalDirs = known.LocalDir.Get(opts.Conf)
	}
	if opts.WorkDir, err = makeWorkDir(opts.WorkDir, opts.LocalDirs); err != nil {
		return err
	}
	dirs := newDirectories(opts.WorkDir, opts.LocalDirs, opts.Log)
	defer func() { err = errors.Join(err, dirs.close()) }() // last: until then executors may write
	outputs, err := opts.shuffleOutputs()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, outputs.Close()) }() // after the executors have ended
	resources, err := machine.Resources(ctx, opts.Conf)
	if err != nil {
		return err
	}
	// Closed after the daemon: the Starter ends the executors that the endpoint has left.
	starter := process.NewStarter()
	defer starter.Close()
	d, err := newDaemon(opts.Options, launcher{starter, opts.MemoryMB, opts.Conf, opts.Log, opts.Launched}.start)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	cfg := worker.Config{
		Masters: opts.Masters, Cores: opts.Cores, MemoryMB: opts.MemoryMB, WorkDir: opts.WorkDir, Directories: dirs, Resources: resources,
		Programs:   newPrograms(),
		Membership: len(opts.Join) > 0,
	}
	if outputs != nil { // a nil pointer is no nil interface
		cfg.ShuffleOutputs = outputs
	}
	pages, err := d.bindPages("WorkerUI", "--webui-port")
	if err != nil {
		return err
	}
	cfg.WebUIURL = d.faces.url
	if err := d.listen(func(env rpcenv.Config) (*Node, error) { return Worker(d.process.Host, env, cfg) }); err != nil {
		return err
	}
	if pages != nil {
		d.serve(pages, spark.WorkerPages(d.site(), opts.WorkDir))
	}
	d.vitals = vitalsOf(d, &deploy.RequestWorkerState{}, workerVitals)
	if err := d.join(ctx, false, opts.Masters...); err != nil {
		return d.because(err)
	}
	if err := d.ready(); err != nil {
		return err
	}
	defer d.watchDecommission(opts.Decommission)()
	if err := d.wait(ctx); err != nil {
		return err
	}
	// ctx has ended. While the Env still runs the Worker ends its executors, and the Master hears how each ended.
	ending, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	b := d.node.Env.Blocking(ending)
	defer b.Close()
	if _, err := rpcenv.AskWait(b, d.node.Ref, worker.Shutdown{}); err != nil {
		opts.Log.Warnf("the executors' last words were not all heard: %v", err)
	}
	return nil
}

// shuffleOutputs are what the Worker's shuffle service serves; nil without one.
func (o *WorkerOptions) shuffleOutputs() (*shuffleOutputs, error) {
	if !shuffleservice.ShuffleServiceEnabled.Get(o.Conf) {
		return nil, nil
	}
	if len(o.LocalDirs) > 0 {
		return o.serveShuffle(o.LocalDirs)
	}
	return o.serveShuffle([]string{o.WorkDir})
}

// watchDecommission makes messages to the Worker of signals, until the function that it returns is called.
func (d *daemon) watchDecommission(signals <-chan os.Signal) (stop func()) {
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			select {
			case <-signals:
				_ = d.node.Env.Send(d.node.Ref, worker.WorkerDecommissionSigReceived{}) // it fails only for values that are no messages
			case <-done:
				return
			}
		}
	})
	return func() {
		close(done)
		watching.Wait()
	}
}

// makeWorkDir makes the work directory and tries whether it can be written. Without roots the blocks of executors lie in it.
func makeWorkDir(dir string, roots []string) (string, error) {
	const remedy = "name another with --work-dir or SPARK_WORKER_DIR"
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	const separator = string(filepath.ListSeparator) // executors get the directories of their blocks as in PATH
	for _, root := range roots {
		if strings.Contains(root, separator) {
			return "", fmt.Errorf("local directory %s: it must not contain %q: name another with %s or SPARK_LOCAL_DIRS", root, separator, known.LocalDir.Key())
		}
	}
	if len(roots) == 0 && strings.Contains(dir, separator) {
		return "", fmt.Errorf("work directory %s: it must not contain %q: %s, or set %s", dir, separator, remedy, known.LocalDir.Key())
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("work directory: %w: %s", err, remedy)
	}
	// A write shows at the start what otherwise the first executor would run into: a full disk, say.
	probe, err := os.CreateTemp(dir, ".try-*")
	if err != nil {
		return "", fmt.Errorf("work directory %s cannot be written: %w: %s", dir, err, remedy)
	}
	_, err = probe.WriteString("Is there room?")
	if err := errors.Join(err, probe.Close(), os.Remove(probe.Name())); err != nil {
		return "", fmt.Errorf("work directory %s cannot be written: %w: free some space, or %s", dir, err, remedy)
	}
	return dir, nil
}

// shutdownTime is how long an ending Worker waits for its executors to end and for the Master to hear of it.
const shutdownTime = 3 * time.Second
