package record

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"
)

// newMemoryRing is the ring of a Recorder whose process or world nobody examines after its death.
func newMemoryRing(s shape) *ring { return newRing(s, make([]byte, s.size()), true) }

// newFileRing makes a ring in a new file, which has all that was put in even when the process is killed: the pages belong
// to the file. An empty path is a ring without a file.
func newFileRing(path string, s shape) (g *ring, err error) {
	var f *os.File
	if path != "" {
		if f, err = os.Create(path); err != nil {
			return nil, fmt.Errorf("trace: %w", err)
		}
		// A page that the disk has no room for would be a fault of the process: all is taken now.
		if err = reserve(f, s.size()); err != nil {
			err = fmt.Errorf("trace: reserve %d bytes for %s: %w (free some space)", s.size(), path, err)
			return nil, errors.Join(err, f.Close(), os.Remove(path))
		}
	}
	mem, shared, err := mapped(f, s.size())
	if f != nil {
		err = errors.Join(err, f.Close()) // the mapping stays
	}
	if err != nil {
		return nil, fmt.Errorf("trace: map %s: %w", path, err)
	}
	g = newRing(s, mem, !shared)
	*g.word(ringIdentity) = uint64(time.Now().UnixNano())
	if shared {
		// With the ring, not with Close: late writers still write, and a write behind the mapping is a fault.
		runtime.AddCleanup(g, unmap, mem)
	}
	return g, nil
}

// writeZeros is for systems and file systems that have no other way to reserve room.
func writeZeros(f *os.File, size int) error {
	_, err := f.Write(make([]byte, size))
	return err
}
