package process

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Rolling says when a new file begins for an output, and what becomes of the old ones. They are named as by Spark's
// RollingFileAppender: NAME--2026-01-01 and so on, the finer the shorter the interval.
type Rolling struct {
	// Interval between two files, counted from the epoch; 0: not by time.
	Interval time.Duration
	// MaxSize of a file in bytes, at least [MinRollingSize]; 0: not by size. It counts when Interval is 0.
	MaxSize int64
	// Retained is how many old files are kept; all unless it is above 0.
	Retained int
	// Compress makes gzip files of the old ones, NAME--....gz.
	Compress bool
	// Dropped hears, on a goroutine of the process's own, of output that cannot be written: when that begins, with 0, and
	// at the end with how many bytes were dropped. It may be nil.
	Dropped func(bytes int64, why error)
}

// MinRollingSize is the least MaxSize; less counts as that. It mirrors SizeBasedRollingPolicy.MINIMUM_SIZE_BYTES.
const MinRollingSize = 80 << 10

// suffix names a file that ended at a time.
func (r Rolling) suffix(at time.Time) string {
	switch {
	case r.Interval <= 0: // SimpleDateFormat's SSSS is the milliseconds, four digits wide
		return at.Format("--2006-01-02--15-04-05--") + fmt.Sprintf("%04d", at.Nanosecond()/int(time.Millisecond))
	case r.Interval == 24*time.Hour:
		return at.Format("--2006-01-02")
	case r.Interval == time.Hour:
		return at.Format("--2006-01-02--15")
	case r.Interval == time.Minute:
		return at.Format("--2006-01-02--15-04")
	}
	return at.Format("--2006-01-02--15-04-05")
}

// next is the end of the interval that a time lies in.
func (r Rolling) next(at time.Time) time.Time {
	ms := r.Interval.Milliseconds()
	return time.UnixMilli((at.UnixMilli() + ms - 1) / ms * ms)
}

// roller writes to a file that begins anew as a Rolling says. It belongs to one goroutine.
type roller struct {
	path string
	Rolling
	now func() time.Time

	file *os.File
	size int64
	end  time.Time // of the interval
}

func openRoller(path string, r Rolling, now func() time.Time) (*roller, error) {
	if r.MaxSize > 0 {
		r.MaxSize = max(r.MaxSize, MinRollingSize)
	}
	w := &roller{path: path, Rolling: r, now: now}
	if r.Interval > 0 {
		w.end = r.next(now())
	}
	return w, w.open()
}

func (w *roller) open() error {
	f, err := os.OpenFile(w.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("open output: %w", explain(err))
	}
	w.file, w.size = f, size(f)
	return nil
}

// Write appends p, to a new file if it is time for one. After an error the next Write tries all of it again.
func (w *roller) Write(p []byte) (int, error) {
	if w.due(len(p)) {
		if err := w.roll(); err != nil {
			return 0, err
		}
	}
	if w.file == nil {
		if err := w.open(); err != nil {
			return 0, err
		}
	}
	n, err := w.file.Write(p)
	w.size += int64(n)
	return n, err
}

// due reports whether n bytes more belong into a new file.
func (w *roller) due(n int) bool {
	if w.Interval > 0 {
		return w.now().After(w.end)
	}
	return w.MaxSize > 0 && w.size > 0 && w.size+int64(n) > w.MaxSize
}

// roll ends the file and begins another. It mirrors RollingFileAppender.rollover.
func (w *roller) roll() error {
	err := w.Close()
	old := w.unused(w.suffix(w.now()))
	if w.Interval > 0 { // also when the rest fails: the next try is at the next interval
		w.end = w.next(w.now())
	}
	if w.Compress {
		err = errors.Join(err, compress(w.path, old+gz))
	} else {
		err = errors.Join(err, os.Rename(w.path, old))
	}
	if errors.Is(err, fs.ErrNotExist) { // somebody took the file away: nothing to keep
		err = nil
	}
	// All three whatever failed before: on a full disk the oldest files must go, and the output goes on.
	return errors.Join(err, w.forget(), w.open())
}

const gz = ".gz"

// unused is a file name not yet taken, neither plain nor compressed.
func (w *roller) unused(suffix string) string {
	taken := func(path string) bool {
		_, plain := os.Lstat(path)
		_, zipped := os.Lstat(path + gz)
		return plain == nil || zipped == nil
	}
	name := w.path + suffix
	for i := 0; taken(name) && i < 10000; i++ { // Spark tries as many
		name = fmt.Sprintf("%s%s--%d", w.path, suffix, i)
	}
	return name
}

// forget removes the oldest files that are not to be kept. It mirrors RollingFileAppender.deleteOldFiles.
func (w *roller) forget() error {
	if w.Retained <= 0 {
		return nil
	}
	dir, name := filepath.Split(w.path)
	entries, err := os.ReadDir(filepath.Clean(dir))
	if err != nil {
		return err
	}
	var old []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), name+"--") {
			old = append(old, filepath.Join(dir, e.Name()))
		}
	}
	slices.Sort(old) // by their dates, so by age
	var errs []error
	for _, path := range old[:max(0, len(old)-w.Retained)] {
		errs = append(errs, os.Remove(path))
	}
	return errors.Join(errs...)
}

// Close ends the file.
func (w *roller) Close() error {
	if w.file == nil {
		return nil
	}
	err := w.file.Close()
	w.file = nil
	return err
}

// compress makes a gzip file of a file, which it removes when all of it is written.
func compress(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	z := gzip.NewWriter(out)
	_, err = io.Copy(z, in)
	if err = errors.Join(err, z.Close(), out.Close()); err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return os.Remove(from)
}
