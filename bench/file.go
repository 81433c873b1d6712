package bench

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// File is a file that appears whole or not at all: it is written beside its place and renamed. What is there and is no regular
// file, such as a pipe or /dev/null, is written to as it is.
type File struct {
	path string
	f    *os.File
	next bool // f is a new file beside path
}

// NewFile opens the file for its contents, so that a place that cannot be written to is an error at once. The caller ends it by
// Commit or Abandon.
func NewFile(path string) (*File, error) {
	// Of a symbolic link the target is replaced, and not the link.
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	at, err := os.Stat(path)
	switch {
	case err == nil && at.IsDir():
		return nil, fmt.Errorf("%s is a folder: want a file", path)
	case err == nil && !at.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		return &File{path, f, false}, err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, unnamed(err))
	}
	return &File{path, f, true}, nil
}

// Commit writes the contents and gives the file its name. After an error the file at path is what it was.
func (f *File) Commit(write func(io.Writer) error) error {
	err := write(f.f)
	if err == nil && f.next {
		err = errors.Join(f.f.Chmod(0o644), f.f.Sync()) // a disk may say that it is full as late as now
	}
	if closed := f.f.Close(); err == nil {
		err = closed
	}
	if err == nil && f.next {
		err = os.Rename(f.f.Name(), f.path)
	}
	if err != nil {
		f.Abandon()
		return fmt.Errorf("%s is not written: %w", f.path, unnamed(err))
	}
	f.next = false
	return nil
}

// unnamed takes the file name out of an error: it is that of the file beside path, which the user has not named.
func unnamed(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}

// Abandon leaves path as it is. After Commit it does nothing.
func (f *File) Abandon() {
	_ = f.f.Close()
	if f.next {
		_ = os.Remove(f.f.Name())
		f.next = false
	}
}
