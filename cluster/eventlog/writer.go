package eventlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/coherer/coherer/rpcenv/conf"
)

// What stands in the names of files.
const (
	inProgress    = ".inprogress"
	rollingPrefix = "eventlog_v2_"
	codecSuffix   = ".zstd"
)

// Logs are open to the user and to the History Server's group, as in Spark.
const (
	fileMode = 0o660
	dirMode  = 0o770
)

// Writer writes one event log. It implements driver/bus.Log; its methods are not for several goroutines.
type Writer struct {
	dir       string
	overwrite bool
	compress  bool
	buffer    int
	max       int64 // of a file; 0: the log does not roll

	name  string // of the log: its file, or its directory
	app   string // as it stands in names
	file  *file
	index int // of the newest file of a rolling log
}

// New is the Writer of an application with these settings; nil: its log is not wanted. It fails when the directory is not there.
func New(c *conf.Conf) (*Writer, error) {
	if !eventLogEnabled.Get(c) {
		return nil, nil
	}
	path, err := localPath(eventLogDir.Get(c))
	if err != nil {
		return nil, err
	}
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("event log: %s does not exist: make it, or set %s to another directory, or %s to false", path, eventLogDir.Key(), eventLogEnabled.Key())
	case err != nil:
		return nil, fmt.Errorf("event log: %w", err)
	case !info.IsDir():
		return nil, fmt.Errorf("event log: %s is no directory: set %s to one", path, eventLogDir.Key())
	}
	w := &Writer{dir: path, overwrite: eventLogOverwrite.Get(c), compress: eventLogCompress.Get(c), buffer: int(eventLogBuffer.Get(c) * conf.KiB)}
	if eventLogRolling.Get(c) {
		w.max = eventLogMaxFileSize.Get(c)
	}
	return w, nil
}

// localPath is the path of a directory on this machine, which may be a URI of the scheme file.
func localPath(text string) (string, error) {
	scheme, rest, found := strings.Cut(text, ":")
	switch {
	case !found || strings.Contains(scheme, "/"):
		return text, nil
	case scheme != "file":
		return "", fmt.Errorf("%s: %s is not on this machine: only directories of this machine have event logs", eventLogDir.Key(), text)
	}
	return "/" + strings.TrimLeft(rest, "/"), nil
}

// inNames is an application's id as it stands in the names of files. It mirrors EventLogFileWriter.nameForAppAndAttempt.
func inNames(app string) string {
	dashes := strings.NewReplacer(" ", "-", ":", "-", "/", "-", ".", "_", "$", "_", "{", "_", "}", "_", "'", "_", `"`, "_")
	return strings.ToLower(dashes.Replace(app))
}

// Start begins the log of an application.
func (w *Writer) Start(app string) error {
	if w.app = inNames(app); w.app == "" {
		return errors.New("event log: the application has no id")
	}
	if w.max == 0 {
		w.name = filepath.Join(w.dir, w.app+w.suffix())
		return w.open(w.name + inProgress)
	}
	w.name = filepath.Join(w.dir, rollingPrefix+w.app)
	if _, err := os.Stat(w.name); err == nil {
		if !w.overwrite {
			return fmt.Errorf("event log: %s exists already: remove it, or set %s", w.name, eventLogOverwrite.Key())
		}
		if err := os.RemoveAll(w.name); err != nil {
			return fmt.Errorf("event log: %w", err)
		}
	}
	// The mask of the process would take the group's right to write.
	if err := errors.Join(os.Mkdir(w.name, dirMode), os.Chmod(w.name, dirMode)); err != nil {
		return fmt.Errorf("event log: %w", err)
	}
	status, err := newFile(w.statusFile()+inProgress, false, 0)
	if err != nil {
		return fmt.Errorf("event log: %w", err)
	}
	return errors.Join(status.close(), w.roll())
}

func (w *Writer) suffix() string {
	if w.compress {
		return codecSuffix
	}
	return ""
}

func (w *Writer) statusFile() string { return filepath.Join(w.name, "appstatus_"+w.app) }

// roll begins the next file of a rolling log.
func (w *Writer) roll() error {
	if err := w.close(); err != nil {
		return err
	}
	w.index++
	return w.open(filepath.Join(w.name, fmt.Sprintf("events_%d_%s%s", w.index, w.app, w.suffix())))
}

func (w *Writer) open(path string) error {
	f, err := newFile(path, w.compress, w.buffer)
	if err != nil {
		return fmt.Errorf("event log: %w", err)
	}
	w.file = f
	return nil
}

// Write adds lines, each with its line end. A failure ends the log: its file is closed, and keeps the name of one in progress.
func (w *Writer) Write(lines [][]byte) error {
	if w.file == nil {
		return errors.New("event log: it is closed")
	}
	err := w.write(lines)
	if err != nil && w.file != nil {
		_ = w.file.f.Close() // the first failure says what is wrong
		w.file = nil
	}
	return err
}

func (w *Writer) write(lines [][]byte) error {
	for _, line := range lines {
		if w.max > 0 && w.file.written() > 0 && w.file.written()+int64(len(line)) > w.max {
			if err := w.roll(); err != nil {
				return err
			}
		}
		if err := w.file.write(line); err != nil {
			return fmt.Errorf("event log: %w", err)
		}
	}
	if err := w.file.flush(); err != nil {
		return fmt.Errorf("event log: %w", err)
	}
	return nil
}

// End closes the log and gives it the name of one whose application is over.
func (w *Writer) End() error {
	if err := w.close(); err != nil {
		return err
	}
	final := w.name
	if w.max > 0 {
		final = w.statusFile()
	} else if _, err := os.Stat(final); err == nil && !w.overwrite {
		return fmt.Errorf("event log: %s exists already: this one stays %s; remove the other, or set %s", final, final+inProgress, eventLogOverwrite.Key())
	}
	if err := os.Rename(final+inProgress, final); err != nil {
		return fmt.Errorf("event log: %w", err)
	}
	return nil
}

func (w *Writer) close() error {
	if w.file == nil {
		return nil
	}
	err := w.file.close()
	w.file = nil
	if err != nil {
		return fmt.Errorf("event log: %w", err)
	}
	return nil
}
