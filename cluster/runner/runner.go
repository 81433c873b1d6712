package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/coherer/coherer/actors/app"
	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/transport"
)

// Config is a run.
type Config struct {
	// Name is the application's name.
	Name string
	// Program starts the driver: the program's file and its arguments. Main is a folder with a main package to build
	// instead; then Program[0] is replaced by what was built.
	Program []string
	Main    string
	// Workers, and what each offers.
	Workers, WorkerCores, WorkerMemoryMB int
	// Debug makes each process serve /metrics and /debug/pprof, HOST:0; empty: none does.
	Debug string
	// Conf are the settings of all.
	Conf map[string]string
	// Stdout gets what the program prints, and the table of messages; Stderr the progress.
	Stdout, Stderr *os.File
}

const (
	// startTime is how long the daemons may take to be ready.
	startTime = 30 * time.Second
	// grace is how long a process may take to end before it is killed.
	grace = 15 * time.Second
)

// run is a run under way.
type run struct {
	cfg     Config
	dir     *Dir
	starter *process.Starter
	self    string
	begin   time.Time
	masters []string
	debug   map[string]string // where the daemons serve their metrics
	ui      map[string]string // where they serve their pages
	ending  atomic.Bool       // what ends now, the run ends
	lost    func(error)       // the cluster cannot run the application any more
}

// Run runs an application on a cluster of its own and waits for its end. The error is the program's, or why there was no
// cluster. Nothing is left but the run directory.
func Run(ctx context.Context, cfg Config) (err error) {
	if _, err := conf.New(cfg.Conf); err != nil {
		return err
	}
	r := &run{cfg: cfg, begin: time.Now(), debug: map[string]string{}, ui: map[string]string{}}
	if _, r.self, err = transport.SelfDigest(); err != nil {
		return err
	}
	if r.dir, err = NewDir(cfg.Name, r.begin); err != nil {
		return err
	}
	if cfg.Main != "" {
		if err := r.build(ctx); err != nil {
			return errors.Join(err, r.dir.Discard())
		}
	}
	if err := r.dir.Begin(); err != nil {
		return errors.Join(err, r.dir.Discard())
	}
	r.starter = process.NewStarter()
	failure := r.cluster(ctx)
	r.ending.Store(true)
	r.starter.Close()
	return errors.Join(failure, r.report(failure == nil))
}

// build builds the user's main package.
func (r *run) build(ctx context.Context) error {
	r.say("building %s", r.cfg.Main)
	out := filepath.Join(r.dir.Work(), "program")
	if err := process.BuildMain(ctx, r.cfg.Main, out); err != nil {
		return err
	}
	r.cfg.Program = append([]string{out}, r.cfg.Program...)
	return nil
}

func (r *run) say(format string, args ...any) {
	fmt.Fprintf(r.cfg.Stderr, "  "+format+"\n", args...)
}

// cluster starts the daemons and the driver, waits for the driver, and ends all in good order.
func (r *run) cluster(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.lost = func(err error) { cancel(err) }
	master, url, err := r.master(ctx)
	if err != nil {
		return err
	}
	r.masters = []string{url}
	workers, err := r.workers(ctx, url)
	if err == nil {
		r.say("Master and %d Workers ready in %.2f s", len(workers), time.Since(r.begin).Seconds())
		if err = r.dir.writeDetails(r.details()); err == nil {
			err = r.driver(ctx, url)
		}
	}
	r.ending.Store(true)
	// The Workers first, side by side: their last words go to the Master.
	endAll(workers)
	endAll([]*daemon{master})
	return err
}

// daemon is a process of the run, and its end.
type daemon struct {
	*process.Process
	done chan struct{} // closed when it has ended
	exit rpcenv.Exit
}

// endAll ends processes in good order and waits.
func endAll(all []*daemon) {
	for _, d := range all {
		d.Kill(grace)
	}
	for _, d := range all {
		<-d.done
	}
}

// start starts a process of the run, whose output goes to a log. ended is told of an end that the run did not bring about.
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
			}, r.settings("Worker"+n)...),
		}, func(int) {
			if left.Add(-1) == 0 {
				r.lost(errors.New("no Worker is left"))
			}
		})
		if err != nil {
			return all, err
		}
		all = append(all, d)
	}
	for i, d := range all {
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

// settings are the options by which a daemon gets the run's settings.
func (r *run) settings(name string) []string {
	c, _ := conf.New(r.cfg.Conf) // checked by Run
	var args []string
	for _, p := range c.Pairs() {
		args = append(args, "--conf", p.Key+"="+p.Value)
	}
	if r.cfg.Debug != "" {
		args = append(args, "--debug-addr", r.cfg.Debug)
	}
	// The later one wins.
	return append(args, "--conf", conf.TraceDir.Key()+"="+r.dir.Trace(), "--conf", conf.TraceName.Key()+"="+name)
}

// driver runs the application's program and waits for its end.
func (r *run) driver(ctx context.Context, master string) error {
	settings := maps.Clone(r.cfg.Conf)
	if settings == nil {
		settings = map[string]string{}
	}
	r.waitForExecutors(settings)
	if r.cfg.Debug != "" {
		settings[conf.DebugAddr.Key()] = r.cfg.Debug
	}
	settings[conf.MasterURL.Key()], settings[conf.TraceDir.Key()] = master, r.dir.Trace()
	spec, err := driverSpec(r.cfg.Program, app.Submission{
		Name: r.cfg.Name, Conf: settings, Progress: true, Trace: filepath.Join(r.dir.Trace(), "Driver.trace"),
	}, r.cfg.Stdout, r.cfg.Stderr)
	if err != nil {
		return err
	}
	d, err := r.start("driver", spec, nil)
	if err != nil {
		return err
	}
	return d.wait(ctx)
}

// waitForExecutors makes the application wait, for a moment, for all executors of the cluster, unless the user says
// otherwise: else a short job is over before the second one is there.
func (r *run) waitForExecutors(settings map[string]string) {
	if _, set := settings[conf.SchedulerMinRegisteredResourcesRatio.Key()]; set {
		return
	}
	for key, value := range map[string]string{
		conf.CoresMax.Key(): strconv.Itoa(r.cfg.Workers * r.cfg.WorkerCores), conf.SchedulerMinRegisteredResourcesRatio.Key(): "1",
		conf.SchedulerMaxRegisteredResourcesWaitingTime.Key(): "5s",
	} {
		if _, set := settings[key]; !set {
			settings[key] = value
		}
	}
}

// ProgramError is the end of the application's program with an exit code that is not 0. The program has said why.
type ProgramError struct {
	Code int
	Err  error
}

func (e *ProgramError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("the application: %v", e.Err)
	}
	if e.Killed() {
		return fmt.Sprintf("the application was ended by signal %d", e.Code-signalled)
	}
	return fmt.Sprintf("the application ended with exit code %d", e.Code)
}

// signalled is what a shell adds to the number of the signal that ended a process.
const signalled = 128

// Killed reports whether a signal ended the program, so that it could not say why.
func (e *ProgramError) Killed() bool { return e.Code > signalled }

// report writes what is left of the run, and says where it is.
func (r *run) report(good bool) error {
	messages, err := r.dir.Finish(r.details())
	if err != nil {
		return err
	}
	var out io.Writer = r.cfg.Stdout
	if !good {
		out = r.cfg.Stderr
	}
	_, err = fmt.Fprintf(out, "\n%s\nrun directory: %s\n", messages, r.dir.Path())
	return err
}
