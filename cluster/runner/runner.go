package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/joined"
	"github.com/coherer/coherer/rpcenv/oneline"
	"github.com/coherer/coherer/rpcenv/program"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// Config is a run.
type Config struct {
	// Name is the application's name.
	Name string
	// Program starts the driver: the program's file and its arguments. Main is a folder with a main package to build
	// instead; then Program has the arguments only.
	Program []string
	Main    string
	// Workers, and what each offers.
	Workers, WorkerCores, WorkerMemoryMB int
	// YARN runs the application on a cluster of YARN instead of Workers; nil: it does not.
	YARN *YARN
	// Debug makes each process serve /metrics and /debug/pprof, HOST:0; empty: none does.
	Debug string
	// Conf are the settings of all. The caller shows their warnings.
	Conf map[string]string
	// ConfDir is where the driver finds fairscheduler.xml; "": nowhere.
	ConfDir string
	// Keep pins the run's directory: no later run removes it.
	Keep bool
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
	dir     *runDir
	starter *process.Starter
	self    string
	begin   time.Time
	masters []string
	rm      string            // where the ResourceManager listens
	debug   map[string]string // where the daemons serve their metrics
	ui      map[string]string // where they serve their pages
	ending  atomic.Bool       // the run itself ends its processes now
	lost    func(error)       // the cluster cannot run the application any more
	lacks   []string          // what of the run directory did not fit on the disk, as the user has read
}

// Run runs an application on a cluster of its own and waits for its end. The error is the program's, or why there was no
// cluster. Nothing is left but the run directory.
func Run(ctx context.Context, cfg Config) (err error) {
	if _, err := conf.New(cfg.Conf, known.All()); err != nil {
		return err
	}
	r := &run{cfg: cfg, begin: time.Now(), debug: map[string]string{}, ui: map[string]string{}}
	if _, r.self, err = program.Self(); err != nil {
		return err
	}
	if r.dir, err = newRunDir(cfg.Name, r.begin); err != nil {
		return err
	}
	said, err := r.dir.CleanUp()
	if err != nil {
		said = append(said, err.Error()) // what an earlier run left does not keep this one from running
	}
	for _, line := range said {
		r.say("%s", line)
	}
	// Before Begin: a program that does not compile costs no earlier run its place among the last ones.
	if cfg.Main != "" {
		if err := r.build(ctx); err != nil {
			return errors.Join(err, r.dir.Discard())
		}
	}
	removed, err := r.dir.Begin()
	for _, path := range removed {
		r.say("removed the run %s: the last %d are kept, and those with --keep", path, keep)
	}
	if cfg.Keep {
		err = errors.Join(err, r.dir.Keep())
	}
	if err != nil {
		return errors.Join(fmt.Errorf("where to keep the run: %w: free some space, or set XDG_STATE_HOME to a directory that can be written", err), r.dir.Discard())
	}
	r.starter = process.NewStarter()
	failure := r.cluster(ctx)
	r.ending.Store(true) // the ends that follow are no news
	r.starter.Close()    // before the report: processes that run still record
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
	oneline.Fprintf(r.cfg.Stderr, "  "+format+"\n", args...)
}

// cluster starts the daemons and the driver, waits for the driver, and ends all in good order.
func (r *run) cluster(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.lost = func(err error) { cancel(err) }
	if r.cfg.YARN != nil {
		return r.onYARN(ctx)
	}
	master, url, err := r.master(ctx)
	if err != nil {
		return err
	}
	r.masters = []string{url}
	workers, err := r.workers(ctx, url)
	if err == nil {
		r.say("Master and %d Workers ready in %.2f s", len(workers), time.Since(r.begin).Seconds())
		if err = r.noteDetails(); err == nil {
			err = r.driver(ctx, url)
		}
	}
	r.ending.Store(true)
	// The Workers first, side by side: each reports the ends of its executors to the Master.
	endAll(workers)
	endAll([]*daemon{master})
	return err
}

// noteDetails writes details.json, by which others find the run while it goes on.
func (r *run) noteDetails() error { return r.unlessFull(r.dir.writeDetails(r.details())) }

// unlessFull is err without those of its errors that a full disk caused: the application needs no run directory. The files
// that it lacks are shown, each once.
func (r *run) unlessFull(err error) error {
	var lacks []string
	var why error
	rest := slices.DeleteFunc(joined.Errors(err), func(one error) bool {
		if !record.DiskFull(one) {
			return false
		}
		if name := fileOf(one); !slices.Contains(r.lacks, name) {
			lacks, r.lacks = append(lacks, name), append(r.lacks, name)
			why = one
		}
		return true
	})
	if len(lacks) > 0 {
		for errors.Unwrap(why) != nil { // the operation and the path are in lacks
			why = errors.Unwrap(why)
		}
		r.say("the run directory lacks %s: %v: free some space", strings.Join(lacks, ", "), why)
	}
	return errors.Join(rest...)
}

// fileOf is the file of a run directory that an error is about.
func fileOf(err error) string {
	path := "what does not fit"
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		path = p.Path
	} else if l, ok := errors.AsType[*os.LinkError](err); ok {
		path = l.New
	}
	return strings.TrimPrefix(filepath.Base(path), ".") // .details.json becomes details.json
}

// report writes what is left of the run, and says where it is.
func (r *run) report(good bool) error {
	messages, err := r.dir.Finish(r.details())
	if err = r.unlessFull(err); err != nil {
		return err
	}
	var out io.Writer = r.cfg.Stdout
	if !good {
		out = r.cfg.Stderr
	}
	_, err = fmt.Fprintf(out, "\n%s\nrun directory: %s\n", messages, r.dir.Path())
	return err
}
