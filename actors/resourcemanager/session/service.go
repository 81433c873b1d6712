package session

import (
	"fmt"
	"slices"
	"time"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/actors/hadoop/token"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/life"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// Name is the endpoint's name.
const Name = ids.ApplicationMasterService

// ApplicationMasterService is the endpoint for ApplicationMasters.
type ApplicationMasterService struct {
	life     life.Life
	ready    bool
	sessions []*session // in the order of registerAttempt
	byID     map[ids.Attempt]*session

	client, scheduler rpcenv.Ref
}

// session is an attempt as the ApplicationMasterService knows it.
type session struct {
	attempt  ids.Attempt
	user     string
	keep     bool // containers outlive attempts
	priority *yarn.Priority

	responseID int32                  // of the last answer; -1: not registered
	last       *yarn.AllocateResponse // that answer
	asking     bool                   // the scheduler is asked
	waiting    []pendingAllocate      // calls that came meanwhile
	finished   bool                   // its ApplicationMaster has unregistered
	over       bool                   // the attempt is over
	stored     bool                   // the end of the application is durable

	watched bool
	heard   time.Time
	nodes   map[ids.Node]bool  // for which it has a token
	changed []*yarn.NodeReport // nodes whose usability changed since the last answer
}

// maxWaiting bounds the calls of one attempt that wait for the one before them.
const maxWaiting = 16

// New makes the endpoint. It refuses every call before [BeginService].
func New() *ApplicationMasterService {
	return &ApplicationMasterService{byID: map[ids.Attempt]*session{}}
}

// checkApplicationMasters is the timer of the AMLivelinessMonitor.
type checkApplicationMasters struct{ rpcenv.Local }

// OnStart is a callback of the endpoint.
func (s *ApplicationMasterService) OnStart(c *rpcenv.Context) {
	s.client = life.Sibling(c, ids.ClientRMService)
	s.scheduler = life.Sibling(c, ids.Scheduler)
	period := rmproxy.AMExpiry.Get(c.Conf()) / 3
	c.Every(period, period, checkApplicationMasters{})
}

// Receive is a callback of the endpoint.
func (s *ApplicationMasterService) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *yarn.RegisterApplicationMasterRequest:
		s.registerApplicationMaster(c, m)
	case *yarn.AllocateRequest:
		s.allocate(c, m)
	case *yarn.FinishApplicationMasterRequest:
		s.finishApplicationMaster(c, m)
	case checkApplicationMasters:
		s.checkApplicationMasters(c)
	case BeginService:
		s.beginService(m)
	case RegisterAttempt:
		s.registerAttempt(m)
	case WatchAttempt:
		s.watchAttempt(c, m)
	case UnregisterAttempt:
		s.unregisterAttempt(m)
	case FinalStored:
		s.finalStored(m)
	case ForgetApplication:
		s.forgetApplication(m)
	case NodeRegistered:
		s.nodeRegistered(m)
	case NodeChanged:
		s.nodeChanged(m)
	default:
		c.Unsupported(m)
	}
}

// BeginService notifies the ApplicationMasterService that the ResourceManager serves, and with which identity and keys.
type BeginService struct {
	rpcenv.Local
	life.Life
}

func (s *ApplicationMasterService) beginService(m BeginService) { s.life, s.ready = m.Life, true }

// RegisterAttempt says that an attempt begins: its ApplicationMaster may register.
type RegisterAttempt struct {
	rpcenv.Local
	Attempt  ids.Attempt
	User     string
	Keep     bool
	Priority *yarn.Priority
}

func (s *ApplicationMasterService) registerAttempt(m RegisterAttempt) {
	// Not watched yet: the ApplicationMaster has no container. watchAttempt, or its registration, starts the clock.
	e := &session{
		attempt: m.Attempt, user: m.User, keep: m.Keep, priority: m.Priority, responseID: -1, nodes: map[ids.Node]bool{},
	}
	s.sessions = append(s.sessions, e)
	s.byID[m.Attempt] = e
}

// WatchAttempt says that an attempt's ApplicationMaster was started: from now on it must not be silent for too long, registered
// or not.
type WatchAttempt struct {
	rpcenv.Local
	Attempt ids.Attempt
}

func (s *ApplicationMasterService) watchAttempt(c *rpcenv.Context, m WatchAttempt) {
	if e := s.byID[m.Attempt]; e != nil && !e.over {
		e.watched, e.heard = true, c.Now()
	}
}

// UnregisterAttempt says that an attempt is over. Its session is kept, so that a late ApplicationMaster learns this.
type UnregisterAttempt struct {
	rpcenv.Local
	Attempt ids.Attempt
}

func (s *ApplicationMasterService) unregisterAttempt(m UnregisterAttempt) {
	if e := s.byID[m.Attempt]; e != nil {
		// Sessions stay until the application is forgotten: drop their large parts. waiting stays, since process refuses those
		// calls when the one before them is answered.
		e.over, e.watched, e.last, e.nodes, e.changed = true, false, nil, nil, nil
	}
}

// FinalStored says that the end of an application is durable; finishApplicationMaster answers true from then on.
type FinalStored struct {
	rpcenv.Local
	App ids.Application
}

func (s *ApplicationMasterService) finalStored(m FinalStored) {
	for _, e := range s.sessions {
		if e.attempt.App == m.App {
			e.stored = true
		}
	}
}

// ForgetApplication says that the ResourceManager no longer remembers an application.
type ForgetApplication struct {
	rpcenv.Local
	App ids.Application
}

func (s *ApplicationMasterService) forgetApplication(m ForgetApplication) {
	s.sessions = slices.DeleteFunc(s.sessions, func(e *session) bool {
		if e.attempt.App != m.App {
			return false
		}
		delete(s.byID, e.attempt)
		return true
	})
}

// NodeRegistered says that a node registered, perhaps again: it has forgotten the tokens that it saw.
type NodeRegistered struct {
	rpcenv.Local
	Node ids.Node
}

func (s *ApplicationMasterService) nodeRegistered(m NodeRegistered) {
	for _, e := range s.sessions {
		delete(e.nodes, m.Node)
	}
}

// NodeChanged says that a node can be used now, or cannot any more.
type NodeChanged struct {
	rpcenv.Local
	Report *yarn.NodeReport
}

func (s *ApplicationMasterService) nodeChanged(m NodeChanged) {
	for _, e := range s.sessions {
		if e.over {
			continue
		}
		// Only the last state of a node counts. This also bounds the list for an ApplicationMaster that does not call.
		e.changed = slices.DeleteFunc(e.changed, func(r *yarn.NodeReport) bool {
			return r.GetNodeId().GetHost() == m.Report.GetNodeId().GetHost() && r.GetNodeId().GetPort() == m.Report.GetNodeId().GetPort()
		})
		e.changed = append(e.changed, m.Report)
	}
}

// checkApplicationMasters gives up those that were silent for too long.
func (s *ApplicationMasterService) checkApplicationMasters(c *rpcenv.Context) {
	expiry := rmproxy.AMExpiry.Get(c.Conf())
	for _, e := range s.sessions {
		if e.watched && c.Now().Sub(e.heard) > expiry {
			e.watched = false // report it once: the attempt's end, which is written first, comes back as unregisterAttempt
			c.Send(s.client, AMExpired{Attempt: e.attempt})
		}
	}
}

// session finds the session of a requester, nil if unknown: the token must be that of the attempt. The error is for the requester.
func (s *ApplicationMasterService) session(m *yarn.ApplicationAttemptId, t *yarn.Token) (*session, ids.Attempt, error) {
	if !s.ready {
		return nil, ids.Attempt{}, life.ErrNotReady()
	}
	id, err := ids.AttemptFrom(m)
	if err != nil {
		return nil, id, fmt.Errorf("%w: %w", exceptions.InvalidApplicationMasterRequest, err)
	}
	var says yarn.AMRMTokenIdentifier
	if err := token.Open(t, token.AMRM, s.life.AMRM, &says); err != nil {
		return nil, id, fmt.Errorf("%w: %s: %w", exceptions.InvalidToken, id, err)
	}
	if of, _ := ids.AttemptFrom(says.GetAppAttemptId()); of != id { // one of no attempt is that of the zero Attempt
		return nil, id, fmt.Errorf("%w: the token is not that of %s", exceptions.InvalidToken, id)
	}
	return s.byID[id], id, nil
}
