package node

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/worker"
	"github.com/coherer/coherer/rpcenv"
)

// directories manages the directories of applications under a work directory, and those for their blocks under the roots that
// spark.local.dir names. Its methods are called one after the other.
type directories struct {
	work string
	// roots are empty without such a setting: blocks then lie in the work directory, and go with it.
	roots []string
	log   *logrus.Entry

	own  map[string]string   // this Worker's directory in each root, once it is made
	apps map[string][]string // the local directories of each application
}

func newDirectories(work string, roots []string, log *logrus.Entry) *directories {
	return &directories{work: work, roots: roots, log: log, own: map[string]string{}, apps: map[string][]string{}}
}

// Prepare makes an executor's directory, the local directories of its application, and the file with its resources.
func (d *directories) Prepare(_ *rpcenv.Blocking, x worker.Preparation) (worker.Prepared, error) {
	if err := os.MkdirAll(x.Dir, 0o700); err != nil {
		return worker.Prepared{}, fmt.Errorf("executor directory: %w: free some space or name another work directory with --work-dir", err)
	}
	var made worker.Prepared
	var err error
	if made.LocalDirs, err = d.localDirs(x.App); err != nil {
		return made, err
	}
	if len(x.Resources) > 0 {
		made.ResourcesFile, err = writeResources(x)
	}
	return made, err
}

// localDirs makes the local directories of an application, once. A root that cannot be used is left out; it is tried again
// for the next application.
func (d *directories) localDirs(app string) ([]string, error) {
	if dirs := d.apps[app]; len(dirs) > 0 {
		return dirs, nil
	}
	var dirs []string
	if len(d.roots) == 0 {
		dir := filepath.Join(d.work, app, "blocks")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("local directory: %w", err)
		}
		dirs = []string{dir}
	}
	for _, root := range d.roots {
		dir, err := d.localDir(root)
		if err != nil {
			d.log.Warnf("%v. Ignoring this directory.", err)
			continue
		}
		dirs = append(dirs, dir)
	}
	if len(dirs) == 0 {
		return nil, fmt.Errorf("No subfolder can be created in %s: name a directory that can be written with spark.local.dir or SPARK_LOCAL_DIRS",
			strings.Join(d.roots, ","))
	}
	d.apps[app] = dirs
	return dirs, nil
}

// localDir makes ROOT/spark-XXX/executor-XXX, which other users cannot read. The first is the Worker's for its life.
func (d *directories) localDir(root string) (string, error) {
	own := d.own[root]
	if own == "" {
		if err := os.MkdirAll(root, 0o755); err != nil {
			return "", fmt.Errorf("local directory: %w", err)
		}
		var err error
		if own, err = os.MkdirTemp(root, "spark-"); err != nil {
			return "", fmt.Errorf("local directory: %w", err)
		}
		d.own[root] = own
	}
	dir, err := os.MkdirTemp(own, "executor-")
	if errors.Is(err, fs.ErrNotExist) { // somebody removed the Worker's own: the next application gets a new one
		delete(d.own, root)
	}
	if err != nil {
		return "", fmt.Errorf("local directory: %w", err)
	}
	return dir, nil
}

// writeResources writes the file of an executor's resources. It mirrors ResourceUtils.prepareResourcesFile.
func writeResources(x worker.Preparation) (string, error) {
	text, err := worker.FormatResources(worker.ExecutorComponent, x.Resources)
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp(x.Dir, "resource-executor-*.json")
	if err != nil {
		return "", fmt.Errorf("resources file: %w", err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("resources file: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return f.Name(), nil
}

// Remove removes an application's files on this machine, its blocks and its program, but not the output of its executors: people
// read stdout and stderr, and the older files of both, afterwards.
func (d *directories) Remove(_ *rpcenv.Blocking, app string) error {
	var errs []error
	for _, dir := range d.apps[app] {
		errs = append(errs, os.RemoveAll(dir))
	}
	delete(d.apps, app)
	// Directories stay, since they hold the output.
	err := filepath.WalkDir(filepath.Join(d.work, app), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || isOutput(e.Name()) {
			return err
		}
		return os.Remove(path)
	})
	if !errors.Is(err, fs.ErrNotExist) { // nothing of the application ever ran here
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// isOutput reports whether a file is an executor's or a driver's output, the one that is written or an older one.
func isOutput(name string) bool {
	return name == "stdout" || name == "stderr" || strings.HasPrefix(name, "stdout--") || strings.HasPrefix(name, "stderr--")
}

// CleanUp removes directories in the work directory that are an application's or a driver's, are not in use, and have
// nothing in them that is newer than since.
func (d *directories) CleanUp(b *rpcenv.Blocking, inUse []string, since time.Time) ([]string, error) {
	entries, err := os.ReadDir(d.work)
	if err != nil {
		return nil, err
	}
	var removed []string
	var errs []error
	for _, e := range entries {
		dir := filepath.Join(d.work, e.Name())
		if b != nil && b.Context().Err() != nil { // the Worker ends, and must not wait for large directories
			break
		}
		if !e.IsDir() || slices.Contains(inUse, e.Name()) || !holdsOutput(dir) {
			continue
		}
		switch old, err := olderThan(dir, since); {
		case err != nil: // one directory that cannot be read does not keep the others
			errs = append(errs, err)
		case old:
			if err := os.RemoveAll(dir); err != nil {
				errs = append(errs, err)
				continue
			}
			removed = append(removed, dir)
		}
	}
	return removed, errors.Join(errs...)
}

// holdsOutput reports whether a directory has the output of a driver in it, or that of an executor one below. Other directories
// are none of ours: a work directory may be any folder of a user.
func holdsOutput(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, "stdout")); err == nil {
		return true
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		_, err := os.Lstat(filepath.Join(dir, e.Name(), "stdout"))
		return err == nil
	})
}

// olderThan reports whether nothing in dir, itself included, changed after since. It mirrors
// Utils.doesDirectoryContainAnyNewFiles.
func olderThan(dir string, since time.Time) (bool, error) {
	old := true
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if info.ModTime().After(since) {
			old = false
			return fs.SkipAll
		}
		return nil
	})
	return old, err
}

// close removes the Worker's directories in the roots.
func (d *directories) close() error {
	var errs []error
	for _, root := range d.roots {
		if own := d.own[root]; own != "" {
			errs = append(errs, os.RemoveAll(own))
		}
	}
	return errors.Join(errs...)
}
