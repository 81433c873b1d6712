package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// defaultBodyLimit is how many bytes of a message's encoding a Recorder keeps unless its maker says otherwise.
const defaultBodyLimit = 1 << 10

// NewRecorder returns a Recorder that keeps everything in memory: that of a world or a test. bodyLimit is how many bytes
// of a message are kept; 0 means defaultBodyLimit, less than that none.
func NewRecorder(bodyLimit int) *Recorder {
	return &Recorder{bodyLimit: limitOf(bodyLimit), ring: newMemoryRing(memoryShape), exact: true}
}

// NewRingRecorder returns a Recorder that has only its ring, in memory: that of a process that has nowhere to record to.
func NewRingRecorder() (*Recorder, error) {
	g, err := newFileRing("", processShape)
	if err != nil {
		return nil, err
	}
	r := &Recorder{ring: g, nowhere: true}
	r.clock.total = g.total
	return r, nil
}

// NewFileRecorder returns a Recorder that writes to a new file, at most 100 ms after the fact, and has its ring in another
// one beside it, RingPath, which outlives even a kill -9. A failed write is reported by Close; what was written before
// stays readable. A ring for which there is no room in the file system is kept in memory, which Close reports too.
func NewFileRecorder(path string, bodyLimit int) (*Recorder, error) {
	g, lost := newFileRing(RingPath(path), processShape)
	if lost != nil {
		// The ring is an aid for the time after a crash: the lack of its file must not keep the process from running.
		var err error
		if g, err = newFileRing("", processShape); err != nil {
			return nil, errors.Join(lost, err)
		}
	}
	r := &Recorder{bodyLimit: limitOf(bodyLimit), ring: g, lost: lost}
	r.clock.total = g.total
	var err error
	r.file, err = newWriter(r, path)
	if err != nil {
		if lost == nil { // else the ring has no file
			err = errors.Join(err, removeRing(path))
		}
		return nil, err
	}
	return r, nil
}

// MakeDir makes the directory that processes are to record to, if it is missing, and returns its absolute path, which means
// the same in every process of this machine. A full disk is no error: see NewProcessRecorder.
func MakeDir(dir string) (string, error) {
	path, err := filepath.Abs(dir)
	if err == nil {
		err = os.MkdirAll(path, 0o755)
	}
	if err != nil && !DiskFull(err) {
		return "", fmt.Errorf("trace: %w: name a directory that can be made with coherer.trace.dir, or leave that out", err)
	}
	return path, nil
}

// NewProcessRecorder returns the Recorder of a process: one that records to a file, or without a path one that has only
// its ring, in memory. A disk that is full is no reason to end the process: it then has the ring alone, which Close reports.
// A bodyLimit of 0 keeps no bodies.
func NewProcessRecorder(path string, bodyLimit int) (*Recorder, error) {
	if path == "" {
		return NewRingRecorder()
	}
	if bodyLimit == 0 {
		bodyLimit = -1
	}
	r, lost := NewFileRecorder(path, bodyLimit)
	if !DiskFull(lost) {
		return r, lost
	}
	r, err := NewRingRecorder()
	if err != nil {
		return nil, errors.Join(lost, err)
	}
	r.lost = fmt.Errorf("%w (free some space; the process goes on without a trace)", lost)
	return r, nil
}

// DiskFull reports whether an error is that of a full disk, or of a used-up quota.
func DiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// RingPath is where the ring is of a Recorder that records to path.
func RingPath(path string) string { return strings.TrimSuffix(path, ".trace") + ".ring" }

func removeRing(path string) error {
	if err := os.Remove(RingPath(path)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func limitOf(bodyLimit int) int {
	if bodyLimit == 0 {
		return defaultBodyLimit
	}
	return min(max(bodyLimit, 0), maxBody)
}
