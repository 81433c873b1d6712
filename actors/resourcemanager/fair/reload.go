//coherer:pure

package fair

import (
	"fmt"
	"time"
)

// The times of reading an allocation file again, as in Hadoop's AllocationFileLoaderService.
const (
	ReloadInterval = 10 * time.Second // how often to Look
	ReloadWait     = 5 * time.Second  // how old a change has to be, so that the file is whole
)

// File is where an allocation file lies.
type File interface {
	// Modified is when it was written last.
	Modified() (time.Time, error)
	// Read is what is in it, at most MaxFileSize and one byte.
	Read() ([]byte, error)
}

// Reload keeps up with an allocation file. Its owner loads it once with Load, then every ReloadInterval calls Look where it
// may block, and Take where it may not.
type Reload struct {
	options Options
	loaded  time.Time // when it was last read with success
	told    string    // what of a bad file has been said
}

// NewReload is one for a file that has not been read.
func NewReload(o Options) Reload { return Reload{options: o} }

// News is what Look found.
type News struct {
	At   time.Time // when it looked
	Due  bool      // there is something new, or nothing to be had
	Data []byte
	Err  error
}

// Look reads the file if it changed since it was last read with success, and is ReloadWait old. A bad file is read again each
// time, though it did not change. It changes nothing in r.
func (r Reload) Look(f File, now time.Time) News {
	n := News{At: now}
	modified, err := f.Modified()
	switch {
	case err != nil:
		n.Due, n.Err = true, err
	case modified.After(r.loaded) && now.After(modified.Add(ReloadWait)):
		n.Due = true
		n.Data, n.Err = f.Read()
	}
	return n
}

// Take is the new allocations, or nil when the old ones stay. An error says why a file that should count does not; the same
// error is not said again until the file was good.
func (r *Reload) Take(n News) (*Allocations, error) {
	if !n.Due {
		return nil, nil
	}
	a, err := r.read(n)
	switch {
	case err == nil:
		r.told = ""
		return a, nil
	case err.Error() == r.told:
		return nil, nil
	}
	r.told = err.Error()
	return nil, fmt.Errorf("the old allocations stay: %w", err)
}

// Load reads the file whatever its age, as when the ResourceManager starts. An error is one of the start.
func (r *Reload) Load(f File, now time.Time) (*Allocations, error) {
	n := News{At: now}
	n.Data, n.Err = f.Read()
	return r.read(n)
}

func (r *Reload) read(n News) (*Allocations, error) {
	if n.Err != nil {
		return nil, fmt.Errorf("allocation file cannot be read: %w", n.Err)
	}
	a, err := ParseAllocations(n.Data, r.options)
	if err == nil {
		r.loaded = n.At
	}
	return a, err
}
