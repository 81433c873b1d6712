package resourcemanager

import (
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/actors/resourcemanager/life"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/actors/resourcemanager/session"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// Name is the endpoint's name.
const Name = ids.ClientRMService

// ClientRMService is the endpoint for clients. It owns the applications and their attempts, starts ApplicationMasters, and keeps
// the records. It mirrors ClientRMService, RMAppManager, ApplicationMasterLauncher and RMStateStore.
type ClientRMService struct {
	cfg  Config
	life life.Life

	ready   bool
	waiting []rpcenv.Call[*rpc.Bool]        // for ready
	journal *rpcenv.Journal[records.Change] // nil: it keeps no records
	nextApp int32

	apps      []*application // in the order of submission
	byID      map[ids.Application]*application
	completed []*application // ended ones, the oldest first
	counts    endCounts

	ams, tracker, scheduler rpcenv.Ref
}

// endCounts count all applications, also forgotten ones.
type endCounts struct{ submitted, finished, failed, killed int32 }

func newClientRMService(cfg Config) *ClientRMService {
	s := &ClientRMService{cfg: cfg, byID: map[ids.Application]*application{}}
	if cfg.Store != nil {
		s.journal = rpcenv.NewJournal(cfg.Store.Write, s.notDurable)
	}
	return s
}

// OnStart is a callback of the endpoint.
func (s *ClientRMService) OnStart(c *rpcenv.Context) {
	s.ams = life.Sibling(c, ids.ApplicationMasterService)
	s.tracker = life.Sibling(c, ids.ResourceTracker)
	s.scheduler = life.Sibling(c, ids.Scheduler)
	s.begin(c)
}

// Receive is a callback of the endpoint.
func (s *ClientRMService) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *yarn.GetNewApplicationRequest:
		s.getNewApplication(c, m)
	case *yarn.SubmitApplicationRequest:
		s.submitApplication(c, m)
	case *yarn.GetApplicationReportRequest:
		s.getApplicationReport(c, m)
	case *yarn.KillApplicationRequest:
		s.killApplication(c, m)
	case *yarn.FailApplicationAttemptRequest:
		s.failApplicationAttempt(c, m)
	case *yarn.MoveApplicationAcrossQueuesRequest:
		s.moveApplicationAcrossQueues(c, m)
	case *yarn.GetClusterMetricsRequest:
		s.getClusterMetrics(c, m)
	case *yarn.GetClusterNodesRequest:
		s.getClusterNodes(c, m)
	case *yarn.GetApplicationsRequest:
		s.getApplications(c, m)
	case *yarn.GetQueueInfoRequest:
		s.getQueueInfo(c, m)
	case *yarn.RequestResourceManagerState:
		s.requestResourceManagerState(c, m)
	case *yarn.RequestApplicationRefusals:
		s.requestApplicationRefusals(c, m)
	case *yarn.RequestContainerPlace:
		s.requestContainerPlace(c, m)
	case AwaitActive:
		s.awaitActive(c, m)
	case appSaved:
		s.appSaved(c, m)
	case attemptSaved:
		s.attemptSaved(c, m)
	case scheduler.AMAllocated:
		s.amAllocated(c, m)
	case pullContainer:
		s.pullContainer(c, m)
	case scheduler.AMContainerFinished:
		s.amContainerFinished(c, m)
	case scheduler.RunningOnNode:
		s.runningOnNode(c, m)
	case session.AMRegistered:
		s.amRegistered(c, m)
	case session.AMProgress:
		s.amProgress(c, m)
	case session.AMUnregistered:
		s.amUnregistered(c, m)
	case session.AMExpired:
		s.amExpired(c, m)
	default:
		c.Unsupported(m)
	}
}
