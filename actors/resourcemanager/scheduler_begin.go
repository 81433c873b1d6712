package resourcemanager

import (
	"fmt"
	"strings"
	"time"

	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// schedulerBegins tells the Scheduler that the ResourceManager serves, and what its allocation file says.
type schedulerBegins struct {
	rpcenv.Local
	life
	allocations []byte // nil: there is no file
	modified    time.Time
}

// allocationFile is what was read last.
type allocationFile struct {
	modified time.Time
	failed   string // the last error, told once
}

// The reload of the allocation file. They mirror AllocationFileLoaderService.
const (
	reloadInterval = 10 * time.Second
	reloadAge      = 5 * time.Second // a file counts when it is at least so old: somebody may still be writing it
)

func (s *Scheduler) begin(c *rpcenv.Context, m schedulerBegins) {
	s.life = m.life
	s.conf.Epoch = m.life.epoch
	s.file.modified = m.modified
	allocations, err := s.parse(c, m.allocations)
	if err == nil {
		s.book, err = newBook(c.Conf(), s.conf, allocations)
	}
	if err != nil {
		why := "the ResourceManager has no scheduler and ends: " + err.Error()
		c.Log().Error(why)
		c.Exit(1, why)
		return
	}
	if m.recovered {
		wait := conf.SchedulingWait.Get(c.Conf())
		s.readyAt = c.Now().Add(wait)
		c.After(wait, schedulingStart{})
	}
	expiry := conf.ContainerExpiry.Get(c.Conf()) / 3
	c.Every(expiry, expiry, expireTick{})
	if _, ok := s.book.(ticking); !ok {
		return
	}
	c.Every(s.conf.UpdateInterval, s.conf.UpdateInterval, updateTick{})
	if s.conf.Continuous {
		c.Every(s.conf.ContinuousSleep, s.conf.ContinuousSleep, continuousTick{})
	}
	if s.cfg.Allocations != nil {
		c.Every(reloadInterval, reloadInterval, reloadTick{})
	}
}

// schedulingStart ends the wait after a restart.
func (s *Scheduler) schedulingStart(c *rpcenv.Context) {
	c.Log().Info("Containers are given from now on")
}

// parse reads an allocation file; its warnings are told.
func (s *Scheduler) parse(c *rpcenv.Context, file []byte) (*fair.Allocations, error) {
	o := fair.Options{
		Compat:             s.conf.Compat,
		UserAsDefaultQueue: conf.FairUserAsDefaultQueue.Get(c.Conf()),
		AllowUndeclared:    conf.FairAllowUndeclaredPools.Get(c.Conf()),
	}
	if file == nil {
		return fair.NoAllocations(o), nil
	}
	a, err := fair.ParseAllocations(file, o)
	if err != nil {
		return nil, fmt.Errorf("the allocation file: %w", err)
	}
	for _, w := range a.Warnings {
		c.Log().Warnf("allocation file: %s", w)
	}
	return a, nil
}

// newBook is the book of the scheduler that the settings name.
func newBook(c *conf.Conf, fc fair.Config, allocations *fair.Allocations) (book, error) {
	if strings.HasSuffix(conf.SchedulerClass.Get(c), ".FifoScheduler") {
		return fair.NewFIFO(0, fc)
	}
	return fair.New(0, fc, allocations)
}

// reloadTick reads the allocation file again. A bad new file keeps the old settings.
func (s *Scheduler) reloadTick(c *rpcenv.Context) {
	type file struct {
		content  []byte
		modified time.Time
	}
	rpcenv.Run(c, "allocations", func(b *rpcenv.Blocking) (f file, err error) {
		f.content, f.modified, err = s.cfg.Allocations.Read(b)
		return f, err
	}, func(f file, err error) {
		if err == nil && (f.modified.Equal(s.file.modified) || c.Now().Sub(f.modified) < reloadAge) {
			return
		}
		var a *fair.Allocations
		if err == nil {
			a, err = s.parse(c, f.content)
		}
		if err != nil {
			if s.file.failed != err.Error() {
				c.Log().Errorf("Failed to reload fair scheduler config file - will use existing allocations: %v", err)
			}
			s.file.failed = err.Error()
			return
		}
		s.file = allocationFile{modified: f.modified}
		c.Log().Info("The allocation file was read again")
		s.decided(c, s.book.(ticking).Reload(s.now(c), a))
	})
}

func (s *Scheduler) updateTick(c *rpcenv.Context) {
	b := s.book.(ticking)
	b.Update(s.now(c))
	if s.conf.Preemption && s.ready(c) {
		s.decided(c, b.Preempt(s.now(c)))
		s.armKill(c)
	}
}

// armKill sets the timer to when the next containers that are marked end.
func (s *Scheduler) armKill(c *rpcenv.Context) {
	at, ok := s.book.(ticking).NextKill()
	if !ok || s.kill.Active() {
		return
	}
	s.kill = c.After(max(0, at-s.now(c)), killTick{})
}

func (s *Scheduler) killTick(c *rpcenv.Context) {
	s.decided(c, s.book.(ticking).KillMarked(s.now(c)))
	s.armKill(c)
}

func (s *Scheduler) continuousTick(c *rpcenv.Context) {
	if s.ready(c) {
		s.decided(c, s.book.(ticking).ContinuousPass(s.now(c)))
	}
}
