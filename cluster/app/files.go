package app

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/coherer/coherer/actors/rdd"
)

// Files is the operating system's file system as an rdd.FS.
type Files struct{}

type file struct {
	*os.File
	size    int64
	version string
}

var _ rdd.Versioned = file{}

var (
	_ rdd.Resolver = Files{}
	_ rdd.OutputFS = Files{}
)

// Open opens a regular file.
func (Files) Open(path string) (rdd.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file: name a file, not a folder or a pipe", path)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return file{f, info.Size(), info.ModTime().Format(time.RFC3339Nano) + changeOf(info)}, nil
}

// Resolve makes a path absolute: executors have working directories of their own.
func (Files) Resolve(path string) (string, error) { return filepath.Abs(path) }

func (f file) Size() int64 { return f.size }

// Version is the time of the last change as the file says it, and, on Linux, as the system does: a program may set the former.
func (f file) Version() string { return f.version }
