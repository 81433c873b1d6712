package allocation

import (
	"strconv"
	"time"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/rpcenv"
)

// interval is how often the manager looks.
const interval = 100 * time.Millisecond

// Manager is the endpoint ExecutorAllocationManager.
type Manager struct {
	scheduler rpcenv.Ref
	targets   Targets
	monitor   *monitor
	work      work
	settings  Config
	// ready: tasks may start. waits: a stage was submitted before.
	ready, waits bool
	// asking: the answer to a request is out. Answers to requests of an earlier era are those of a cluster manager that is gone.
	asking bool
	era    int
	// unreachable: the last request failed, and the log has it.
	unreachable bool
}

// New makes a Manager that asks scheduler, which is CoarseGrainedScheduler.
func New(s Config, scheduler rpcenv.Ref) *Manager {
	return &Manager{settings: s, scheduler: scheduler, targets: NewTargets(s), monitor: newMonitor(s), work: newWork()}
}

// OnStart is a callback of the endpoint.
func (m *Manager) OnStart(c *rpcenv.Context) {
	if n := m.targets.Target(); n > 0 {
		c.State("allocation", "executors", "", strconv.Itoa(n), "the start")
	}
	c.Every(interval, interval, Schedule{})
}

// Receive is a callback of the endpoint.
func (m *Manager) Receive(c *rpcenv.Context, message rpcenv.Message) {
	switch e := message.(type) {
	case Schedule:
		m.schedule(c)
	case Reset:
		m.reset(c)

	// Of CoarseGrainedScheduler.
	case Ready:
		m.becomesReady()
	case event.ApplicationStart:
		m.applicationStart(c)
	case event.ExecutorChange:
		m.executorChange(c, e)
	case ExecutorDecommissioning:
		m.executorDecommissioning(e)
	case event.TaskStart:
		m.taskStart(e)

	// Of DAGScheduler.
	case event.StageSubmitted:
		m.stageSubmitted(c, e)
	case event.StageCompleted:
		m.stageCompleted(e)
	case event.TaskEnd:
		m.taskEnd(c, e)
	case event.JobEnd:
		m.jobEnd(e)
	case event.JobStart:
		m.monitor.jobStart(e)
	case event.ShuffleForgotten:
		m.monitor.shuffleForgotten(e)
	case event.SpeculativeTaskSubmitted:
		m.work.speculativeTask(e)
		m.targets.Backlogged(c.Now())
	case event.UnschedulableTaskSet:
		m.unschedulableTaskSet(c, e)
	case event.Starving: // which changes nothing

	default:
		c.Unsupported(message)
	}
}

// schedule changes the target, or else gives idle executors back. It mirrors
// ExecutorAllocationManager.schedule.
func (m *Manager) schedule(c *rpcenv.Context) {
	// A second request could overtake the answer of the first, and an answer acknowledges or takes back one change.
	if m.asking {
		return
	}
	idle := m.monitor.Idle(c.Now())
	// An executor that is idle for too long shows that the initial target is too high, even before the first stage.
	if len(idle) > 0 && m.ready {
		m.targets.Begin()
	}
	if u, changed := m.targets.Next(c.Now(), m.needed(), m.monitor.Executors()); changed {
		m.request(c, u)
		return
	}
	m.remove(c, idle)
}

// reset starts over with another ApplicationMaster, which knows nothing: the executors of the one before are gone, and its answers
// count no more.
func (m *Manager) reset(c *rpcenv.Context) {
	if was := m.targets.Target(); forgetsTarget(c.Conf()) {
		m.targets.Reset()
		m.note(c, Update{Old: was, New: m.targets.Target()}, "another ApplicationMaster")
	}
	m.monitor = newMonitor(m.settings)
	m.begin(c)
}

// becomesReady lets the target follow a stage that was submitted before: what the application waits for is not given up while
// it waits.
func (m *Manager) becomesReady() {
	m.ready = true
	if m.waits {
		m.targets.Begin()
	}
}

// applicationStart reports that the cluster manager took the application: from now on it takes the target.
func (m *Manager) applicationStart(c *rpcenv.Context) { m.begin(c) }

// begin sends the target as it is, even while a request is out.
func (m *Manager) begin(c *rpcenv.Context) {
	m.era++
	m.tellTarget(c)
}

func (m *Manager) executorChange(c *rpcenv.Context, e event.ExecutorChange) {
	m.monitor.change(e, c.Now())
}

func (m *Manager) executorDecommissioning(e ExecutorDecommissioning) { m.monitor.leaves(e.ExecutorID) }

func (m *Manager) taskStart(e event.TaskStart) {
	m.work.taskStart(e)
	m.monitor.taskStart(e)
	if m.work.pending() == 0 {
		m.targets.QueueEmpty()
	}
}

func (m *Manager) stageSubmitted(c *rpcenv.Context, e event.StageSubmitted) {
	m.waits = !m.ready
	if m.ready {
		m.targets.Begin()
	}
	m.work.stageSubmitted(e)
	m.monitor.stageSubmitted(e)
	m.targets.Backlogged(c.Now())
}

func (m *Manager) stageCompleted(e event.StageCompleted) {
	if m.work.stageCompleted(e) {
		m.targets.QueueEmpty()
	}
}

// taskEnd of a failure with nothing else waiting is a backlog: the task comes again.
func (m *Manager) taskEnd(c *rpcenv.Context, e event.TaskEnd) {
	// Before work.taskEnd, which makes a failed task wait again.
	idle := m.work.pending() == 0
	m.work.taskEnd(e)
	m.monitor.taskEnd(e, c.Now())
	if idle && failed(e) {
		m.targets.Backlogged(c.Now())
	}
}

// unschedulableTaskSet of a stage that no executor may run is a backlog.
func (m *Manager) unschedulableTaskSet(c *rpcenv.Context, e event.UnschedulableTaskSet) {
	m.work.unschedulableSet(e)
	if !e.Schedulable {
		m.targets.Backlogged(c.Now())
	}
}

// needed is how many executors the tasks want. It mirrors maxNumExecutorsNeededPerResourceProfile.
func (m *Manager) needed() int {
	n := m.settings.Needed(m.work.tasks())
	// A copy must not run where the slow task does.
	if n == 1 && m.settings.TasksPerExecutor > 1 && m.work.copies() > 0 {
		n++
	}
	if stuck := len(m.work.unschedulable); stuck > 0 {
		n = max(n, m.monitor.Executors()+m.settings.Needed(stuck))
	}
	return n
}

func (m *Manager) jobEnd(e event.JobEnd) { m.monitor.jobEnd(e) }

// Wants is how many executors the tasks that wait and run need, within the bounds of the settings, and how many are asked for.
// It is for observers outside a simulation.
func (m *Manager) Wants() (needed, target int) {
	return max(min(m.needed(), m.settings.Max), m.settings.Min), m.targets.Target()
}
