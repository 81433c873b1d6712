package bulk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/coherer/coherer/rpcenv"
)

// ErrNameServed says that a FileServer has something else under that name.
var ErrNameServed = errors.New("name is taken")

// maxStreamPath bounds the path that a peer asks for, in bytes: PATH_MAX.
const maxStreamPath = 4 << 10

// FileServer serves files, jars and directories at the RPC port of an Env. It serves what it was given and nothing else:
// a peer's path is looked up in tables, and within a directory nothing leads out of it. Its methods may be called from any
// goroutine. It mirrors org.apache.spark.rpc.netty.NettyStreamManager.
type FileServer struct {
	at rpcenv.Address

	mu    sync.Mutex
	files map[string]string // path by name
	jars  map[string]string
	dirs  map[string]string // path by URI, which begins with a slash
}

// NewFileServer returns the file server of the Env at an address, which serves nothing yet.
func NewFileServer(at rpcenv.Address) *FileServer {
	return &FileServer{at: at, files: map[string]string{}, jars: map[string]string{}, dirs: map[string]string{}}
}

// AddFile serves a regular file as spark://HOST:PORT/files/NAME, and returns that URI; an empty name is the file's own. It
// is opened when it is fetched. The same again gives the same URI, another file under the name is ErrNameServed.
func (s *FileServer) AddFile(name, path string) (uri string, err error) {
	return s.add(s.files, "files", name, path)
}

// AddJar is AddFile for spark://HOST:PORT/jars/NAME.
func (s *FileServer) AddJar(name, path string) (uri string, err error) {
	return s.add(s.jars, "jars", name, path)
}

func (s *FileServer) add(table map[string]string, kind, name, file string) (string, error) {
	if name == "" {
		name = filepath.Base(file)
	}
	if name == "." || name == ".." || strings.ContainsAny(name, "/\x00") {
		return "", fmt.Errorf("serve %s: %q is not the name of a file", file, name)
	}
	full, err := filepath.Abs(file)
	if err != nil {
		return "", fmt.Errorf("serve %s: %w", file, err)
	}
	// Opened only to see that it can be: the caller should hear of a wrong path now, not a peer at some later fetch.
	f, _, err := openRegular(full, os.Stat, os.OpenFile)
	if err != nil {
		return "", fmt.Errorf("serve %s: %w", file, err)
	}
	_ = f.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	if old, ok := table[name]; ok && old != full {
		return "", fmt.Errorf("%w: File %s was already registered with a different path (old path = %s, new path = %s): give it another name",
			ErrNameServed, name, old, full)
	}
	table[name] = full
	return s.at.SparkURL() + "/" + kind + "/" + url.PathEscape(name), nil
}

// AddDirectory serves the regular files below a directory as spark://HOST:PORT/BASE/FILE, and returns the URI of BASE.
// baseURI may lack its leading slash and have a trailing one; it may not be /files or /jars, nor lie below them. Another
// directory under it is ErrNameServed.
func (s *FileServer) AddDirectory(baseURI, dir string) (uri string, err error) {
	base := "/" + strings.TrimSuffix(strings.TrimPrefix(baseURI, "/"), "/")
	first, _, _ := strings.Cut(base[1:], "/")
	switch {
	case base == "/" || path.Clean(base) != base || strings.Contains(base, "\x00"):
		// below compares a peer's path with bases as text: a base has one form only.
		return "", fmt.Errorf("serve %s: %q is not the path of a URI", dir, baseURI)
	case first == "files" || first == "jars":
		// Open looks at these two before it looks for a directory, as NettyStreamManager does.
		return "", fmt.Errorf("serve %s: Directory URI cannot be /%s nor below it: choose another", dir, first)
	}
	full, err := filepath.Abs(dir)
	if err == nil {
		var info fs.FileInfo
		if info, err = os.Stat(full); err == nil && !info.IsDir() {
			err = errors.New("it is not a directory")
		}
	}
	if err != nil {
		return "", fmt.Errorf("serve %s: %w", dir, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if old, ok := s.dirs[base]; ok && old != full {
		return "", fmt.Errorf("%w: URI %s was already registered with a different path (old path = %s, new path = %s): choose another",
			ErrNameServed, base, old, full)
	}
	s.dirs[base] = full
	return s.at.SparkURL() + (&url.URL{Path: base}).EscapedPath(), nil
}

// Open opens the file that a peer asks for. The first segment of its path chooses files, jars or a directory. The errors go
// to the peer, in Spark's words, and do not reveal where files lie on this machine.
func (s *FileServer) Open(asked string) (io.ReadCloser, int64, error) {
	if len(asked) > maxStreamPath {
		return nil, 0, fmt.Errorf("a path of %d bytes, allowed are %d", len(asked), maxStreamPath)
	}
	asked = "/" + strings.TrimPrefix(asked, "/")
	first, name, _ := strings.Cut(asked[1:], "/")
	switch first {
	case "files":
		return s.openNamed(asked, s.files, name)
	case "jars":
		return s.openNamed(asked, s.jars, name)
	}
	dir, rest := s.below(asked)
	if dir == "" {
		return nil, 0, fmt.Errorf("Invalid stream URI: %s not found.", first)
	}
	// A Root follows no symbolic link and no ".." out of the directory, whatever the peer has asked for.
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, 0, notFound(asked, err)
	}
	defer func() { _ = root.Close() }()
	f, size, err := openRegular(rest, root.Stat, root.OpenFile)
	if err != nil {
		return nil, 0, notFound(asked, err)
	}
	return f, size, nil
}

func (s *FileServer) openNamed(asked string, table map[string]string, name string) (io.ReadCloser, int64, error) {
	s.mu.Lock()
	file, ok := table[name]
	s.mu.Unlock()
	if !ok {
		return nil, 0, notFound(asked, fs.ErrNotExist)
	}
	f, size, err := openRegular(file, os.Stat, os.OpenFile)
	if err != nil {
		return nil, 0, notFound(asked, err)
	}
	return f, size, nil
}

// below is the directory with the longest URI above a path, and the rest of the path.
func (s *FileServer) below(asked string) (dir, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// From the end backwards: the URI of a directory may lie below that of another, and the longest one is meant.
	for end := strings.LastIndexByte(asked, '/'); end > 0; end = strings.LastIndexByte(asked[:end], '/') {
		if dir := s.dirs[asked[:end]]; dir != "" {
			return dir, asked[end+1:]
		}
	}
	return "", ""
}

// notFound says what was asked for and the innermost cause, without the path of this machine.
func notFound(asked string, err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return fmt.Errorf("Stream '%s' was not found: %w", asked, err)
}

// openRegular opens a regular file. It checks the kind before, since to open a pipe or a device may have an effect on its other
// side, and again when it is open.
func openRegular(name string, stat func(string) (fs.FileInfo, error), open func(string, int, fs.FileMode) (*os.File, error)) (*os.File, int64, error) {
	irregular := errors.New("it is not a regular file")
	info, err := stat(name)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, irregular
	}
	// The name may stand for another file since: one that is a pipe now must not hold the opener up until somebody writes.
	f, err := open(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = irregular
	}
	if err != nil {
		_ = f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}
