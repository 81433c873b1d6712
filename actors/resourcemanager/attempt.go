package resourcemanager

import (
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/hadoop/exitstatus"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/actors/resourcemanager/session"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// attempt is an attempt of an application in the books. It mirrors RMAppAttemptImpl.
type attempt struct {
	id      ids.Attempt
	app     *application
	machine machine.Attempt

	container *yarn.Container // of its ApplicationMaster
	launched  bool            // the NodeManager was asked to start it

	host        string // as it registered
	port        int32
	trackingURL string
	progress    float32

	started     time.Time
	final       yarn.FinalApplicationStatus // as its ApplicationMaster reported
	diagnostics string
	exit        int32 // of its container
	ending[machine.AttemptState]
}

// askAgainForAM is the delay before the scheduler is asked again for an ApplicationMaster's container that it could not give.
const askAgainForAM = 500 * time.Millisecond

// failed reports whether the attempt failed by its own fault. It mirrors RMAppAttemptImpl.shouldCountTowardsMaxAttemptRetry.
func (at *attempt) failed() bool {
	if at.ended != machine.AttemptFailed {
		return false
	}
	switch at.exit {
	case exitstatus.Aborted, exitstatus.DisksFailed, exitstatus.Preempted, exitstatus.KilledByResourceManager:
		return false
	}
	return true
}

func (at *attempt) node() (ids.Node, bool) {
	n, err := ids.NodeFrom(at.container.GetNodeId())
	return n, err == nil
}

// attemptOf is an attempt by its id; nil: unknown, as when its application was forgotten while a message was on its way.
func (s *ClientRMService) attemptOf(id ids.Attempt) *attempt {
	a := s.byID[id.App]
	if a == nil || id.Attempt < 1 || int(id.Attempt) > len(a.attempts) {
		return nil
	}
	return a.attempts[id.Attempt-1]
}

// startAttempt makes the next attempt.
func (s *ClientRMService) startAttempt(c *rpcenv.Context, a *application) {
	at := &attempt{
		id: ids.Attempt{App: a.id, Attempt: int32(len(a.attempts)) + 1}, app: a, started: c.Now(), exit: exitstatus.Invalid,
	}
	a.attempts = append(a.attempts, at)
	c.State("attempt", at.id.String(), "", at.machine.State.String(), "")
	s.stepAttempt(c, at, machine.AttemptStart, machine.Always, "")
}

// stepAttempt lets an event happen to an attempt and carries out the actions.
func (s *ClientRMService) stepAttempt(c *rpcenv.Context, at *attempt, e machine.AttemptEvent, when machine.Case, why string) {
	next, actions, err := at.machine.Step(e, when)
	if err != nil {
		c.Log().Errorf("%s: %v", at.id, err)
		return
	}
	from := at.machine.State
	at.machine = next
	if from != next.State {
		c.Log().Infof("%s State change from %s to %s on event = %s", at.id, from, next.State, e)
		c.State("attempt", at.id.String(), from.String(), next.State.String(), why)
	}
	// The first reason counts, and an ApplicationMaster's own words (amUnregistered) are no reason of ours. It has to be known
	// before StoreAttemptFinal writes it.
	if next.State == machine.AttemptFinalSaving && from != machine.AttemptFinalSaving && e != machine.AttemptUnregister {
		at.diagnostics = why
	}
	if e == machine.AttemptKill && (from == machine.AttemptLaunched || from == machine.AttemptRunning) {
		at.progress = 1 // so it is in Hadoop
	}
	for _, action := range actions {
		s.doAttempt(c, at, action)
	}
}

func (s *ClientRMService) doAttempt(c *rpcenv.Context, at *attempt, action machine.AttemptAction) {
	switch action {
	case machine.AddAttempt, machine.RecoverAttempt:
		s.addAttempt(c, at, action == machine.RecoverAttempt)
	case machine.AskContainer:
		s.askContainer(c, at)
	case machine.PullContainer:
		c.After(askAgainForAM, pullContainer{attempt: at.id})
	case machine.StoreAttempt:
		s.persistAttempt(c, at)
		c.Send(c.Self(), attemptSaved{attempt: at.id})
	case machine.LaunchAM:
		s.launch(c, at)
	case machine.WatchAM:
		c.Send(s.ams, session.WatchAttempt{Attempt: at.id})
	case machine.TellRegistered:
		s.stepApp(c, at.app, machine.AppAttemptRegistered, machine.Always, "its ApplicationMaster registered")
	case machine.NoteProgress: // amProgress did
	case machine.StoreAttemptFinal:
		s.storeAttemptFinal(c, at)
	case machine.TellUnregistered:
		at.app.final = at.final // before the step, which writes the application's record
		at.app.diagnostics = at.diagnostics
		s.stepApp(c, at.app, machine.AppAttemptUnregistered, machine.Always, at.diagnostics)
	case machine.EndAttempt:
		s.endAttempt(c, at)
	case machine.TellFinished:
		s.stepApp(c, at.app, machine.AppAttemptFinished, machine.Always, "its ApplicationMaster ended")
	case machine.TellFailed:
		s.attemptFailed(c, at)
	case machine.TellKilled:
		s.stepApp(c, at.app, machine.AppAttemptKilled, machine.Always, at.diagnostics)
	}
}

// addAttempt hands an attempt to the ApplicationMasterService and to the scheduler.
func (s *ClientRMService) addAttempt(c *rpcenv.Context, at *attempt, recovered bool) {
	keep := at.app.context.GetKeepContainersAcrossApplicationAttempts()
	c.Send(s.ams, session.RegisterAttempt{Attempt: at.id, User: at.app.user, Keep: keep, Priority: at.app.context.GetPriority()})
	q := scheduler.AppAttemptAdded{Attempt: at.id, Keep: keep, AM: at.containerID()}
	rpcenv.Ask(c, s.scheduler, q, func(_ scheduler.AttemptAdded, err error) {
		switch {
		case err != nil:
			s.stepAttempt(c, at, machine.AttemptFail, machine.Always, err.Error())
		case !recovered: // a recovered one has its container: ATTEMPT_ADDED would ask for another
			s.stepAttempt(c, at, machine.AttemptAdded, machine.Always, "")
		}
	})
}

// containerID is the id of the ApplicationMaster's container; zero before the scheduler gave it.
func (at *attempt) containerID() ids.Container {
	id, _ := ids.ContainerFrom(at.container.GetId())
	return id
}

// askContainer asks for the container of the ApplicationMaster.
func (s *ClientRMService) askContainer(c *rpcenv.Context, at *attempt) {
	ask := &yarn.ResourceRequest{
		Priority: &yarn.Priority{}, ResourceName: fair.Any, NumContainers: 1, Capability: at.app.context.GetResource(),
	}
	asks := []*yarn.ResourceRequest{ask}
	// A client may ask for places instead. Its priority and count do not matter: the ApplicationMaster is one, and comes first.
	if wanted := at.app.context.GetAmContainerResourceRequest(); len(wanted) > 0 {
		asks = nil
		for _, w := range wanted {
			w = proto.CloneOf(w)
			w.Priority, w.NumContainers = &yarn.Priority{}, 1
			asks = append(asks, w)
		}
	}
	rpcenv.Ask(c, s.scheduler, scheduler.Allocate{Attempt: at.id, Asks: asks}, func(_ scheduler.Allocation, err error) {
		if err != nil {
			s.stepAttempt(c, at, machine.AttemptFail, machine.Always, err.Error())
		}
	})
}

func (s *ClientRMService) amAllocated(c *rpcenv.Context, m scheduler.AMAllocated) {
	if at := s.attemptOf(m.Attempt); at != nil {
		s.pull(c, at)
	}
}

// pullContainer is the timer of an attempt that asks again for its container.
type pullContainer struct {
	rpcenv.Local
	attempt ids.Attempt
}

func (s *ClientRMService) pullContainer(c *rpcenv.Context, m pullContainer) {
	if at := s.attemptOf(m.attempt); at != nil {
		s.pull(c, at)
	}
}

// pull takes the ApplicationMaster's container from the scheduler, as an ApplicationMaster takes others.
func (s *ClientRMService) pull(c *rpcenv.Context, at *attempt) {
	if at.machine.State != machine.AttemptScheduled { // it has its container, or has ended
		return
	}
	rpcenv.Ask(c, s.scheduler, scheduler.Allocate{Attempt: at.id}, func(r scheduler.Allocation, _ error) {
		switch {
		case at.machine.State != machine.AttemptScheduled: // it ended meanwhile: endAttempt lets the scheduler take the container back
		case len(r.Containers) == 0: // also when the scheduler failed
			s.stepAttempt(c, at, machine.AttemptContainerAllocated, machine.NothingYet, "")
		default:
			at.container = r.Containers[0]
			s.stepAttempt(c, at, machine.AttemptContainerAllocated, machine.Always, "on "+at.container.GetNodeId().GetHost())
		}
	})
}

// attemptSaved says that an attempt's record is durable.
type attemptSaved struct {
	rpcenv.Local
	attempt ids.Attempt
	final   bool
}

func (s *ClientRMService) attemptSaved(c *rpcenv.Context, m attemptSaved) {
	at := s.attemptOf(m.attempt)
	switch {
	case at == nil:
	case m.final:
		s.stepAttempt(c, at, machine.AttemptUpdateSaved, machine.Always, at.diagnostics)
	default:
		s.stepAttempt(c, at, machine.AttemptNewSaved, machine.Always, "its record is durable")
	}
}

// storeAttemptFinal decides the end and writes its record.
func (s *ClientRMService) storeAttemptFinal(c *rpcenv.Context, at *attempt) {
	at.decide(c.Now(), at.machine.Target, machine.AttemptFinishing, machine.AttemptFinished)
	s.persistAttempt(c, at)
	c.Send(c.Self(), attemptSaved{attempt: at.id, final: true})
}

// endAttempt is the entry of an attempt into its end.
func (s *ClientRMService) endAttempt(c *rpcenv.Context, at *attempt) {
	c.Send(s.ams, session.UnregisterAttempt{Attempt: at.id})
	// Containers are kept for another attempt only: this has to agree with what attemptFailed decides next.
	keep := at.app.context.GetKeepContainersAcrossApplicationAttempts() && at.ended == machine.AttemptFailed && s.mayRetry(c, at.app)
	c.Send(s.scheduler, scheduler.AppAttemptRemoved{Attempt: at.id, Keep: keep})
	s.cleanUp(c, at)
}

func (s *ClientRMService) amContainerFinished(c *rpcenv.Context, m scheduler.AMContainerFinished) {
	at := s.attemptOf(m.Attempt)
	if at == nil {
		return
	}
	// An attempt that was ended for another reason loses its container by that: the exit status says nothing of the failure, and
	// must not make it one that does not count.
	if at.ended == machine.AttemptNew || at.ended == machine.AttemptFinished {
		at.exit = m.Status.GetExitStatus()
	}
	why := fmt.Sprintf("AM Container for %s exited with  exitCode: %d\nFailing this attempt.Diagnostics: %s",
		at.id, m.Status.GetExitStatus(), m.Status.GetDiagnostics())
	if s.cfg.WebUIURL != "" {
		why += fmt.Sprintf("For more detailed output, check the application tracking page: %s/cluster/app/%s Then click on links to logs of each attempt.\n",
			strings.TrimSuffix(s.cfg.WebUIURL, "/"), at.id.App)
	}
	s.stepAttempt(c, at, machine.AttemptContainerFinished, machine.OwnContainer, why)
}
