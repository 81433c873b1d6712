package scheduler

import (
	"strings"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/actors/resourcemanager/life"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// Name is the endpoint's name.
const Name = ids.Scheduler

// Scheduler is the endpoint. Without yarn.resourcemanager.scheduler.class it is the FairScheduler.
type Scheduler struct {
	allocations Allocations // nil: it has no file
	conf        fair.Config
	life        life.Life
	fifo        bool            // the FifoScheduler: it has no timers, moves no application and gives no reasons
	book        *fair.Scheduler // what both schedulers keep alike; nil before beginScheduler
	policy      policy          // what they do each in its way
	start       time.Time       // the book counts from it

	containers map[ids.Container]*container
	apps       map[ids.Application]*scheduledApp
	nodes      map[string]*scheduledNode // by the text of their ids, which are their names in the book
	readyAt    time.Time                 // after a restart it gives no containers before
	past       pastApps                  // applications that have ended
	failures   []*yarn.ContainerFailure  // the last ones, the oldest first
	kill       rpcenv.Timer              // KillMarked
	asked      bool                      // an ask came since the last update
	file       fair.Reload

	client, tracker rpcenv.Ref
}

// policy is where the FairScheduler and the FifoScheduler differ: which application gets what, and what its queues are. Both keep
// a fair.Scheduler's book, whose other methods are alike. Times count from a moment that the caller chose.
type policy interface {
	AddApp(now time.Duration, id ids.Application, sub fair.Submission) (queue string, err error)
	Allocate(now time.Duration, id ids.Attempt, d fair.Demand) (fair.Grant, error)
	NodeUpdate(now time.Duration, id string, launched []ids.Container, ended []fair.Ended) ([]fair.Event, error)
	Queues() []fair.QueueState
	App(id ids.Attempt) (fair.AppState, bool)
}

// container is one that is in the book, with its machine.
type container struct {
	fair.Container
	machine  machine.Container
	attempt  ids.Attempt // its owner; with keep, a later one than in its id
	acquired time.Time   // when its ApplicationMaster took it; zero: not watched
	made     time.Time
}

// scheduledApp is the Scheduler's knowledge of an application besides the book.
type scheduledApp struct {
	user    string
	queue   string
	attempt ids.Attempt // the current one
	keep    bool
	am      ids.Container   // of the current attempt
	done    []doneContainer // ended, for the next answer to the ApplicationMaster
	sent    []doneContainer // in the last answer; its next call shows that it arrived
	missing []ids.Container // its ApplicationMaster has them, and no node has reported them since the restart
	use     usedOverTime
	lost    preempted
}

// doneContainer is a container that ended, and on which node.
type doneContainer struct {
	status *yarn.ContainerStatus
	node   ids.Node
}

// usedOverTime is the use of resources over time, in MiB and cores times milliseconds.
type usedOverTime struct{ memory, vcores int64 }

func (u *usedOverTime) add(r fair.Resource, d time.Duration) {
	u.memory += r.Memory * d.Milliseconds()
	u.vcores += r.VCores * d.Milliseconds()
}

// scheduledNode is the Scheduler's knowledge of a node besides the book.
type scheduledNode struct {
	id   ids.Node
	http string
}

// New makes the endpoint; a nil allocations has no file. The error says which settings do not fit together.
func New(c *conf.Conf, allocations Allocations) (*Scheduler, error) {
	fc := fairConfig(c)
	if err := fc.Validate(); err != nil {
		return nil, err
	}
	return &Scheduler{
		allocations: allocations, conf: fc, containers: map[ids.Container]*container{}, apps: map[ids.Application]*scheduledApp{},
		nodes: map[string]*scheduledNode{}, fifo: strings.HasSuffix(SchedulerClass.Get(c), ".FifoScheduler"),
	}, nil
}

// updateTick is the timer that computes shares anew and helps starving applications. It mirrors the FairScheduler's UpdateThread.
type updateTick struct{ rpcenv.Local }

// continuousTick is the timer of continuous scheduling. It mirrors the FairScheduler's ContinuousSchedulingThread.
type continuousTick struct{ rpcenv.Local }

// killTick is the timer that ends marked containers. It mirrors FSPreemptionThread.
type killTick struct{ rpcenv.Local }

// reloadTick is the timer that reads the allocation file again.
type reloadTick struct{ rpcenv.Local }

// expireTick is the timer of the ContainerAllocationExpirer.
type expireTick struct{ rpcenv.Local }

// unreportedTick is the end of the time in which nodes may register after a restart: the others are lost.
type unreportedTick struct{ rpcenv.Local }

// schedulingStart is the end of the wait after a restart.
type schedulingStart struct{ rpcenv.Local }

// OnStart is a callback of the endpoint.
func (s *Scheduler) OnStart(c *rpcenv.Context) {
	s.client = life.Sibling(c, ids.ClientRMService)
	s.tracker = life.Sibling(c, ids.ResourceTracker)
	s.start = c.Now()
}

// Receive is a callback of the endpoint.
func (s *Scheduler) Receive(c *rpcenv.Context, m rpcenv.Message) {
	// The book needs the records' epoch and the allocation file. Requesters of before get a reason to ask again.
	if _, begins := m.(BeginScheduler); !begins && s.book == nil {
		rpcenv.Fail(c, m, life.ErrNotReady())
		return
	}
	switch m := m.(type) {
	case BeginScheduler:
		s.beginScheduler(c, m)
	case NodeAdded:
		s.nodeAdded(c, m)
	case NodeRemoved:
		s.nodeRemoved(c, m)
	case NodeUpdate:
		s.nodeUpdate(c, m)
	case NodeReconnected:
		s.nodeReconnected(c, m)
	case DrainNode:
		s.drainNode(c, m)
	case AppAdded:
		s.appAdded(c, m)
	case AppRemoved:
		s.appRemoved(c, m)
	case MoveApp:
		s.moveApp(c, m)
	case AppAttemptAdded:
		s.appAttemptAdded(c, m)
	case AppAttemptRemoved:
		s.appAttemptRemoved(c, m)
	case Allocate:
		s.allocate(c, m)
	case DescribeAttempt:
		s.describeAttempt(c, m)
	case RequestLimits:
		s.requestLimits(c, m)
	case RequestUsage:
		s.requestUsage(c, m)
	case RequestBooks:
		s.requestBooks(c, m)
	case RequestContainer:
		s.requestContainer(c, m)
	case RequestWhy:
		s.requestWhy(c, m)
	case updateTick:
		s.updateTick(c)
	case continuousTick:
		s.continuousTick(c)
	case killTick:
		s.killTick(c)
	case expireTick:
		s.expireTick(c)
	case reloadTick:
		s.reloadTick(c)
	case schedulingStart:
		s.schedulingStart(c)
	case unreportedTick:
		s.unreportedTick(c)
	default:
		c.Unsupported(m)
	}
}

// now is the book's time.
func (s *Scheduler) now(c *rpcenv.Context) time.Duration { return c.Now().Sub(s.start) }

// ready reports whether the Scheduler gives containers.
func (s *Scheduler) ready(c *rpcenv.Context) bool { return !c.Now().Before(s.readyAt) } // zero in a first life
