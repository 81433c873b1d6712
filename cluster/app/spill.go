package app

import (
	"errors"
	"fmt"
	"os"

	"github.com/coherer/coherer/actors/rdd"
)

// Create implements [rdd.Spill]. Where the system allows it the file has no name any more, so that nothing is left of it, however the
// process ends.
func (b *blocks) Create() (rdd.SpillFile, error) {
	number, dir := b.nextFile()
	f, err := os.CreateTemp(dir, fmt.Sprintf("temp_local_%d_", number))
	if err != nil {
		return nil, needsSpace(err)
	}
	named := os.Remove(f.Name()) != nil
	return &spillFile{File: f, named: named}, nil
}

// spillFile is a temporary file of a task.
type spillFile struct {
	*os.File
	named bool
}

// Write says what to do when the disk is full.
func (f *spillFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	if err != nil {
		return n, needsSpace(err)
	}
	return n, nil
}

// Close implements [rdd.SpillFile].
func (f *spillFile) Close() error {
	err := f.File.Close()
	if f.named {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
