package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// lockFile is locked by its run until the run's process ends, however it ends.
const lockFile = "lock"

// hold locks the directory. The file gets its name when it is locked, so that no other run takes this one for dead before.
func (d *runDir) hold() error {
	next := filepath.Join(d.path, "."+lockFile)
	f, err := os.Create(next)
	if err != nil {
		return err
	}
	d.lock = f
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return fmt.Errorf("lock %s: %w", next, err)
	}
	return os.Rename(next, filepath.Join(d.path, lockFile))
}

// release gives the lock up, after the work is gone.
func (d *runDir) release() error {
	return errors.Join(os.RemoveAll(filepath.Join(d.path, lockFile)), d.lock.Close())
}

// CleanUp removes the work directories of runs that were killed, and says which and how large they were. Their other files stay,
// for their owner to look at.
func (d *runDir) CleanUp() (said []string, err error) {
	root := filepath.Dir(d.path)
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		other := &runDir{path: filepath.Join(root, e.Name())}
		if !e.IsDir() || other.path == d.path || !other.dead() {
			continue
		}
		size := sizeOf(other.Work())
		if removed := os.RemoveAll(other.Work()); removed != nil { // the others may still go
			err = errors.Join(err, fmt.Errorf("clean up after a run that was killed: %w: remove %s yourself", removed, other.Work()))
			continue
		}
		said = append(said, fmt.Sprintf("removed %s, %d MiB that a run left which was killed", other.Work(), size>>20))
	}
	return said, err
}

// dead reports whether the directory has work of a run that is not under way. A run that says nothing of itself is left alone: it may
// begin just now.
func (d *runDir) dead() bool {
	if _, err := os.Stat(d.Work()); err != nil {
		return false
	}
	f, err := os.Open(filepath.Join(d.path, lockFile))
	if errors.Is(err, fs.ErrNotExist) { // of a Coherer that locked nothing
		text, err := os.ReadFile(filepath.Join(d.path, pidFile))
		pid, notPID := strconv.Atoi(strings.TrimSpace(string(text)))
		return err == nil && notPID == nil && errors.Is(unix.Kill(pid, 0), unix.ESRCH)
	}
	if err != nil {
		return false
	}
	defer f.Close()
	// A shared lock: two that clean up at once do not take each other for the run.
	return unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) == nil
}

// sizeOf is how many bytes the files below a directory have, as far as they can be seen.
func sizeOf(dir string) (bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}
