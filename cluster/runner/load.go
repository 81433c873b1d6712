package runner

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coherer/coherer/actors/executor"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// latestRun is the name of the last run.
const latestRun = "latest"

// Load reads the trace of a run, which may go on or have been killed. name is that of a run directory or its path, or
// the path of a trace.jsonl or of one process's record file; empty is the last run. notes name files that are torn or
// damaged: the trace is what could be read. Nothing at all is an error.
func Load(name string) (t *trace.Trace, notes []error, err error) {
	path, err := Find(name)
	if err != nil {
		return nil, nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.IsDir() {
		return loadFile(path)
	}
	// The merged trace is written at the end. A run without it goes on or was killed: what its processes recorded is merged now.
	// On a full disk an earlier version left an empty one.
	merged := filepath.Join(path, "trace.jsonl")
	if info, err := os.Stat(merged); !errors.Is(err, fs.ErrNotExist) && (err != nil || info.Size() > 0) {
		return loadJSONL(merged)
	}
	t, notes = merge(path)
	if len(t.Entries) == 0 && len(notes) > 0 {
		return nil, nil, errors.Join(notes...)
	}
	return t, notes, nil
}

// Find is the path of a run directory or of a trace file; see Load.
func Find(name string) (string, error) {
	name = cmp.Or(name, latestRun)
	if strings.ContainsRune(name, os.PathSeparator) {
		info, err := os.Stat(name)
		if err == nil && info.IsDir() && !isRun(name) {
			return "", fmt.Errorf("%s is no run directory: it has neither trace.jsonl nor a folder trace", name)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("there is no run %s: %w", name, err)
		}
		return name, err
	}
	// A run wins over a file or directory of the same name here: ./NAME means that.
	root, err := runsRoot()
	if err != nil {
		return "", err
	}
	if path := filepath.Join(root, name); isRun(path) {
		return path, nil
	}
	if info, err := os.Stat(name); isRun(name) || err == nil && info.Mode().IsRegular() {
		return name, nil
	}
	return "", fmt.Errorf("there is no run %s%s", name, nearRuns(root, name))
}

func isRun(path string) bool {
	for _, name := range []string{"trace.jsonl", "trace"} {
		if _, err := os.Stat(filepath.Join(path, name)); err == nil {
			return true
		}
	}
	return false
}

// nearRuns names the run that was meant, or the last ones.
func nearRuns(root, name string) string {
	var runs []string
	entries, _ := os.ReadDir(root) // a root that cannot be read has no runs
	for _, e := range entries {
		if e.IsDir() && isRun(filepath.Join(root, e.Name())) {
			runs = append(runs, e.Name())
		}
	}
	if strings.HasSuffix(name, "-") { // FROM->TO without quotes leaves FROM- here, and makes a file TO
		return `: a filter has to be quoted, 'FROM->TO:MESSAGE': the shell takes > for itself`
	}
	if len(runs) == 0 {
		return ": make one with coherer run"
	}
	if near, ok := conf.Nearest(name, runs); ok {
		return ": did you mean " + near + "?"
	}
	slices.Reverse(runs) // their names begin with the time
	const some = 3
	return ": the last ones are " + strings.Join(runs[:min(some, len(runs))], ", ")
}

// loadFile reads a trace.jsonl or a record file; its first byte says which it is.
func loadFile(path string) (*trace.Trace, []error, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	first, err := bufio.NewReader(f).Peek(1)
	if err = errors.Join(ignoreEOF(err), f.Close()); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(first) == 0 || first[0] != record.Magic[0] {
		return loadJSONL(path)
	}
	records, err := readRecords(path)
	if err != nil && len(records) == 0 {
		return nil, nil, err
	}
	t := executor.Family.Merge(records)
	t.Source = "run"
	return t, some(err), nil
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// some is a list of err; empty for nil.
func some(err error) []error {
	if err == nil {
		return nil
	}
	return []error{err}
}

func loadJSONL(path string) (*trace.Trace, []error, error) {
	t, err := trace.ReadJSONLFile(path)
	if errors.Is(err, record.ErrTorn) {
		return t, some(err), nil
	}
	return t, nil, err
}

// merge joins what the processes of a run recorded, also while it goes on, and the rings of processes that were killed. The
// errors name files that are torn (record.ErrTorn) or damaged; their whole records are in the trace.
func merge(dir string) (*trace.Trace, []error) {
	paths, err := filepath.Glob(filepath.Join((&runDir{path: dir}).Trace(), "*.trace"))
	errs := some(err)
	var files [][]*tracepb.Record
	for _, path := range paths {
		records, err := readRecords(path)
		errs = append(errs, some(err)...)
		files = append(files, records)
	}
	t := executor.Family.Merge(files...)
	t.Source, t.Compat = "run", "fixed"
	return t, errs
}

// readRecords reads what a process recorded; see merge.
func readRecords(path string) ([]*tracepb.Record, error) {
	records, err := record.ReadProcess(path)
	return records, cmp.Or(err, record.Torn(path))
}
