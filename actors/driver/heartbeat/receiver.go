package heartbeat

import (
	"fmt"
	"time"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// Name is the endpoint's name.
const Name = "HeartbeatReceiver"

// ExpireDeadHosts is the timer of the check, each spark.network.timeoutInterval.
type ExpireDeadHosts struct{ rpcenv.Local }

// ExpireExecutor reports an executor that is silent for too long to CoarseGrainedScheduler. Spark makes two calls of it:
// killAndReplaceExecutor, then RemoveExecutor.
type ExpireExecutor struct {
	rpcenv.Local
	ExecutorID string
	Reason     string
}

// Progress reports to CoarseGrainedScheduler how far tasks of an executor have come that have read something, and the peaks of the
// executor for stages. Another one replaces it. Spark makes a call of it: TaskScheduler.executorHeartbeatReceived.
type Progress struct {
	rpcenv.Local
	ExecutorID string
	Tasks      []*app.TaskProgress
	Peaks      []*app.StagePeaks
}

// Receiver is the endpoint.
type Receiver struct {
	scheduler rpcenv.Ref
	lastSeen  lastSeen
	timeout   time.Duration
}

// New makes a Receiver that reports to scheduler.
func New(scheduler rpcenv.Ref) *Receiver {
	return &Receiver{scheduler: scheduler, lastSeen: lastSeen{}}
}

// OnStart is a callback of the endpoint.
func (r *Receiver) OnStart(c *rpcenv.Context) {
	r.timeout = blockManagerHeartbeatTimeout.Get(c.Conf())
	interval := NetworkTimeoutInterval.Get(c.Conf())
	c.Every(interval, interval, ExpireDeadHosts{})
}

// Receive is a callback of the endpoint.
func (r *Receiver) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *app.Heartbeat:
		r.heartbeat(c, m)
	case event.ExecutorChange:
		r.executorChange(c, m)
	case ExpireDeadHosts:
		r.expireDeadHosts(c)
	default:
		c.Unsupported(m)
	}
}

// heartbeat of an unknown executor asks it to register its block manager again, as Spark does.
func (r *Receiver) heartbeat(c *rpcenv.Context, m *app.Heartbeat) {
	unknown := !r.lastSeen.seen(m.GetExecutorId(), c.Now())
	if !unknown && len(m.GetProgress())+len(m.GetPeaks()) > 0 {
		c.Send(r.scheduler, Progress{ExecutorID: m.GetExecutorId(), Tasks: m.GetProgress(), Peaks: m.GetPeaks()})
	}
	rpcenv.Reply(c, m, &app.HeartbeatResponse{ReregisterBlockManager: &unknown})
}

func (r *Receiver) executorChange(c *rpcenv.Context, m event.ExecutorChange) {
	switch m.Kind {
	case event.ExecutorAdded: // counts as a sign of life: the first heartbeat comes later
		r.lastSeen[m.ExecutorID] = c.Now()
	case event.ExecutorLost:
		delete(r.lastSeen, m.ExecutorID)
	}
}

func (r *Receiver) expireDeadHosts(c *rpcenv.Context) {
	for _, s := range r.lastSeen.expire(c.Now(), r.timeout) {
		c.Log().Warnf("Removing executor %s with no recent heartbeats: %d ms exceeds timeout %d ms", s.id,
			s.quiet.Milliseconds(), r.timeout.Milliseconds())
		reason := fmt.Sprintf("Executor heartbeat timed out after %d ms", s.quiet.Milliseconds())
		c.Send(r.scheduler, ExpireExecutor{ExecutorID: s.id, Reason: reason})
	}
}
