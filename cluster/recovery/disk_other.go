//go:build !linux

package recovery

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/coherer/coherer/actors/records"
)

// syncAll makes the files of changes, and their names, durable, one by one.
func (d *Directory) syncAll(changes []records.Change) error {
	for _, c := range changes {
		if c.Value == nil {
			continue
		}
		f, err := os.OpenFile(filepath.Join(d.path, fileName(c.Key)), os.O_RDWR, 0)
		if err == nil {
			err = errors.Join(f.Sync(), f.Close())
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) { // a later change removed it
			return fmt.Errorf("recovery directory: %w", err)
		}
	}
	return d.sync()
}
