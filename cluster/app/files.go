package app

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/coherer/coherer/actors/rdd"
)

// Files is the operating system's file system as an rdd.FS.
type Files struct{}

type file struct {
	*os.File
	size int64
}

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
	return file{f, info.Size()}, nil
}

// Resolve makes a path absolute: executors have working directories of their own.
func (Files) Resolve(path string) (string, error) { return filepath.Abs(path) }

func (f file) Size() int64 { return f.size }
