package rdd

import (
	"bytes"
	"io"
	"io/fs"
)

// FS is where TextFile finds its files. Driver and executors see the same files under the same paths; a relative path means
// what it means at the driver, see Resolver.
type FS interface {
	// Open opens a file for reading. An error of a missing file satisfies errors.Is(err, fs.ErrNotExist).
	Open(path string) (File, error)
}

// Resolver is an FS in which the meaning of a path depends on the process: an operating system's, with its working
// directory.
type Resolver interface {
	FS
	// Resolve is the path under which all processes find what path means in this one.
	Resolve(path string) (string, error)
}

// File is an open file of an FS.
type File interface {
	io.ReaderAt
	// Size is the length in bytes at the time of Open.
	Size() int64
	Close() error
}

// Versioned is a File whose contents may differ from one Open to the next though its size does not.
type Versioned interface {
	File
	// Version is another text whenever the contents have changed, as the time of the last change.
	Version() string
}

// MemFS is an FS in memory: contents by path. It must not change while it is used.
type MemFS map[string][]byte

// Open opens the contents kept under path.
func (m MemFS) Open(path string) (File, error) {
	b, ok := m[path]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return memFile{bytes.NewReader(b)}, nil
}

type memFile struct{ *bytes.Reader }

func (memFile) Close() error { return nil }
