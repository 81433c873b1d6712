package resourcemanager

import (
	"fmt"
	"slices"
	"time"

	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/actors/resourcemanager/session"
	"github.com/coherer/coherer/actors/resourcemanager/tracker"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// application is an application in the books. It mirrors RMAppImpl.
type application struct {
	id      ids.Application
	machine machine.App
	context *yarn.ApplicationSubmissionContext
	user    string
	queue   string // as submitted, then its full name from the scheduler

	submitted   time.Time
	launched    time.Time // its first ApplicationMaster; zero: not in this life of the ResourceManager
	diagnostics string
	final       yarn.FinalApplicationStatus
	ending[machine.AppState]

	attempts    []*attempt
	maxAttempts int
	nodes       []ids.Node // where it has, or had, containers or files
	node        ids.Node   // of the event in progress
	stored      bool       // the record of the end is durable
	recovering  bool
	rejected    bool // the scheduler refused it
}

// current is the last attempt; nil before the first.
func (a *application) current() *attempt {
	if len(a.attempts) == 0 {
		return nil
	}
	return a.attempts[len(a.attempts)-1]
}

// stepApp lets an event happen to an application and carries out the actions.
func (s *ClientRMService) stepApp(c *rpcenv.Context, a *application, e machine.AppEvent, when machine.Case, why string) {
	next, actions, err := a.machine.Step(e, when)
	if err != nil {
		c.Log().Errorf("%s: %v", a.id, err)
		return
	}
	from := a.machine.State
	a.machine = next // before the actions, which may step this application again
	if from != next.State {
		c.Log().Infof("%s State change from %s to %s on event = %s", a.id, from, next.State, e)
		c.State("application", a.id.String(), from.String(), next.State.String(), why)
	}
	for _, action := range actions {
		s.doApp(c, a, action)
	}
}

func (s *ClientRMService) doApp(c *rpcenv.Context, a *application, action machine.AppAction) {
	switch action {
	case machine.StoreApp:
		// The journal holds this message back until the record is written; so with every message to Self after persist.
		s.persistApp(c, a)
		c.Send(c.Self(), appSaved{app: a.id})
	case machine.AddToQueue, machine.RecoverInQueue:
		s.addToQueue(c, a)
	case machine.StartAttempt:
		s.startAttempt(c, a)
	case machine.KillAttempt:
		s.stepAttempt(c, a.current(), machine.AttemptKill, machine.Always, a.diagnostics) // ACCEPTED and RUNNING have one
	case machine.StoreFinal:
		s.storeFinal(c, a)
	case machine.RememberNode:
		if !slices.Contains(a.nodes, a.node) {
			a.nodes = append(a.nodes, a.node)
		}
	case machine.CleanUpNode:
		c.Send(s.tracker, tracker.CleanUpApp{App: a.id, Nodes: []ids.Node{a.node}})
	case machine.CleanUpApp:
		s.cleanUpApp(c, a)
	}
}

// appSaved says that an application's record is durable: that of its beginning, or that of its end.
type appSaved struct {
	rpcenv.Local
	app   ids.Application
	final bool
}

func (s *ClientRMService) appSaved(c *rpcenv.Context, m appSaved) {
	a := s.byID[m.app]
	switch {
	case a == nil:
	case !m.final:
		s.stepApp(c, a, machine.AppNewSaved, machine.Always, "its record is durable")
	default:
		a.stored = true
		s.stepApp(c, a, machine.AppUpdateSaved, machine.Always, a.diagnostics)
		c.Send(s.ams, session.FinalStored{App: a.id})
	}
}

// addToQueue asks the scheduler to take an application. Its user's groups may decide the queue, and whether it may go there.
func (s *ClientRMService) addToQueue(c *rpcenv.Context, a *application) {
	if s.cfg.Groups == nil || a.recovering { // a recovered one has its place, and the message must precede its attempt's
		s.place(c, a, []string{a.user}, nil)
		return
	}
	rpcenv.Run(c, "groups", func(b *rpcenv.Blocking) ([]string, error) { return s.cfg.Groups(b, a.user) },
		func(groups []string, err error) {
			// Ended meanwhile, its AppRemoved may be ahead: an application added after it would stay in the scheduler.
			if a.machine.State == machine.AppSubmitted {
				s.place(c, a, groups, err)
			}
		})
}

func (s *ClientRMService) place(c *rpcenv.Context, a *application, groups []string, groupsErr error) {
	q := scheduler.AppAdded{App: a.id, User: a.user, Groups: groups, GroupsErr: groupsErr, Queue: a.context.GetQueue()}
	rpcenv.Ask(c, s.scheduler, q, func(r scheduler.AppAccepted, err error) {
		if err != nil {
			a.diagnostics, a.rejected = err.Error(), true
			s.counts.submitted-- // as in Hadoop, where the queue counts it
			s.stepApp(c, a, machine.AppRejected, machine.Always, a.diagnostics)
			return
		}
		if a.queue = r.Queue; a.context.GetQueue() != r.Queue { // written, since other rules may place it elsewhere in the next life
			a.context.Queue = r.Queue
			s.persistApp(c, a)
		}
		s.stepApp(c, a, machine.AppAccept, machine.Always, "the scheduler accepted it into "+r.Queue)
	})
}

// storeFinal decides the end and writes its record.
func (s *ClientRMService) storeFinal(c *rpcenv.Context, a *application) {
	a.decide(c.Now(), a.machine.Target, machine.AppFinishing, machine.AppFinished) // first: the record has the end
	s.persistApp(c, a)
	c.Send(c.Self(), appSaved{app: a.id, final: true})
}

// cleanUpApp is the entry of an application into its end.
func (s *ClientRMService) cleanUpApp(c *rpcenv.Context, a *application) {
	s.count(a)
	c.Send(s.tracker, tracker.CleanUpApp{App: a.id, Nodes: a.nodes})
	c.Send(s.scheduler, scheduler.AppRemoved{App: a.id})
	s.completed = append(s.completed, a)
	s.forget(c)
}

// count notes how an application ended; one that the scheduler did not take counts nowhere. It mirrors QueueMetrics.
func (s *ClientRMService) count(a *application) {
	if a.rejected {
		return
	}
	switch a.machine.State {
	case machine.AppFailed:
		s.counts.failed++
	case machine.AppKilled:
		s.counts.killed++
	default:
		s.counts.finished++
	}
}

// forget drops the oldest ended applications beyond yarn.resourcemanager.max-completed-applications.
func (s *ClientRMService) forget(c *rpcenv.Context) {
	for len(s.completed) > scheduler.MaxCompletedApplications.Get(c.Conf()) {
		a := s.completed[0]
		s.completed = s.completed[1:]
		delete(s.byID, a.id)
		s.apps = slices.DeleteFunc(s.apps, func(x *application) bool { return x == a })
		s.forgetRecords(c, a)
		c.Send(s.ams, session.ForgetApplication{App: a.id})
	}
}

func (s *ClientRMService) runningOnNode(c *rpcenv.Context, m scheduler.RunningOnNode) {
	a := s.byID[m.App]
	if a == nil { // forgotten, or lost with a bad record: no end of it will ever clean up the node
		c.Send(s.tracker, tracker.CleanUpApp{App: m.App, Nodes: []ids.Node{m.Node}})
		return
	}
	a.node = m.Node
	s.stepApp(c, a, machine.AppRunningOnNode, machine.Always, "")
}

// attemptFailed lets the failure of an attempt happen to its application.
func (s *ClientRMService) attemptFailed(c *rpcenv.Context, at *attempt) {
	a := at.app
	when := machine.Always
	switch {
	case a.machine.State == machine.AppKilling: // it ends as killed, with the words of that
	case s.mayRetry(c, a):
		when = machine.Retry
	default:
		a.diagnostics = fmt.Sprintf("Application %s failed %d times%s due to %s. Failing the application.",
			a.id, a.failures(c.Now()), a.limits(rmproxy.AMMaxAttempts.Get(c.Conf())), at.diagnostics)
	}
	s.stepApp(c, a, machine.AppAttemptFailed, when, at.diagnostics)
}

// limits names the time within which failures count, and the application's own limit if it differs from the global one.
func (a *application) limits(global int) (text string) {
	if v := a.context.GetAttemptFailuresValidityInterval(); v > 0 {
		text = fmt.Sprintf(" in previous %d milliseconds", v)
	}
	if global != a.maxAttempts {
		text += fmt.Sprintf(" (global limit =%d; local limit is =%d)", global, a.maxAttempts)
	}
	return text
}

// mayRetry reports whether another attempt follows one that failed.
func (s *ClientRMService) mayRetry(c *rpcenv.Context, a *application) bool {
	return a.machine.State != machine.AppKilling && a.failures(c.Now()) < a.maxAttempts
}

// failures counts the attempts that failed by their own fault, within the validity interval if the application has one.
func (a *application) failures(now time.Time) int {
	n := 0
	validity := time.Duration(a.context.GetAttemptFailuresValidityInterval()) * time.Millisecond
	for _, at := range a.attempts {
		if at.failed() && (validity <= 0 || !at.finished.Add(validity).Before(now)) {
			n++
		}
	}
	return n
}

// maxAttemptsOf is the number of attempts that an application may have: its wish, within the limit of the cluster.
func maxAttemptsOf(c *conf.Conf, wish int32) int {
	most := rmproxy.AMMaxAttempts.Get(c)
	if wish < 1 {
		return most
	}
	return min(int(wish), most)
}
