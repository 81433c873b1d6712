package recovery

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Each change of the disk calls ask first, so that a test can make it fail.

func (d *Directory) ask(op, name string) (path string, err error) {
	path = filepath.Join(d.path, name)
	if d.before != nil {
		if err := d.before(op, path); err != nil {
			return path, fmt.Errorf("recovery directory: %w", &fs.PathError{Op: op, Path: path, Err: err})
		}
	}
	return path, nil
}

// write makes a file; durable: with a sync.
func (d *Directory) write(name string, data []byte, durable bool) error {
	path, err := d.ask("write", name)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("recovery directory: %w", err)
	}
	_, err = f.Write(data)
	if err == nil && durable {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("recovery directory: %w", err)
	}
	return nil
}

func (d *Directory) rename(from, to string) error {
	path, err := d.ask("rename", from)
	if err != nil {
		return err
	}
	if err := os.Rename(path, filepath.Join(d.path, to)); err != nil {
		return fmt.Errorf("recovery directory: %w", err)
	}
	return nil
}

// remove removes a file; one that is not there is no error.
func (d *Directory) remove(name string) error {
	path, err := d.ask("remove", name)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("recovery directory: %w", err)
	}
	return nil
}

// sync makes names durable.
func (d *Directory) sync() error {
	if _, err := d.ask("sync", ""); err != nil {
		return err
	}
	if err := d.dir.Sync(); err != nil {
		return fmt.Errorf("recovery directory: %w", err)
	}
	return nil
}
