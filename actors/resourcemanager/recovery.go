package resourcemanager

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// left is the records of the life before, in their order.
type left struct {
	manager  *yarn.ResourceManagerStateData
	apps     []*yarn.ApplicationStateData
	attempts map[ids.Application][]*yarn.ApplicationAttemptStateData
}

// add takes one record; an error names its fault.
func (l *left) add(r records.Change) error {
	switch {
	case r.Key == managerKey:
		m := &yarn.ResourceManagerStateData{}
		if err := proto.Unmarshal(r.Value, m); err != nil {
			return err
		}
		if m.GetEpoch() < 0 || m.GetEpoch() >= ids.MaxEpoch { // this life's is one higher, and ids of containers have room for no more
			return fmt.Errorf("the epoch is %d: want one from 0 to %d", m.GetEpoch(), ids.MaxEpoch)
		}
		l.manager = m
		return nil
	case strings.HasPrefix(r.Key, attemptPrefix):
		return l.addAttempt(r)
	case strings.HasPrefix(r.Key, appPrefix):
		return l.addApp(r)
	}
	return errors.New("a ResourceManager keeps no record of this name")
}

func (l *left) addApp(r records.Change) error {
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

func (l *left) addAttempt(r records.Change) error {
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

// recoverApp takes an application into the books. An ended one is remembered; another goes on: its attempt waits for its
// ApplicationMaster to register again.
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
		// Attempts are found by their number in the slice. After a gap, from a bad record, later ones cannot be kept.
		if int(r.GetAttemptId().GetAttemptId()) != len(a.attempts)+1 {
			at, _ := ids.AttemptFrom(r.GetAttemptId()) // addAttempt looked
			s.badRecord(c, at.String(), fmt.Errorf("it follows attempt %d", len(a.attempts)))
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
	// The application first: the scheduler gets it before its attempts, and recoverAttempt looks at its state.
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

// recoveredCase is the case of a record's end; false: the record has no end.
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
	// launched: the record is written just before the launch, which may have happened. cleanUp is harmless if it has not.
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

// goOn makes up for a step between two records: the attempt's end was durable, and the application's answer to it was not. A first
// attempt needs nothing: it follows when the scheduler takes the application.
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
