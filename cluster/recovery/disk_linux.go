package recovery

import (
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"

	"github.com/coherer/coherer/actors/records"
)

// syncAll makes the files of changes, and their names, durable, all at once.
func (d *Directory) syncAll([]records.Change) error {
	if _, err := d.ask("syncfs", ""); err != nil {
		return err
	}
	// One call, however many records a group has; a sync for each of them would cost as many waits for the disk.
	if err := unix.Syncfs(int(d.dir.Fd())); err != nil {
		return fmt.Errorf("recovery directory: %w", &fs.PathError{Op: "syncfs", Path: d.path, Err: err})
	}
	return nil
}
