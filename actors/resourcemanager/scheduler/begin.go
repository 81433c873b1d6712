package scheduler

import (
	"fmt"
	"time"

	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/actors/resourcemanager/life"
	"github.com/coherer/coherer/rpcenv"
)

// Allocations is the file of the FairScheduler's queues. Its method is a body of [rpcenv.Run]: it may do I/O.
type Allocations interface {
	// Read returns the file's content and the time of its last change. An error says which file and why.
	Read(b *rpcenv.Blocking) (content []byte, modified time.Time, err error)
}

// BeginScheduler notifies the Scheduler that the ResourceManager serves, with the content of its allocation file.
type BeginScheduler struct {
	rpcenv.Local
	life.Life
	Allocations []byte // nil: no file
	Modified    time.Time
}

func (s *Scheduler) beginScheduler(c *rpcenv.Context, m BeginScheduler) {
	s.life = m.Life
	s.conf.Epoch = m.Epoch
	wait := schedulingWait.Get(c.Conf())
	if m.Recovered { // while nodes come back, an ask larger than the largest one so far is no mistake
		s.conf.NodesCountFrom = s.now(c) + wait
	}
	allocations, err := s.load(c, m)
	if err == nil {
		err = s.makeBook(allocations)
	}
	if err != nil {
		c.Exit(1, "the ResourceManager has no scheduler and ends: "+err.Error())
		return
	}
	if m.Recovered {
		// Nodes first report what they run: until then the book decides without knowing it, and must not give anything.
		s.readyAt = c.Now().Add(wait)
		c.After(wait, schedulingStart{})
		c.After(NMExpiry.Get(c.Conf()), unreportedTick{})
	}
	expiry := containerExpiry.Get(c.Conf()) / 3
	c.Every(expiry, expiry, expireTick{})
	if s.fifo {
		return
	}
	c.Every(s.conf.UpdateInterval, s.conf.UpdateInterval, updateTick{})
	if s.conf.Continuous {
		c.Every(s.conf.ContinuousSleep, s.conf.ContinuousSleep, continuousTick{})
	}
	c.Every(fair.ReloadInterval, fair.ReloadInterval, reloadTick{})
}

// schedulingStart ends the wait after a restart.
func (s *Scheduler) schedulingStart(c *rpcenv.Context) {
	c.Log().Info("Containers are given from now on")
}

// load reads the allocation file's content at the beginning.
func (s *Scheduler) load(c *rpcenv.Context, m BeginScheduler) (*fair.Allocations, error) {
	o := fair.Options{
		Faults:             s.conf.Faults,
		UserAsDefaultQueue: FairUserAsDefaultQueue.Get(c.Conf()),
		AllowUndeclared:    fairAllowUndeclaredPools.Get(c.Conf()),
	}
	s.file = fair.NewReload(o)
	if m.Allocations == nil {
		return fair.NoAllocations(o), nil
	}
	a, err := s.file.Load(fair.File{Data: m.Allocations, Modified: m.Modified}, c.Now())
	if err != nil {
		return nil, fmt.Errorf("%s=%s: %w: mend the file, or name another", FairAllocationFile.Key(), FairAllocationFile.Get(c.Conf()), err)
	}
	warn(c, a)
	return a, nil
}

// warn logs those parts of an allocation file that have no effect.
func warn(c *rpcenv.Context, a *fair.Allocations) {
	for _, w := range a.Warnings {
		c.Log().Warnf("allocation file: %s", w)
	}
}

// makeBook begins with an empty book.
func (s *Scheduler) makeBook(allocations *fair.Allocations) error {
	if s.fifo {
		f, err := fair.NewFIFO(0, s.conf)
		if err != nil {
			return err
		}
		s.book, s.policy = f.Scheduler, f
		return nil
	}
	b, err := fair.New(0, s.conf, allocations)
	s.book, s.policy = b, b
	return err
}

// reloadTick removes unused queues and reads the allocation file again. A bad new file keeps the old settings.
func (s *Scheduler) reloadTick(c *rpcenv.Context) {
	s.book.Tidy(s.now(c))
	if s.allocations == nil {
		return
	}
	rpcenv.Run(c, "allocations", func(b *rpcenv.Blocking) (f fair.File, err error) {
		f.Data, f.Modified, err = s.allocations.Read(b)
		return f, err
	}, func(f fair.File, err error) {
		f.Err = err // Take reports it once, not every ten seconds
		a, err := s.file.Take(f, c.Now())
		switch {
		case err != nil:
			c.Log().Errorf("Failed to reload fair scheduler config file - will use existing allocations: %v", err)
		case a != nil:
			warn(c, a)
			c.Log().Info("The allocation file was read again")
			s.decided(c, s.book.Reload(s.now(c), a))
		}
	})
}

func (s *Scheduler) updateTick(c *rpcenv.Context) {
	s.book.Update(s.now(c))
	s.asked = false
	// Not before: the nodes with room for a starving application may still come back.
	if s.ready(c) {
		s.decided(c, s.book.Preempt(s.now(c)))
		s.armKill(c)
	}
}

// armKill sets the timer to when the next containers that are marked end.
func (s *Scheduler) armKill(c *rpcenv.Context) {
	at, ok := s.book.NextKill()
	if !ok || s.kill.Active() { // an active one is for the earliest: all marked containers have the same time to end
		return
	}
	s.kill = c.After(max(0, at-s.now(c)), killTick{})
}

func (s *Scheduler) killTick(c *rpcenv.Context) {
	s.decided(c, s.book.KillMarked(s.now(c)))
	s.armKill(c)
}

func (s *Scheduler) continuousTick(c *rpcenv.Context) {
	if !s.ready(c) {
		return
	}
	if s.asked && !s.conf.Faults.StalePasses {
		// A pass skips applications without demand at the last update, which may be half a second ago.
		s.book.Update(s.now(c))
		s.asked = false
	}
	s.decided(c, s.book.ContinuousPass(s.now(c)))
}
