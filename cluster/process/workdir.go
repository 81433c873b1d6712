package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// maxID bounds the length in bytes of an id that becomes a directory's name.
const maxID = 128

// ExecutorDir makes the work directory of an executor, WORK/APP/EXEC, for nobody but this user, and returns its path. The
// ids come from other processes: one that is no plain name is an error. As in Spark, so is a directory that exists: an
// executor id is used once, and what the earlier executor wrote is not touched.
func ExecutorDir(work, app, exec string) (string, error) {
	if work == "" {
		return "", errors.New("executor directory: no work directory is named")
	}
	if err := checkID("application", app); err != nil {
		return "", fmt.Errorf("executor directory: %w", err)
	}
	if err := checkID("executor", exec); err != nil {
		return "", fmt.Errorf("executor directory: %w", err)
	}
	parent := filepath.Join(work, app)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", fmt.Errorf("executor directory: %w", explain(err))
	}
	dir := filepath.Join(parent, exec)
	if err := os.Mkdir(dir, 0o700); errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("executor directory: %w: an executor of this id ran here before: remove it or choose another work directory", err)
	} else if err != nil {
		return "", fmt.Errorf("executor directory: %w", explain(err))
	}
	return dir, nil
}

// checkID refuses what is no plain name of a directory: letters, digits, '.', '_' and '-', not beginning with '.'.
func checkID(what, id string) error {
	switch {
	case id == "":
		return fmt.Errorf("the %s id is empty", what)
	case len(id) > maxID:
		return fmt.Errorf("the %s id has %d bytes, more than %d", what, len(id), maxID)
	case id[0] == '.':
		return fmt.Errorf("the %s id %q begins with a dot", what, id)
	}
	for _, c := range []byte(id) {
		plain := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-'
		if !plain {
			return fmt.Errorf("the %s id %q contains %q: want letters, digits, '.', '_' and '-'", what, id, c)
		}
	}
	return nil
}
