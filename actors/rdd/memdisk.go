package rdd

import (
	"bytes"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// MemDisk is a file system in memory that can be written to, for tests and simulations. Files that it does not have are those of
// Below, if that is set; they are read only. Paths are cleaned, and separated by slashes. It may be used by several tasks at once.
type MemDisk struct {
	// Below has more files; nil: there are no others.
	Below FS
	// Room is how many bytes fit in its files together; 0: any number. It must not change while files are written.
	Room int64

	mu      sync.Mutex
	used    int64
	writes  int64
	folders map[string]bool
	files   map[string]contents
}

// contents of a file, which change whenever writes does.
type contents struct {
	data    []byte
	version int64
}

var _ OutputFS = (*MemDisk)(nil)

// Open opens a file for reading. It keeps the contents that it has now.
func (m *MemDisk) Open(name string) (File, error) {
	m.mu.Lock()
	found, ok := m.files[path.Clean(name)]
	m.mu.Unlock()
	switch {
	case ok:
		return writtenFile{memFile{bytes.NewReader(found.data)}, found.version}, nil
	case m.Below != nil:
		return m.Below.Open(name)
	}
	return nil, pathError("open", name, fs.ErrNotExist)
}

// writtenFile is a file as it was when it was opened.
type writtenFile struct {
	memFile
	version int64
}

// Version differs after each write.
func (f writtenFile) Version() string { return strconv.FormatInt(f.version, 10) }

// Resolve is what a path means; that of a file below means what it means there.
func (m *MemDisk) Resolve(name string) (string, error) {
	if r, ok := m.Below.(Resolver); ok {
		return r.Resolve(name)
	}
	return path.Clean(name), nil
}

func pathError(op, name string, err error) error { return &fs.PathError{Op: op, Path: name, Err: err} }

// hasFolder is true of a folder that was made, and of the root and the current one, which are always there.
func (m *MemDisk) hasFolder(name string) bool { return name == "/" || name == "." || m.folders[name] }

// Mkdir makes a folder.
func (m *MemDisk) Mkdir(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := path.Clean(name)
	if _, isFile := m.files[at]; isFile || m.hasFolder(at) {
		return pathError("mkdir", name, fs.ErrExist)
	}
	if !m.hasFolder(path.Dir(at)) {
		return pathError("mkdir", name, fs.ErrNotExist)
	}
	m.makeFolder(at)
	return nil
}

func (m *MemDisk) makeFolder(at string) {
	if m.folders == nil {
		m.folders = map[string]bool{}
	}
	m.folders[at] = true
}

// MkdirAll makes a folder with those above it.
func (m *MemDisk) MkdirAll(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for at := path.Clean(name); !m.hasFolder(at); at = path.Dir(at) {
		if _, isFile := m.files[at]; isFile {
			return pathError("mkdir", at, syscall.ENOTDIR)
		}
		m.makeFolder(at)
	}
	return nil
}

// Create makes a file.
func (m *MemDisk) Create(name string) (io.WriteCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := path.Clean(name)
	if _, isFile := m.files[at]; isFile || m.hasFolder(at) {
		return nil, pathError("create", name, fs.ErrExist)
	}
	if !m.hasFolder(path.Dir(at)) {
		return nil, pathError("create", name, fs.ErrNotExist)
	}
	m.put(at, nil)
	return &memWriter{m: m, at: at}, nil
}

func (m *MemDisk) put(at string, data []byte) {
	if m.files == nil {
		m.files = map[string]contents{}
	}
	m.writes++
	m.files[at] = contents{data, m.writes}
}

// memWriter appends to a file, as long as it is where it was made.
type memWriter struct {
	m    *MemDisk
	at   string
	done bool
}

// Write appends to the file. A file that was renamed or removed meanwhile takes no more.
func (w *memWriter) Write(p []byte) (int, error) {
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	file, ok := w.m.files[w.at]
	switch {
	case w.done:
		return 0, pathError("write", w.at, fs.ErrClosed)
	case !ok:
		return 0, pathError("write", w.at, fs.ErrNotExist)
	case w.m.Room > 0 && w.m.used+int64(len(p)) > w.m.Room:
		return 0, pathError("write", w.at, syscall.ENOSPC)
	}
	w.m.used += int64(len(p))
	// Readers keep what they opened: append writes behind it, or elsewhere.
	w.m.put(w.at, append(file.data, p...))
	return len(p), nil
}

func (w *memWriter) Close() error {
	w.done = true
	return nil
}

// inside reports whether a path is another one or below it.
func inside(name, folder string) bool { return name == folder || strings.HasPrefix(name, folder+"/") }

// Rename moves a file or a folder.
func (m *MemDisk) Rename(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	a, b := path.Clean(from), path.Clean(to)
	file, isFile := m.files[a]
	other, replaces := m.files[b]
	switch {
	case !isFile && !m.folders[a], !m.hasFolder(path.Dir(b)):
		return pathError("rename", from, fs.ErrNotExist)
	case m.hasFolder(b) || replaces && !isFile || inside(b, a) && !isFile:
		return pathError("rename", to, fs.ErrExist)
	case isFile:
		delete(m.files, a)
		m.used -= int64(len(other.data))
		m.files[b] = file
		return nil
	}
	for name := range m.folders {
		if inside(name, a) {
			delete(m.folders, name)
			m.folders[b+name[len(a):]] = true
		}
	}
	for name, file := range m.files {
		if inside(name, a) {
			delete(m.files, name)
			m.files[b+name[len(a):]] = file
		}
	}
	return nil
}

// names are those in a folder.
func (m *MemDisk) names(folder string) []string {
	in := map[string]bool{}
	note := func(name string) {
		if path.Dir(name) == folder && name != folder {
			in[path.Base(name)] = true
		}
	}
	for name := range m.folders {
		note(name)
	}
	for name := range m.files {
		note(name)
	}
	return slices.Sorted(maps.Keys(in))
}

// ReadDir is the names in a folder, sorted.
func (m *MemDisk) ReadDir(name string) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := path.Clean(name)
	if !m.hasFolder(at) {
		return nil, pathError("readdir", name, fs.ErrNotExist)
	}
	return m.names(at), nil
}

// RemoveAll removes a file, or a folder with all in it.
func (m *MemDisk) RemoveAll(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := path.Clean(name)
	for folder := range m.folders {
		if inside(folder, at) {
			delete(m.folders, folder)
		}
	}
	for name, file := range m.files {
		if inside(name, at) {
			m.used -= int64(len(file.data))
			delete(m.files, name)
		}
	}
	return nil
}
