package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/trace/record"
	"github.com/coherer/coherer/rpcenv/trace/show"
)

// keep is how many run directories are kept.
const keep = 20

// runDir is the directory of a run.
type runDir struct {
	path string
	lock *os.File // see hold
}

// runsRoot is where run directories lie: $XDG_STATE_HOME/coherer/runs, or under ~/.local/state.
func runsRoot() (string, error) {
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) { // the XDG specification: a relative one is invalid
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("where to keep the run: %w: set XDG_STATE_HOME", err)
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Abs(filepath.Join(state, "coherer", "runs")) // HOME may be relative, and executors have other working directories
}

// newRunDir makes the directory of a run: TIME-NAME, with -2 and so on when there is one of that second.
func newRunDir(name string, at time.Time) (*runDir, error) {
	root, err := runsRoot()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, fmt.Errorf("where to keep the run: %w: set XDG_STATE_HOME to a directory that can be written", err)
	}
	base := at.Format("20060102-150405") + "-" + plain(name)
	path := filepath.Join(root, base)
	for n := 2; ; n++ {
		err := os.Mkdir(path, 0o755)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("where to keep the run: %w", err)
		}
		path = filepath.Join(root, fmt.Sprintf("%s-%d", base, n))
	}
	d := &runDir{path: path}
	// Locked before there is any work: the CleanUp of another run removes work whose lock nobody holds.
	if err := d.hold(); err != nil {
		return nil, err
	}
	for _, sub := range []string{d.Trace(), d.Logs(), d.Work()} {
		if err := os.Mkdir(sub, 0o755); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// Begin makes the link latest point to the run, and removes the oldest beyond twenty, whose paths it returns. The run's pid
// says that it goes on.
func (d *runDir) Begin() (removed []string, err error) {
	root, name := filepath.Split(d.path)
	removed, pruned := prune(root, name)
	return removed, errors.Join(d.write(pidFile, fmt.Appendln(nil, os.Getpid())), link(root, name), pruned)
}

// Keep pins the run: no later one removes it, and it does not count among the twenty.
func (d *runDir) Keep() error { return d.write(keepFile, nil) }

// keepFile marks a run that is pinned.
const keepFile = "keep"

// pidFile has the pid of a run under way.
const pidFile = "pid"

// plain is a name that can be part of a file's.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
}

// link points latest to a run, at once.
func link(root, to string) error {
	// A link cannot be changed in place; a rename replaces it, and a reader always finds one.
	next := filepath.Join(root, fmt.Sprintf(".latest-%d", os.Getpid()))
	if err := os.Symlink(to, next); err != nil {
		return err
	}
	return os.Rename(next, filepath.Join(root, "latest"))
}

// prune removes the oldest runs, never the one that begins nor one that is pinned.
func prune(root, but string) (removed []string, err error) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, err
	}
	var runs []string
	for _, e := range entries {
		if d, err := ReadDetails(filepath.Join(root, e.Name())); err != nil || d.End == nil {
			continue // it is under way, or was killed: then its owner may want to look at it
		}
		if _, err := os.Stat(filepath.Join(root, e.Name(), keepFile)); err == nil {
			continue
		}
		if e.IsDir() && e.Name() != but && e.Name() != "" && e.Name()[0] >= '0' && e.Name()[0] <= '9' {
			runs = append(runs, e.Name())
		}
	}
	slices.Sort(runs) // their names begin with the time
	var errs []error
	for len(runs) > keep-1 { // one more begins now
		path := filepath.Join(root, runs[0])
		removed, errs = append(removed, path), append(errs, os.RemoveAll(path))
		runs = runs[1:]
	}
	return removed, errors.Join(errs...)
}

// Path is the directory.
func (d *runDir) Path() string { return d.path }

// Trace is where the processes record.
func (d *runDir) Trace() string { return filepath.Join(d.path, "trace") }

// Logs is where their output goes.
func (d *runDir) Logs() string { return filepath.Join(d.path, "logs") }

// Work is the directory that is removed at the end.
func (d *runDir) Work() string { return filepath.Join(d.path, "work") }

// Discard removes the directory of a run that did not begin.
func (d *runDir) Discard() error { return errors.Join(os.RemoveAll(d.path), d.lock.Close()) }

// Details is what details.json says of a run. It is written when the cluster is ready, and again at the end.
type Details struct {
	Version string    `json:"version"`
	Start   time.Time `json:"start"`
	// End is when the run ended; none: it goes on, or was killed.
	End     *time.Time `json:"end,omitempty"`
	Name    string     `json:"name"`
	Masters []string   `json:"masters"`
	// ResourceManager is where it listens, HOST:PORT, of a run on YARN.
	ResourceManager string `json:"resourceManager,omitempty"`
	Workers         int    `json:"workers"`
	Compat          string `json:"compat"`
	PID             int    `json:"pid"`
	// UI is where daemons serve their pages, by their names.
	UI map[string]string `json:"ui,omitempty"`
	// Debug is where daemons serve /metrics and /debug/pprof, by their names.
	Debug map[string]string `json:"debug,omitempty"`
}

// ReadDetails reads details.json of a run's directory; an error wraps fs.ErrNotExist until the cluster is ready.
func ReadDetails(dir string) (Details, error) {
	var d Details
	text, err := os.ReadFile(filepath.Join(dir, "details.json"))
	if err != nil {
		return d, err
	}
	if err := json.Unmarshal(text, &d); err != nil {
		return d, fmt.Errorf("%s: %w", filepath.Join(dir, "details.json"), err)
	}
	return d, nil
}

// writeDetails replaces details.json at once: others may read it any time.
func (d *runDir) writeDetails(details Details) error {
	text, err := json.MarshalIndent(details, "", "  ")
	if err != nil {
		return err
	}
	const next = ".details.json"
	if err := d.write(next, append(text, '\n')); err != nil {
		return err
	}
	return os.Rename(filepath.Join(d.path, next), filepath.Join(d.path, "details.json"))
}

func (r *run) details() Details {
	d := Details{
		Version: "unknown", Start: r.begin, Name: r.cfg.Name, Masters: r.masters, ResourceManager: r.rm, Workers: r.cfg.Workers, Compat: "fixed", PID: os.Getpid(), UI: r.ui, Debug: r.debug,
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		d.Version = info.Main.Version
	}
	return d
}

// Finish writes what is left of a run: the merged trace, the diagrams, the executors' output; and removes its work. It
// returns the table of messages, after that of executors over time when their number followed the work.
func (d *runDir) Finish(details Details) (table string, err error) {
	t, damaged := merge(d.path)
	// An executor that was killed leaves a torn file: nothing is wrong with that.
	damaged = slices.DeleteFunc(damaged, func(err error) bool { return errors.Is(err, record.ErrTorn) })
	t.Program, t.Version = details.Name, details.Version
	end := time.Now()
	details.End = &end
	// All of it, whatever fails. On a full disk the work that goes first makes room. The lock goes last.
	err = errors.Join(errors.Join(damaged...),
		d.keepOutput(),
		os.RemoveAll(d.Work()),
		d.writeDetails(details),
		d.writeTrace(t),
		d.write("diagram.svg", []byte(show.SVG(t))),
		d.write("diagram.mmd", []byte(show.Mermaid(t))),
		os.RemoveAll(filepath.Join(d.path, pidFile)),
		d.release(),
	)
	table = show.Table(t.Entries)
	if over := executorsText(t.Entries); over != "" {
		table = over + "\n" + table
	}
	return table, err
}

func (d *runDir) write(name string, data []byte) error {
	path := filepath.Join(d.path, name)
	return wholeOr(path, os.WriteFile(path, data, 0o644))
}

// wholeOr is err, with which the writing of a file ended. A part of a file would be taken for all of it: it is removed.
func wholeOr(path string, err error) error {
	if err == nil {
		return nil
	}
	if removed := os.Remove(path); !errors.Is(removed, fs.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	return err
}

// writeTrace writes the merged trace, and removes the rings, of which it has everything. Without it they stay.
func (d *runDir) writeTrace(t *trace.Trace) error {
	path := filepath.Join(d.path, "trace.jsonl")
	f, err := os.Create(path)
	if err == nil {
		err = errors.Join(t.WriteJSONL(f), f.Close())
	}
	if err != nil {
		return wholeOr(path, err)
	}
	return d.removeRings()
}

func (d *runDir) removeRings() error {
	paths, err := filepath.Glob(filepath.Join(d.Trace(), "*.ring"))
	for _, path := range paths {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// keepOutput moves the executors' stdout and stderr to logs/APP/EXECUTOR.
func (d *runDir) keepOutput() error {
	paths, err := filepath.Glob(filepath.Join(d.Work(), "worker*", "app-*", "*", "std*"))
	if err != nil {
		return err
	}
	var errs []error
	for _, path := range paths {
		dir := filepath.Dir(path)
		to := filepath.Join(d.Logs(), filepath.Base(filepath.Dir(dir)), filepath.Base(dir))
		errs = append(errs, os.MkdirAll(to, 0o755), os.Rename(path, filepath.Join(to, filepath.Base(path))))
	}
	return errors.Join(errs...)
}
