package election

import (
	"errors"
	"slices"
	"time"

	"github.com/coherer/coherer/rpcenv"
)

// MemoryLog is a Log in memory, for simulations. It outlives the process that writes it, as a disk does; what was not
// saved when the process ended is lost. It belongs to the World's goroutine.
type MemoryLog struct {
	// Takes is how long a Save takes; in the middle of it the process may end. 0: it needs no Blocking, unless it is Early.
	Takes time.Duration
	// Full makes each further Save fail.
	Full bool
	// Early makes Saves return that long before they are durable: a process that ends meanwhile has lost them. No disk and no
	// program may do that: it shows that the tests find such a fault.
	Early time.Duration

	saved Saved
	early []earlyBatch
	// Saves counts those that were made.
	Saves int
}

// ErrFull is the error of a MemoryLog that is Full.
var ErrFull = errors.New("no space left on device")

type earlyBatch struct {
	durable time.Time
	batch   Batch
}

// Name is what messages call it.
func (l *MemoryLog) Name() string { return "the log in memory" }

// Load is what was saved.
func (l *MemoryLog) Load(b *rpcenv.Blocking) (Saved, error) {
	if l.Early > 0 {
		l.settle(b.Now())
		l.early = nil
	}
	s := l.saved
	s.Entries = slices.Clone(s.Entries)
	return s, nil
}

// Lose loses everything.
func (l *MemoryLog) Lose() { l.saved, l.early = Saved{}, nil }

// Save keeps a batch when the time that it takes is over.
func (l *MemoryLog) Save(b *rpcenv.Blocking, batch Batch) error {
	if l.Takes > 0 {
		if err := b.Sleep(l.Takes); err != nil {
			return err
		}
	}
	switch {
	case l.Full:
		return ErrFull
	case l.Early > 0:
		l.early = append(l.early, earlyBatch{b.Now().Add(l.Early), batch})
		return nil
	}
	l.Saves++
	l.saved.apply(batch)
	return nil
}

// settle keeps what has become durable meanwhile.
func (l *MemoryLog) settle(now time.Time) {
	for len(l.early) > 0 && !l.early[0].durable.After(now) {
		l.saved.apply(l.early[0].batch)
		l.early = l.early[1:]
	}
}

func (s *Saved) apply(batch Batch) {
	if batch.Identity != nil {
		s.Identity = batch.Identity
	}
	if batch.Vote != nil {
		s.Vote = batch.Vote
	}
	if batch.Whole {
		s.Entries = nil
	}
	if batch.Snapshot != nil {
		s.Snapshot = batch.Snapshot
		s.Entries = slices.Clone(after(s.Entries, batch.Snapshot.GetIndex()))
	}
	if len(batch.Entries) > 0 {
		s.Entries = append(before(s.Entries, batch.Entries[0].GetIndex()), batch.Entries...)
	}
}
