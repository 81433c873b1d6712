package container

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/nodemanager"
	"github.com/coherer/coherer/rpcenv"
)

// Logs are the output of containers in the log directories of a node.
type Logs struct{ disks *Disks }

var _ nodemanager.Logs = Logs{}

// NewLogs makes Logs on disks.
func NewLogs(disks *Disks) Logs { return Logs{disks} }

// List finds the applications that have a directory; other names in the log directories are none of ours.
func (l Logs) List(*rpcenv.Blocking) (all []nodemanager.LogsOf, err error) {
	for _, dir := range l.disks.logs {
		entries, readErr := os.ReadDir(dir)
		err = errors.Join(err, readErr)
		for _, e := range entries {
			id, notOne := ids.ParseApplication(e.Name())
			if notOne != nil || id.String() != e.Name() || !e.IsDir() {
				continue
			}
			all = append(all, nodemanager.LogsOf{App: id, Changed: lastChange(filepath.Join(dir, e.Name()))})
		}
	}
	return all, err
}

// lastChange is when a directory, or a file below it, changed last. What cannot be read is passed over.
func lastChange(dir string) (last time.Time) {
	_ = filepath.WalkDir(dir, func(_ string, e os.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerror // it is passed over
		}
		if info, err := e.Info(); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
		return nil
	})
	return last
}

// Remove removes an application's directories on all disks.
func (l Logs) Remove(_ *rpcenv.Blocking, app ids.Application) error {
	var errs []error
	for _, dir := range l.disks.logs {
		errs = append(errs, removeAll(filepath.Join(dir, app.String())))
	}
	return errors.Join(errs...)
}
