package recovery

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/rpcenv"
)

// The names in a directory that are no records, and the bounds of those that are.
const (
	lockFile    = "lock"
	badFolder   = "bad"
	groupPrefix = "group-"
	tempMark    = ".tmp-"
	// longestName is how long the name of a record's file may be; most file systems take 255 bytes.
	longestName = 200
	// largestFile is how many bytes a file may have: a larger one was not written here, and would fill the memory.
	largestFile = 256 << 20
)

// Owner is whose records a directory has. Errors name both.
type Owner struct {
	Role    string // such as Master
	Setting string // of the directory
}

// Directory is recovery mode FILESYSTEM. It is a [records.Store].
type Directory struct {
	path string
	of   Owner
	dir  *os.File
	lock *os.File
	// before is asked before each change of the disk, and may let it fail; nil: nothing does. It is for tests.
	before func(op, path string) error
	next   uint64 // number of the next group
	filer  filer
}

// Open opens a directory of records, which it makes if it is not there, and locks it: another process that uses it is an
// error. Close it after its owner's end.
func Open(path string, of Owner) (*Directory, error) {
	d, err := open(path, of)
	if err == nil {
		d.filer.start(d.file)
	}
	return d, err
}

// open is Open without the goroutine that puts records into their places.
func open(path string, of Owner) (*Directory, error) {
	key := of.Setting
	if path == "" {
		return nil, fmt.Errorf("the %s needs a directory for its records: set %s", of.Role, key)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("recovery directory: %w: set %s to another", err, key)
	}
	dir, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("recovery directory: %w: set %s to another", err, key)
	}
	lock, err := os.OpenFile(filepath.Join(path, lockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("recovery directory: %w: set %s to another", err, key), dir.Close())
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, errors.Join(
			fmt.Errorf("recovery directory %s: another %s uses it (%w): end that one, or set %s to another", path, of.Role, err, key),
			lock.Close(), dir.Close())
	}
	d := &Directory{path: path, of: of, dir: dir, lock: lock, next: 1}
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("recovery directory: %w", err), d.Close())
	}
	// The next group gets a number above all that are left: Load applies groups in the order of their names.
	for _, name := range names {
		if n, ok := strings.CutPrefix(name, groupPrefix); ok {
			if number, err := strconv.ParseUint(n, 10, 64); err == nil {
				d.next = max(d.next, number+1)
			}
		}
	}
	return d, nil
}

// Close gives the directory up.
func (d *Directory) Close() error {
	d.filer.stop()
	return errors.Join(d.lock.Close(), d.dir.Close())
}

// Write makes changes durable. Its error names the file, and says what failed.
func (d *Directory) Write(_ *rpcenv.Blocking, changes []records.Change) error {
	g := group{fmt.Sprintf("%s%020d", groupPrefix, d.next), changes}
	if err := d.put(g.name, encode(changes...)); err != nil {
		return err // with the same number the next Write replaces what this one may have left
	}
	d.next++
	// Only now: the records' own files may say nothing that is not durable in a group.
	d.filer.add(g)
	return nil
}

// put makes one file durable in its place.
func (d *Directory) put(name string, data []byte) error {
	if len(data) > largestFile {
		return fmt.Errorf("recovery directory: %d bytes for %s: it takes %d at most", len(data), name, largestFile)
	}
	if err := d.write(tempMark+name, data, true); err != nil {
		return err
	}
	if err := d.rename(tempMark+name, name); err != nil {
		return err
	}
	return d.sync() // a rename is durable with the directory, not with the file
}

// Load reads all records, also those that are in a group and not yet in files of their own. The errors of bad files name them,
// and where they are now.
func (d *Directory) Load(*rpcenv.Blocking) (kept []records.Change, bad []error, err error) {
	// With the filer's lock no group is removed while Load reads. Load queues again every group that it finds.
	d.filer.mu.Lock()
	defer d.filer.mu.Unlock()
	d.filer.forget()
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return nil, nil, fmt.Errorf("recovery directory: %w", err)
	}
	var groups []group
	for _, e := range entries { // by name, which is their order
		if !strings.HasPrefix(e.Name(), groupPrefix) {
			continue
		}
		changes, err := d.read(e.Name())
		if err != nil {
			bad = append(bad, d.setAside(e.Name(), err))
			continue
		}
		groups = append(groups, group{e.Name(), changes})
	}
	last := map[string]records.Change{}
	for _, e := range entries {
		name := e.Name()
		switch {
		case name == lockFile || name == badFolder || strings.HasPrefix(name, groupPrefix):
			continue
		case strings.HasPrefix(name, tempMark): // never acknowledged
			if err := d.remove(name); err != nil {
				return nil, nil, err
			}
			continue
		}
		record, err := d.record(name)
		if err != nil {
			bad = append(bad, d.setAside(name, err))
			continue
		}
		last[record.Key] = record
	}
	for _, g := range groups { // a group is later than the files of its records: it is removed when they are written
		for _, c := range g.changes {
			last[c.Key] = c
		}
		d.filer.add(g)
	}
	for _, c := range last {
		if c.Value != nil { // else a group removed it
			kept = append(kept, c)
		}
	}
	slices.SortFunc(kept, func(a, b records.Change) int { return strings.Compare(a.Key, b.Key) })
	return kept, bad, nil
}

// record is the one record of a file.
func (d *Directory) record(name string) (records.Change, error) {
	changes, err := d.read(name)
	switch {
	case err != nil:
		return records.Change{}, err
	case len(changes) != 1 || changes[0].Value == nil:
		return records.Change{}, fmt.Errorf("it has %d changes instead of one record", len(changes))
	case fileName(changes[0].Key) != name:
		return records.Change{}, fmt.Errorf("it is the record of %q", changes[0].Key)
	}
	return changes[0], nil
}

// Place is the file of a record.
func (d *Directory) Place(key string) string { return filepath.Join(d.path, fileName(key)) }

// read reads a file that its owner wrote. What else may be there is not opened for long: a pipe has no end, a link leads
// anywhere.
func (d *Directory) read(name string) (_ []records.Change, err error) {
	f, err := os.OpenFile(filepath.Join(d.path, name), os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("it is no file but %s", info.Mode())
	case info.Size() > largestFile:
		return nil, fmt.Errorf("it has %d bytes: a record has %d at most", info.Size(), largestFile)
	}
	data := make([]byte, info.Size()) // bounded by now, whatever lies there
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, err
	}
	return decode(data)
}

// setAside moves a bad file out of the way; the error says which, why, where it is now, and what to do.
func (d *Directory) setAside(name string, why error) error {
	from := filepath.Join(d.path, name)
	folder := filepath.Join(d.path, badFolder)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("%s: %w; it could not be moved: %w", from, why, err)
	}
	to := filepath.Join(folder, name)
	for n := 1; ; n++ { // a bad file of the same name, from an earlier start, stays
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			break
		}
		to = filepath.Join(folder, fmt.Sprintf("%s.%d", name, n))
	}
	if err := os.Rename(from, to); err != nil {
		return fmt.Errorf("%s: %w; it could not be moved: %w", from, why, err)
	}
	return fmt.Errorf("%s: %w; it is now %s: put a good copy in its old place and start the %s again, or do without it", from, why, to, d.of.Role)
}

// fileName is a key that a file system takes: escaped, or its digest when it is long or could be taken for another file.
func fileName(key string) string {
	switch name := url.PathEscape(key); {
	case len(name) > longestName, name == "", name[0] == '.', name == lockFile, name == badFolder, strings.HasPrefix(name, groupPrefix):
	default:
		return name
	}
	sum := sha256.Sum256([]byte(key))
	return "sha256-" + hex.EncodeToString(sum[:])
}
