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
	changed time.Time
}

var _ rdd.Versioned = file{}

var _ rdd.Resolver = Files{}

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
	return file{f, info.Size(), info.ModTime()}, nil
}

// Resolve makes a path absolute: executors have working directories of their own.
func (Files) Resolve(path string) (string, error) { return filepath.Abs(path) }

func (f file) Size() int64 { return f.size }

// Version is the time of the last change.
func (f file) Version() string { return f.changed.Format(time.RFC3339Nano) }
