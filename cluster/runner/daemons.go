package runner

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"github.com/coherer/coherer/actors/shuffleservice"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// daemon is a process of the run, and its end.
type daemon struct {
	*process.Process
	done chan struct{} // closed when it has ended
	exit rpcenv.Exit
}

// endAll ends processes in good order and waits.
func endAll(all []*daemon) {
	for _, d := range all { // all get the signal before the first is waited for
		d.Kill(grace)
	}
	for _, d := range all {
		<-d.done
	}
}

// start starts a process of the run, whose output goes to a log. ended hears of an end that the run did not cause.
func (r *run) start(name string, spec process.Spec, ended func(code int)) (*daemon, error) {
	if spec.Stderr == (process.Output{}) {
		spec.Stderr = process.Output{Path: filepath.Join(r.dir.Logs(), name+".log")}
	}
	d := &daemon{done: make(chan struct{})}
	var err error
	d.Process, err = r.starter.Start(spec, func(e rpcenv.Exit) {
		d.exit = e
		close(d.done)
		if ended != nil && !r.ending.Load() {
			r.say("%s ended with exit code %d: see %s", name, e.Code, filepath.Join(r.dir.Logs(), name+".log"))
			ended(e.Code)
		}
	})
	return d, err
}

func (r *run) master(ctx context.Context) (*daemon, string, error) {
	d, err := r.start("master", process.Spec{
		Path: r.self, Ready: true,
		Args: append([]string{"master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0", "--conf", "coherer.gossip.port=0"}, r.settings("Master")...),
	}, func(code int) { r.lost(fmt.Errorf("the Master ended with exit code %d", code)) })
	if err != nil {
		return nil, "", err
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	ready, err := d.Ready(ctx)
	r.serves("Master", ready)
	return d, ready.URL, err
}

// workers starts them side by side.
func (r *run) workers(ctx context.Context, master string) ([]*daemon, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	var all []*daemon
	var left atomic.Int64
	left.Store(int64(r.cfg.Workers))
	for i := range r.cfg.Workers {
		n := strconv.Itoa(i + 1)
		d, err := r.start("worker"+n, process.Spec{
			Path: r.self, Ready: true,
			Args: append([]string{
				"worker", master, "--host", "127.0.0.1", "--port", "0", "--webui-port", "0", "--cores", strconv.Itoa(r.cfg.WorkerCores),
				"--memory", strconv.Itoa(r.cfg.WorkerMemoryMB) + "m", "--work-dir", filepath.Join(r.dir.Work(), "worker"+n),
				"--conf", anyShufflePort,
			}, r.settings("Worker"+n)...),
		}, func(int) {
			// The application survives the loss of some: that is what a Master is for.
			if left.Add(-1) == 0 {
				r.lost(errors.New("no Worker is left"))
			}
		})
		if err != nil {
			return all, err
		}
		all = append(all, d)
	}
	for i, d := range all { // only now, when all are on their way
		ready, err := d.Ready(ctx)
		if err != nil {
			return all, err
		}
		r.serves(fmt.Sprint("Worker", i+1), ready)
	}
	return all, nil
}

// serves notes where a daemon serves its pages and its metrics.
func (r *run) serves(name string, ready process.Ready) {
	if ready.UI != "" {
		r.ui[name] = ready.UI
	}
	if ready.Debug != "" {
		r.debug[name] = ready.Debug
	}
}

// anyShufflePort lets several daemons of one machine have a shuffle service each, unless the user's settings, which follow, name a port.
var anyShufflePort = shuffleservice.ShuffleServicePort.Key() + "=0"

// settings are the options by which a daemon gets the run's settings.
func (r *run) settings(name string) []string {
	c, _ := conf.New(r.cfg.Conf, known.All()) // checked by Run
	var args []string
	for _, p := range c.Pairs() {
		args = append(args, "--conf", p.Key+"="+p.Value)
	}
	if r.cfg.Debug != "" {
		args = append(args, "--debug-addr", r.cfg.Debug)
	}
	// The later one wins.
	return append(args, "--conf", rpcenv.TraceDir.Key()+"="+r.dir.Trace(), "--conf", rpcenv.TraceName.Key()+"="+name)
}
