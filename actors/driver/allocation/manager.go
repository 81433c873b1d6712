package allocation

import (
	"fmt"
	"strconv"
	"time"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// interval is how often the manager looks.
const interval = 100 * time.Millisecond

// Manager is the endpoint ExecutorAllocationManager.
type Manager struct {
	scheduler rpcenv.Ref
	targets   Targets
	monitor   *Monitor
	work      work
	settings  Settings
	// asking: the answer to a request is out.
	asking bool
}

// New makes a Manager that asks scheduler, which is CoarseGrainedScheduler.
func New(s Settings, scheduler rpcenv.Ref) *Manager {
	return &Manager{settings: s, scheduler: scheduler, targets: NewTargets(s), monitor: NewMonitor(s), work: newWork()}
}

// OnStart is a callback of the endpoint.
func (m *Manager) OnStart(c *rpcenv.Context) {
	c.Every(interval, interval, Schedule{})
}

// Receive is a callback of the endpoint.
func (m *Manager) Receive(c *rpcenv.Context, message rpcenv.Message) {
	switch e := message.(type) {
	case Schedule:
		m.schedule(c)
	case Reset:
		m.reset(c)
	case event.ExecutorChange:
		m.monitor.change(e, c.Now())
	case event.StageSubmitted:
		m.stageSubmitted(c, e)
	case event.StageCompleted:
		if m.work.stageCompleted(e) {
			m.targets.QueueEmpty()
		}
	case event.TaskStart:
		m.taskStart(e)
	case event.TaskEnd:
		m.taskEnd(c, e)
	case event.JobEnd:
		m.monitor.jobEnd(e, c.Now())
	case event.ApplicationStart:
		m.tellTarget(c)
	case event.JobStart, event.Starving:
	default:
		c.Unsupported(message)
	}
}

func (m *Manager) stageSubmitted(c *rpcenv.Context, e event.StageSubmitted) {
	m.targets.Begin()
	m.work.stageSubmitted(e)
	m.monitor.stageSubmitted(e)
	m.targets.Backlogged(c.Now())
}

func (m *Manager) taskStart(e event.TaskStart) {
	m.work.taskStart(e)
	m.monitor.taskStart(e)
	if m.work.pending() == 0 {
		m.targets.QueueEmpty()
	}
}

// taskEnd of a failure with nothing else waiting is a backlog: the task comes again.
func (m *Manager) taskEnd(c *rpcenv.Context, e event.TaskEnd) {
	idle := m.work.pending() == 0
	m.work.taskEnd(e)
	m.monitor.taskEnd(e, c.Now())
	if idle && failed(e) {
		m.targets.Backlogged(c.Now())
	}
}

func (m *Manager) reset(c *rpcenv.Context) {
	if forgetsTarget(c.Conf()) {
		m.targets.Reset()
	}
	m.monitor = NewMonitor(m.settings)
	m.tellTarget(c)
}

// schedule changes the target, or gives idle executors back; the other the next time. It mirrors
// ExecutorAllocationManager.schedule.
func (m *Manager) schedule(c *rpcenv.Context) {
	if m.asking {
		return
	}
	idle := m.monitor.Idle(c.Now())
	if len(idle) > 0 {
		m.targets.Begin()
	}
	if u, changed := m.targets.Next(c.Now(), m.settings.Needed(m.work.tasks()), m.monitor.Executors()); changed {
		c.Log().Infof("Requesting %d executors, %d before: %d tasks wait, %d run", u.New, u.Old, m.work.pending(), m.work.total)
		c.State("allocation", "executors", strconv.Itoa(u.Old), strconv.Itoa(u.New), fmt.Sprintf("%d tasks", m.work.tasks()))
		m.request(c, u)
		return
	}
	m.remove(c, idle)
}

// Wants is how many executors the tasks that wait and run need, within the bounds of the settings, and how many are asked for.
// It is for who looks at a simulation from outside.
func (m *Manager) Wants() (needed, target int) {
	return max(min(m.settings.Needed(m.work.tasks()), m.settings.Max), m.settings.Min), m.targets.Target()
}

// tellTarget tells the scheduler the target as it is.
func (m *Manager) tellTarget(c *rpcenv.Context) {
	m.request(c, Update{Old: m.targets.Target(), New: m.targets.Target()})
}

// request tells the scheduler the target, and takes a change back that was not taken.
func (m *Manager) request(c *rpcenv.Context, u Update) {
	m.asking = true
	rpcenv.Ask(c, m.scheduler, RequestTotalExecutors{Total: u.New}, func(ok *rpc.Bool, err error) {
		m.asking = false
		switch {
		case err != nil:
			c.Log().WithError(err).Warnf("Unable to reach the cluster manager to request %d executors", u.New)
			m.targets.Refused(u)
		case !ok.GetValue():
			c.Log().Debugf("The cluster manager did not take the request for %d executors", u.New)
			m.targets.Refused(u)
		default:
			m.targets.Acknowledged(u, c.Now())
		}
	})
}

// remove gives executors back that are idle, but for those that are needed to reach the least number or the target. The
// target is told again then, since a cluster manager may lower it with each kill (SPARK-21834).
func (m *Manager) remove(c *rpcenv.Context, idle []string) {
	var ids []string
	left := m.monitor.Remaining()
	for _, id := range idle {
		if left-1 < max(m.settings.Min, m.targets.Target()) {
			break
		}
		ids = append(ids, id)
		left--
	}
	if len(ids) == 0 {
		return
	}
	m.monitor.Removing(ids)
	m.asking = true
	rpcenv.Ask(c, m.scheduler, KillExecutors{IDs: ids}, func(killed Killed, err error) {
		m.asking = false
		if err != nil {
			c.Log().WithError(err).Warnf("Unable to reach the cluster manager to kill executors %v", ids)
		} else {
			c.Log().Infof("Executors %v are removed: they have been idle for %s", killed.IDs, m.settings.Idle)
		}
		m.monitor.Removed(ids, killed.IDs)
		m.tellTarget(c)
	})
}
