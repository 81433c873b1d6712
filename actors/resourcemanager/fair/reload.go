//coherer:pure

package fair

import (
	"fmt"
	"time"
)

// The times of reading an allocation file again, as in Hadoop's AllocationFileLoaderService.
const (
	ReloadInterval = 10 * time.Second // between two readings
	reloadWait     = 5 * time.Second  // how old a change has to be, so that the file is whole
)

// File is an allocation file as it was read.
type File struct {
	Data     []byte
	Modified time.Time
	Err      error // why it could not be read
}

// Reload keeps up with an allocation file. Its owner reads the file once for Load, and every ReloadInterval for Take.
type Reload struct {
	options  Options
	loaded   time.Time // when a good file was last read
	modified time.Time // that file's time
	reported string    // the last error, which Take returns only once
}

// NewReload is a Reload for a file that has not been read.
func NewReload(o Options) Reload { return Reload{options: o} }

// Load takes the file at the start of the ResourceManager, whatever its age. An error ends the start.
func (r *Reload) Load(f File, now time.Time) (*Allocations, error) {
	if f.Err != nil {
		return nil, fmt.Errorf("allocation file cannot be read: %w", f.Err)
	}
	a, err := parseAllocations(f.Data, r.options)
	if err == nil {
		r.loaded, r.modified = now, f.Modified
	}
	return a, err
}

// Take is the new allocations, or nil when the old ones stay: when the file did not change, when its change is not
// reloadWait old, or when it is bad. An error says why a bad file does not count; the same error is not returned again until
// another one came, or a good file.
func (r *Reload) Take(f File, now time.Time) (*Allocations, error) {
	if f.Err == nil && !r.due(f.Modified, now) { // a file that cannot be read has no time
		return nil, nil
	}
	a, err := r.Load(f, now)
	switch {
	case err == nil:
		r.reported = ""
		return a, nil
	case err.Error() == r.reported:
		return nil, nil
	}
	r.reported = err.Error()
	return nil, fmt.Errorf("the old allocations stay: %w", err)
}

func (r *Reload) due(modified, now time.Time) bool {
	changed := !modified.Equal(r.modified)
	if r.options.Faults.missesOlder {
		changed = modified.After(r.loaded)
	}
	return changed && now.After(modified.Add(reloadWait))
}
