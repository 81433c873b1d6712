package recovery

import (
	"errors"
	"sync"

	"github.com/coherer/coherer/actors/records"
)

// group is a file with the changes of one Write. It is durable: its changes count, whether or not the records' own files have them.
type group struct {
	name    string
	changes []records.Change
}

// filer puts the records of groups into files of their own, behind the Writes. What it has not done when the process ends
// the next Load hands to it again. mu is locked before adding.
type filer struct {
	wake chan struct{}
	quit chan struct{}
	done chan struct{}
	once sync.Once

	mu      sync.Mutex // held while groups are filed
	adding  sync.Mutex // guards waiting; held for a moment only, so a Write never waits for the disk of the filer
	waiting []group
}

func (f *filer) start(file func([]group) error) {
	f.wake, f.quit, f.done = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(f.done)
		for {
			select {
			case <-f.quit:
				return
			case <-f.wake:
				f.work(file)
			}
		}
	}()
}

func (f *filer) add(g group) {
	f.adding.Lock()
	f.waiting = append(f.waiting, g)
	f.adding.Unlock()
	select {
	case f.wake <- struct{}{}:
	default: // a wake that is not yet taken stands for this group too
	}
}

// forget empties the queue: Load, which reads the groups, fills it again.
func (f *filer) forget() {
	f.adding.Lock()
	defer f.adding.Unlock()
	f.waiting = nil
}

// work files the waiting groups. After an error they wait again: for the next group, or the next Load.
func (f *filer) work(file func([]group) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.adding.Lock()
	groups := f.waiting
	f.waiting = nil
	f.adding.Unlock()
	if err := file(groups); err != nil {
		// In front: groups that Writes added meanwhile are later, and the last word about a key counts.
		f.adding.Lock()
		f.waiting = append(groups, f.waiting...)
		f.adding.Unlock()
	}
}

func (f *filer) stop() {
	if f.quit == nil {
		return
	}
	f.once.Do(func() { close(f.quit) })
	<-f.done
}

// errEnding ends the filing early: the Master's process ends.
var errEnding = errors.New("recovery: the directory is being closed")

func (f *filer) ending() bool {
	select {
	case <-f.quit: // nil, and never, without the goroutine
		return true
	default:
		return false
	}
}

// file puts the last word of groups about each key into its place, makes that durable, and removes the groups, the oldest
// first.
func (d *Directory) file(groups []group) error {
	if len(groups) == 0 {
		return nil
	}
	// A record that changed in several groups is written once, as the latest has it.
	last := map[string]int{}
	var changes []records.Change
	for _, g := range groups {
		for _, c := range g.changes {
			if i, known := last[c.Key]; known {
				changes[i] = c
				continue
			}
			last[c.Key] = len(changes)
			changes = append(changes, c)
		}
	}
	for _, c := range changes {
		if d.filer.ending() {
			return errEnding
		}
		if err := d.place(c); err != nil {
			return err
		}
	}
	// The groups stay until the records are durable elsewhere. Then the oldest goes first: an older group that outlived a newer
	// one would, at the next Load, undo what the newer one said of the same key.
	if err := d.syncAll(changes); err != nil {
		return err
	}
	for _, g := range groups {
		if err := d.remove(g.name); err != nil {
			return err
		}
	}
	return nil
}

// place changes the file of one record. It need not be durable yet.
func (d *Directory) place(c records.Change) error {
	name := fileName(c.Key)
	if c.Value == nil {
		return d.remove(name)
	}
	if err := d.write(tempMark+name, encode(c), false); err != nil {
		return err
	}
	return d.rename(tempMark+name, name)
}
