package app

import (
	"io"
	"os"
)

// Mkdir makes a folder.
func (Files) Mkdir(path string) error { return os.Mkdir(path, 0o755) }

// MkdirAll makes a folder with those above it.
func (Files) MkdirAll(path string) error { return os.MkdirAll(path, 0o755) }

// Create makes a file that does not exist.
func (Files) Create(path string) (io.WriteCloser, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
}

// Rename moves a file or a folder.
func (Files) Rename(from, to string) error { return os.Rename(from, to) }

// ReadDir is the names in a folder, sorted.
func (Files) ReadDir(path string) ([]string, error) {
	entries, err := os.ReadDir(path)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// RemoveAll removes a file, or a folder with all in it.
func (Files) RemoveAll(path string) error { return os.RemoveAll(path) }
