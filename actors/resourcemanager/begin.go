package resourcemanager

import (
	"fmt"
	"slices"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/actors/resourcemanager/life"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/actors/resourcemanager/session"
	"github.com/coherer/coherer/actors/resourcemanager/tracker"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// files are the contents of the files that a ResourceManager reads when it begins.
type files struct {
	records     []records.Change
	bad         []error // records that cannot be read
	allocations []byte
	modified    time.Time
	hosts       tracker.BeginTracker
}

// begin reads the records and files, if any, and then serves.
func (s *ClientRMService) begin(c *rpcenv.Context) {
	// Without files it serves at once, in OnStart: no message can find it not ready.
	if s.cfg.Store == nil && s.cfg.Allocations == nil && s.cfg.Hosts == nil {
		s.serve(c, files{})
		return
	}
	rpcenv.Run(c, "persist", func(b *rpcenv.Blocking) (f files, err error) { return s.read(b) }, func(f files, err error) {
		if err != nil {
			c.Exit(1, "the ResourceManager cannot begin: "+err.Error())
			return
		}
		s.serve(c, f)
	})
}

func (s *ClientRMService) read(b *rpcenv.Blocking) (f files, err error) {
	if s.cfg.Store != nil {
		if f.records, f.bad, err = s.cfg.Store.Load(b); err != nil {
			return f, fmt.Errorf("read the records: %w", err)
		}
	}
	if s.cfg.Allocations != nil {
		if f.allocations, f.modified, err = s.cfg.Allocations.Read(b); err != nil {
			return f, fmt.Errorf("read the allocation file: %w", err)
		}
	}
	if f.hosts, err = tracker.ReadHosts(b, s.cfg.Hosts); err != nil {
		return f, fmt.Errorf("read the lists of hosts: %w", err)
	}
	return f, nil
}

// serve begins this life with the records of the one before. A record that cannot be read is logged and left where it is; the
// rest recovers.
func (s *ClientRMService) serve(c *rpcenv.Context, f files) {
	l := &left{attempts: map[ids.Application][]*yarn.ApplicationAttemptStateData{}}
	for _, err := range f.bad {
		c.Log().Errorf("A record is bad and is not recovered: %v", err)
	}
	for _, r := range f.records {
		if err := l.add(r); err != nil {
			s.badRecord(c, r.Key, err)
		}
	}
	s.life = lifeAfter(c, l.manager, s.cfg.Keys)
	s.life.Recovered = slices.ContainsFunc(l.apps, func(a *yarn.ApplicationStateData) bool {
		return a.GetApplicationState() == yarn.YarnApplicationState_YAS_UNSET
	})
	// First of all: everything sent below waits for this record. Containers of an epoch that is not durable could come again with
	// the same ids in the next life.
	s.persist(c, managerKey, &yarn.ResourceManagerStateData{
		Epoch: s.life.Epoch, ContainerTokenMasterKey: s.life.Container, NmTokenMasterKey: s.life.NM, AmRmTokenMasterKey: s.life.AMRM,
	})
	f.hosts.Life = s.life
	// Both before recoverApp, whose messages to them need their lives.
	c.Send(s.scheduler, scheduler.BeginScheduler{Life: s.life, Allocations: f.allocations, Modified: f.modified})
	c.Send(s.ams, session.BeginService{Life: s.life})
	for _, a := range l.apps {
		s.recoverApp(c, a, l.attempts)
	}
	c.Send(s.tracker, f.hosts) // last: nodes register when the owners of their containers are known
	s.ready = true
	for _, call := range s.waiting {
		s.active(c, call)
	}
	c.Log().Infof("Transitioned to active state, cluster timestamp %d, epoch %d", s.life.Timestamp, s.life.Epoch)
}

// badRecord reports a record that its store could read and the ResourceManager cannot.
func (s *ClientRMService) badRecord(c *rpcenv.Context, key string, err error) {
	place := "record " + key
	if files, ok := s.cfg.Store.(interface{ Place(key string) string }); ok {
		place = files.Place(key)
	}
	c.Log().Errorf("A record is bad and is not recovered: %s: %v: put a good copy in its place and start the ResourceManager again, or remove it and do without it",
		place, err)
}

// AwaitActive gets the answer true when the ResourceManager has read its records, has a scheduler, and serves.
type AwaitActive struct{ rpcenv.Local }

// ReplyType makes the answer's type known to the compiler.
func (AwaitActive) ReplyType() *rpc.Bool { return nil }

func (s *ClientRMService) awaitActive(c *rpcenv.Context, m AwaitActive) {
	call := rpcenv.Defer(c, m)
	if s.ready {
		s.active(c, call)
		return
	}
	s.waiting = append(s.waiting, call)
}

// active answers when the Scheduler answers. One with a bad allocation file never does: the process ends.
func (s *ClientRMService) active(c *rpcenv.Context, call rpcenv.Call[*rpc.Bool]) {
	rpcenv.Ask(c, s.scheduler, scheduler.RequestLimits{}, func(_ scheduler.Limits, err error) {
		if err == nil {
			call.Reply(&rpc.Bool{Value: true})
		}
	})
}

// lifeAfter is the life after the one in a record; nil: this is the first.
func lifeAfter(c *rpcenv.Context, before *yarn.ResourceManagerStateData, keys Keys) life.Life {
	l := life.Life{Timestamp: c.Now().UnixMilli()}
	if before != nil {
		// The old keys stay, or running ApplicationMasters and NodeManagers would refuse the tokens that others have.
		l.Epoch = before.GetEpoch() + 1
		l.Container, l.NM, l.AMRM = before.GetContainerTokenMasterKey(), before.GetNmTokenMasterKey(), before.GetAmRmTokenMasterKey()
	}
	for _, k := range []struct {
		have **yarn.MasterKey
		made []byte
	}{{&l.Container, keys.Container}, {&l.NM, keys.NM}, {&l.AMRM, keys.AMRM}} {
		if len((*k.have).GetBytes()) == 0 {
			*k.have = &yarn.MasterKey{KeyId: 1, Bytes: k.made}
		}
	}
	return l
}
