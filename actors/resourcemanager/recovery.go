package resourcemanager

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// files are what a ResourceManager reads when it begins.
type files struct {
	records     []master.Change
	bad         []error // records that cannot be read
	allocations []byte
	modified    time.Time
	hosts       beginTracker
}

// begin reads what there is to read and then serves.
func (s *ClientRMService) begin(c *rpcenv.Context) {
	if s.cfg.Store == nil && s.cfg.Allocations == nil && s.cfg.Hosts == nil {
		s.serve(c, files{})
		return
	}
	rpcenv.Run(c, "persist", func(b *rpcenv.Blocking) (f files, err error) { return s.read(b) }, func(f files, err error) {
		if err != nil {
			why := "the ResourceManager cannot begin: " + err.Error()
			c.Log().Error(why)
			c.Exit(1, why)
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
	if f.hosts, err = readHosts(b, s.cfg.Hosts); err != nil {
		return f, fmt.Errorf("read the lists of hosts: %w", err)
	}
	return f, nil
}

// serve begins this life with what the one before left. A record that cannot be read is reported and left where it is; the
// rest recovers.
func (s *ClientRMService) serve(c *rpcenv.Context, f files) {
	l := &left{attempts: map[ids.Application][]*yarn.ApplicationAttemptStateData{}}
	for _, err := range f.bad {
		c.Log().Errorf("A record is bad and is not recovered: %v", err)
	}
	for _, r := range f.records {
		if err := l.add(r); err != nil {
			c.Log().Errorf("A record is bad and is not recovered: record %s: %v", r.Key, err)
		}
	}
	s.life = lifeAfter(c, l.manager, s.cfg.Keys)
	s.life.recovered = slices.ContainsFunc(l.apps, func(a *yarn.ApplicationStateData) bool {
		return a.GetApplicationState() == yarn.YarnApplicationState_YAS_UNSET
	})
	s.persist(c, managerKey, &yarn.ResourceManagerStateData{
		Epoch: s.life.epoch, ContainerTokenMasterKey: s.life.container, NmTokenMasterKey: s.life.nm, AmRmTokenMasterKey: s.life.amrm,
	})
	f.hosts.life = s.life
	c.Send(s.scheduler, beginScheduler{life: s.life, allocations: f.allocations, modified: f.modified})
	c.Send(s.ams, beginService{life: s.life})
	for _, a := range l.apps {
		s.recoverApp(c, a, l.attempts)
	}
	c.Send(s.tracker, f.hosts) // nodes come when the applications of their containers are known
	s.ready = true
	for _, call := range s.waiting {
		call.Reply(&rpc.Bool{Value: true})
	}
	s.waiting = nil
	c.Log().Infof("Transitioned to active state, cluster timestamp %d, epoch %d", s.life.timestamp, s.life.epoch)
}

// AwaitActive is answered true when the ResourceManager has read its records and serves.
type AwaitActive struct{ rpcenv.Local }

// ReplyType makes the answer's type known to the compiler.
func (AwaitActive) ReplyType() *rpc.Bool { return nil }

func (s *ClientRMService) awaitActive(c *rpcenv.Context, m AwaitActive) {
	if s.ready {
		rpcenv.Reply(c, m, &rpc.Bool{Value: true})
		return
	}
	s.waiting = append(s.waiting, rpcenv.Defer(c, m))
}

// lifeAfter is the life after the one of a record; nil: there was none.
func lifeAfter(c *rpcenv.Context, before *yarn.ResourceManagerStateData, keys Keys) life {
	l := life{timestamp: c.Now().UnixMilli()}
	if before != nil {
		l.epoch = before.GetEpoch() + 1
		l.container, l.nm, l.amrm = before.GetContainerTokenMasterKey(), before.GetNmTokenMasterKey(), before.GetAmRmTokenMasterKey()
	}
	for _, k := range []struct {
		have **yarn.MasterKey
		made []byte
	}{{&l.container, keys.Container}, {&l.nm, keys.NM}, {&l.amrm, keys.AMRM}} {
		if len((*k.have).GetBytes()) == 0 {
			*k.have = &yarn.MasterKey{KeyId: 1, Bytes: k.made}
		}
	}
	return l
}

// left is what the life before left, in the order of its records.
type left struct {
	manager  *yarn.ResourceManagerStateData
	apps     []*yarn.ApplicationStateData
	attempts map[ids.Application][]*yarn.ApplicationAttemptStateData
}

// add takes one record; an error says what is wrong with it.
func (l *left) add(r master.Change) error {
	switch {
	case r.Key == managerKey:
		m := &yarn.ResourceManagerStateData{}
		if err := proto.Unmarshal(r.Value, m); err != nil {
			return err
		}
		if m.GetEpoch() < 0 || m.GetEpoch() >= ids.MaxEpoch {
			return fmt.Errorf("the epoch is %d: want one from 0 to %d", m.GetEpoch(), ids.MaxEpoch)
		}
		l.manager = m
		return nil
	case strings.HasPrefix(r.Key, attemptPrefix):
		return l.addAttempt(r)
	case strings.HasPrefix(r.Key, appPrefix):
		return l.addApp(r)
	}
	return errors.New("nobody knows this kind of record")
}

func (l *left) addApp(r master.Change) error {
	m := &yarn.ApplicationStateData{}
	if err := proto.Unmarshal(r.Value, m); err != nil {
		return err
	}
	id, err := ids.ApplicationFrom(m.GetApplicationSubmissionContext().GetApplicationId())
	if err != nil {
		return err
	}
	if id.String() != r.Key {
		return fmt.Errorf("it is the record of %s", id)
	}
	l.apps = append(l.apps, m)
	return nil
}

func (l *left) addAttempt(r master.Change) error {
	m := &yarn.ApplicationAttemptStateData{}
	if err := proto.Unmarshal(r.Value, m); err != nil {
		return err
	}
	id, err := ids.AttemptFrom(m.GetAttemptId())
	if err != nil {
		return err
	}
	if id.String() != r.Key {
		return fmt.Errorf("it is the record of %s", id)
	}
	l.attempts[id.App] = append(l.attempts[id.App], m)
	return nil
}

// recoverApp takes an application into the books. One that has ended is remembered; one that has not goes on: its attempt
// waits for its ApplicationMaster to register again.
func (s *ClientRMService) recoverApp(c *rpcenv.Context, m *yarn.ApplicationStateData, attempts map[ids.Application][]*yarn.ApplicationAttemptStateData) {
	id, _ := ids.ApplicationFrom(m.GetApplicationSubmissionContext().GetApplicationId()) // addApp looked
	a := &application{
		id: id, context: m.GetApplicationSubmissionContext(), user: m.GetUser(), queue: m.GetApplicationSubmissionContext().GetQueue(),
		submitted: time.UnixMilli(m.GetSubmitTime()), diagnostics: m.GetDiagnostics(), recovering: true,
		maxAttempts: maxAttemptsOf(c.Conf(), m.GetApplicationSubmissionContext().GetMaxAppAttempts()),
	}
	s.apps, s.byID[id] = append(s.apps, a), a
	s.counts.submitted++
	c.State("application", id.String(), "", a.machine.State.String(), "recovered")
	for _, r := range slices.SortedFunc(slices.Values(attempts[id]), func(x, y *yarn.ApplicationAttemptStateData) int {
		return int(x.GetAttemptId().GetAttemptId()) - int(y.GetAttemptId().GetAttemptId())
	}) {
		if int(r.GetAttemptId().GetAttemptId()) != len(a.attempts)+1 {
			c.Log().Errorf("A record is bad and is not recovered: %s follows attempt %d", r.GetAttemptId(), len(a.attempts))
			break
		}
		a.attempts = append(a.attempts, recoveredAttempt(a, r))
	}
	when, over := recoveredCase(m.GetApplicationState())
	if !over && len(a.attempts) > 0 {
		when = machine.Attempted
	}
	if over {
		a.stored, a.finished, a.ended = true, time.UnixMilli(m.GetFinishTime()), endCase[when]
		if at := a.current(); at != nil {
			a.final = at.final
		}
	}
	s.stepApp(c, a, machine.AppRecover, when, "recovered")
	for _, at := range a.attempts {
		s.recoverAttempt(c, at)
	}
	if over {
		s.count(a)
		s.completed = append(s.completed, a)
		s.forget(c)
		return
	}
	s.goOn(c, a)
}

// endCase is the end of an application by the case of its recovery.
var endCase = map[machine.Case]machine.AppState{
	machine.WasFinished: machine.AppFinished, machine.WasFailed: machine.AppFailed, machine.WasKilled: machine.AppKilled,
}

// recoveredCase is the case of a record's end; false: it has none.
func recoveredCase(end yarn.YarnApplicationState) (machine.Case, bool) {
	switch end {
	case yarn.YarnApplicationState_FINISHED:
		return machine.WasFinished, true
	case yarn.YarnApplicationState_FAILED:
		return machine.WasFailed, true
	case yarn.YarnApplicationState_KILLED:
		return machine.WasKilled, true
	}
	return machine.Always, false
}

func recoveredAttempt(a *application, r *yarn.ApplicationAttemptStateData) *attempt {
	at := &attempt{
		id: ids.Attempt{App: a.id, Attempt: r.GetAttemptId().GetAttemptId()}, app: a, container: r.GetMasterContainer(), launched: true,
		trackingURL: r.GetFinalTrackingUrl(), started: time.UnixMilli(r.GetStartTime()), final: r.GetFinalApplicationStatus(),
		diagnostics: r.GetDiagnostics(), exit: r.GetAmContainerExitStatus(),
	}
	switch when, over := recoveredCase(r.GetAppAttemptState()); {
	case !over:
		return at
	case when == machine.WasFailed:
		at.ended = machine.AttemptFailed
	case when == machine.WasKilled:
		at.ended = machine.AttemptKilled
	default:
		at.ended = machine.AttemptFinished
	}
	at.finished = time.UnixMilli(r.GetFinishTime())
	return at
}

// recoverAttempt lets an attempt go on, or stay ended. Of an application that is over nothing goes on.
func (s *ClientRMService) recoverAttempt(c *rpcenv.Context, at *attempt) {
	when := machine.Always
	switch {
	case at.ended == machine.AttemptFinished:
		when = machine.WasFinished
	case at.ended == machine.AttemptFailed:
		when = machine.WasFailed
	case at.ended == machine.AttemptKilled, at.app.machine.State.Over():
		when = machine.WasKilled
	}
	c.State("attempt", at.id.String(), "", at.machine.State.String(), "recovered")
	s.stepAttempt(c, at, machine.AttemptRecover, when, "recovered")
}

// goOn does what the life before did not come to: the end of an attempt that its application has not heard of, or the first
// attempt, which follows when the scheduler takes the application.
func (s *ClientRMService) goOn(c *rpcenv.Context, a *application) {
	at := a.current()
	if at == nil || !at.machine.State.Over() {
		return
	}
	switch at.machine.State {
	case machine.AttemptFinished:
		a.final, a.diagnostics = at.final, at.diagnostics
		s.stepApp(c, a, machine.AppAttemptFinished, machine.Always, at.diagnostics)
	case machine.AttemptKilled:
		s.stepApp(c, a, machine.AppAttemptKilled, machine.Always, at.diagnostics)
	default:
		s.attemptFailed(c, at)
	}
}
