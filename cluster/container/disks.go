package container

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/coherer/coherer/actors/nodemanager"
)

// Disks are the directories of a NodeManager, and which of them can be used. Its methods may be called from any goroutine. It
// mirrors LocalDirsHandlerService and DirectoryCollection.
type Disks struct {
	local, logs []string
	// mostUsed is how full a disk may be, per cent; leastGood which share of the directories must be good.
	mostUsed, leastGood float64
	locks               []*os.File

	mu  sync.Mutex
	bad map[string]string // directory to reason; replaced as a whole by each Check
}

// DiskLimits are when a directory, and the node, is healthy.
type DiskLimits struct {
	// MostUsed is how full the disk of a directory may be, per cent.
	MostUsed float64
	// LeastGood is which share of the directories must be usable.
	LeastGood float64
}

// remedy is what to do about a directory that cannot be used.
const remedy = "free some space, or name other directories with yarn.nodemanager.local-dirs and yarn.nodemanager.log-dirs"

// lockFile is held by the NodeManager that uses a local directory.
const lockFile = ".nodemanager.lock"

// owned are the directories of a NodeManager in a local directory.
var owned = []string{"usercache", "filecache"}

// NewDisks takes directories, makes those that are missing, and removes what an earlier NodeManager left in the local ones. It
// is an error when none can be used, or another NodeManager uses one. Close lets go of them.
func NewDisks(local, logs []string, limits DiskLimits) (*Disks, error) {
	d := &Disks{mostUsed: limits.MostUsed, leastGood: limits.LeastGood, bad: map[string]string{}}
	for _, list := range []struct {
		from []string
		to   *[]string
	}{{local, &d.local}, {logs, &d.logs}} {
		for _, dir := range list.from {
			abs, err := filepath.Abs(dir)
			if err != nil {
				return nil, fmt.Errorf("directory %s: %w", dir, err)
			}
			// A directory that is named twice would find itself locked, and count twice.
			if !slices.Contains(*list.to, abs) {
				*list.to = append(*list.to, abs)
			}
		}
	}
	// Before Check, which writes into them: another NodeManager's directories are left alone.
	for _, dir := range d.local {
		if err := d.own(dir); err != nil {
			return nil, errors.Join(err, d.Close())
		}
	}
	report, healthy := d.Check()
	if !healthy || len(d.good(d.local)) == 0 || len(d.good(d.logs)) == 0 {
		return nil, errors.Join(fmt.Errorf("the directories of the node: %s: %s", report, remedy), d.Close())
	}
	return d, nil
}

// own locks a local directory for this process, and removes a NodeManager's files in it. Check finds a directory that cannot be
// made.
func (d *Disks) own(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return errors.Join(fmt.Errorf("the directory %s is used by another NodeManager: give each its own with --local-dirs or yarn.nodemanager.local-dirs", dir), f.Close())
	}
	d.locks = append(d.locks, f)
	return d.empty(dir)
}

// empty removes a NodeManager's directories in a local directory.
func (d *Disks) empty(dir string) error {
	var errs []error
	for _, name := range owned {
		errs = append(errs, removeAll(filepath.Join(dir, name)))
	}
	return errors.Join(errs...)
}

// Close removes the node's files in its local directories, and unlocks them. The lock file stays: another NodeManager that
// has opened it already would lock a file without a name, and a third one a new file beside it.
func (d *Disks) Close() error {
	var errs []error
	for _, f := range d.locks {
		errs = append(errs, d.empty(filepath.Dir(f.Name())), f.Close())
	}
	d.locks = nil
	return errors.Join(errs...)
}

// Check looks at all directories. The report names those that cannot be used, and why; the node is healthy when enough can.
func (d *Disks) Check() (report string, healthy bool) {
	bad := map[string]string{}
	// Without the lock: a disk that hangs must not hold up good and pick on the others.
	for _, dir := range append(slices.Clone(d.local), d.logs...) {
		if err := d.check(dir); err != nil {
			bad[dir] = err.Error()
		}
	}
	d.mu.Lock()
	d.bad = bad
	d.mu.Unlock()
	healthy = true
	var parts []string
	for _, list := range []struct {
		dirs []string
		name string
	}{{d.local, "local-dirs"}, {d.logs, "log-dirs"}} {
		var why []string
		for _, dir := range list.dirs {
			if w := bad[dir]; w != "" {
				why = append(why, dir+" : "+w)
			}
		}
		if len(why) > 0 {
			parts = append(parts, fmt.Sprintf("%d/%d %s are bad: %s", len(why), len(list.dirs), list.name, strings.Join(why, ", ")))
		}
		good := len(list.dirs) - len(why)
		healthy = healthy && good > 0 && float64(good) >= d.leastGood*float64(len(list.dirs))
	}
	return strings.Join(parts, "; "), healthy
}

// check reports why a directory cannot be used.
func (d *Disks) check(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return fmt.Errorf("statfs: %w", err)
	}
	if s.Blocks > 0 {
		used := 100 * (1 - float64(s.Bavail)/float64(s.Blocks))
		if used > d.mostUsed {
			return fmt.Errorf("used space above threshold of %.1f%%", d.mostUsed)
		}
	}
	// statfs is not enough: a quota, a read-only mount and a broken disk show in a write alone.
	probe, err := os.CreateTemp(dir, ".try-*")
	if err != nil {
		return err
	}
	_, err = probe.WriteString("Is there room?")
	return errors.Join(err, probe.Close(), os.Remove(probe.Name()))
}

// good are those of the directories that can be used.
func (d *Disks) good(dirs []string) (out []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, dir := range dirs {
		if d.bad[dir] == "" {
			out = append(out, dir)
		}
	}
	return out
}

// pick is the good directory with the most room, the first of equals. ErrDisksFailed: none is good.
func (d *Disks) pick(dirs []string) (string, error) {
	best, room := "", uint64(0)
	for _, dir := range d.good(dirs) {
		var s unix.Statfs_t
		if err := unix.Statfs(dir, &s); err != nil {
			continue
		}
		if free := s.Bavail * uint64(s.Bsize); best == "" || free > room {
			best, room = dir, free
		}
	}
	if best == "" {
		return "", fmt.Errorf("%w: none of %s can be used: %s", nodemanager.ErrDisksFailed, strings.Join(dirs, ", "), remedy)
	}
	return best, nil
}

// failed marks an error that comes from a disk that is full or broken.
func failed(err error) error {
	for _, errno := range []error{unix.ENOSPC, unix.EDQUOT, unix.EROFS, unix.EIO} {
		if errors.Is(err, errno) {
			return fmt.Errorf("%w: %w: %s", nodemanager.ErrDisksFailed, err, remedy)
		}
	}
	return err
}

// removeAll removes a directory, also one with directories in it that may not be written. Below a file there is nothing to
// remove.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil || errors.Is(err, unix.ENOTDIR) {
		return nil
	}
	// Without permission to write a directory its entries cannot be removed. What this cannot change RemoveAll reports.
	_ = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}
