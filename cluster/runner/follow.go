package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// FollowTick is how often Follow wants to look: as often as the processes of a run write what they recorded.
const FollowTick = 100 * time.Millisecond

// settled is how long after the fact every process has surely written what it recorded: it does so each FollowTick, and
// Follow looks as often.
const settled = 5 * FollowTick / 2

// Follow reads what the processes of a run record while they do, and gives it to emit in order of time, at each tick what
// is settled. It ends when the run has ended, when ctx has, or with emit's error; ctx's end is no error. Files that are
// torn or damaged are reported to note, and their whole records are shown. dir is a run directory; see Find.
func Follow(ctx context.Context, dir string, ticks <-chan time.Time, emit func(*trace.Trace) error, note func(error)) error {
	dir, err := filepath.EvalSymlinks(dir) // another run may become the latest
	if err != nil {
		return err
	}
	if info, err := os.Stat((&runDir{path: dir}).Trace()); err != nil || !info.IsDir() {
		return fmt.Errorf("%s has no folder trace, which the processes of a run write: look at it with trace show", dir)
	}
	f := &following{dir: dir, follower: trace.NewFollower(executor.Family), files: map[string]*followed{}, note: note}
	defer f.close()
	for {
		var now time.Time
		select {
		case <-ctx.Done():
			return nil
		case now = <-ticks:
		}
		over := !GoesOn(dir) // asked before the look: what is written between them would be missed otherwise
		if err := f.look(); err != nil {
			return err
		}
		until := now.Add(-settled)
		if over { // nobody writes any more: all is settled
			until = time.Time{}
		}
		t := f.follower.Settled(until)
		t.Source, t.Compat = "run", "fixed"
		if err := emit(t); err != nil || over {
			return err
		}
	}
}

// GoesOn reports whether the process that runs the run still does.
func GoesOn(dir string) bool {
	if d, err := ReadDetails(dir); err == nil && d.End != nil {
		return false
	}
	text, err := os.ReadFile(filepath.Join(dir, pidFile))
	if err != nil {
		return false
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid <= 0 {
		return false
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	// A run that was killed has neither an end in its details nor a process. Signal 0 only asks.
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, fs.ErrPermission)
}

// following is the state of Follow.
type following struct {
	dir      string
	follower *trace.Follower
	files    map[string]*followed
	note     func(error)
	buf      [64 << 10]byte
}

// followed is a file that grows.
type followed struct {
	file   *os.File
	tail   record.Tail
	failed bool
}

// look reads what is new.
func (f *following) look() error {
	paths, err := filepath.Glob(filepath.Join((&runDir{path: f.dir}).Trace(), "*.trace"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		file := f.files[path]
		if file == nil {
			opened, err := os.Open(path)
			if err != nil {
				return err
			}
			file = &followed{file: opened}
			f.files[path] = file
		}
		if file.failed {
			continue
		}
		if err := f.read(path, file); err != nil { // noted once, and not read again: behind the damage nothing can be trusted
			file.failed = true
			f.note(fmt.Errorf("%s: %w", path, err))
		}
	}
	return nil
}

func (f *following) read(path string, file *followed) error {
	for {
		n, err := file.file.Read(f.buf[:])
		records, bad := file.tail.Feed(f.buf[:n])
		f.follower.Add(path, records)
		switch {
		case bad != nil:
			return bad
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

func (f *following) close() {
	for path, file := range f.files {
		// While the run goes on a record may be half written; that is no damage.
		if err := file.tail.Torn(); err != nil && !GoesOn(f.dir) {
			f.note(fmt.Errorf("%s: %w", path, err))
		}
		_ = file.file.Close() // it was only read
	}
}
