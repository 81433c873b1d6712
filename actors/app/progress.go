package app

import (
	"fmt"
	"io"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/rpcenv"
)

// progress is an endpoint of the driver's Env that writes what happens as lines, for people.
type progress struct {
	out    io.Writer
	stages map[int32]*stageProgress
}

// stageProgress is how far a stage is.
type stageProgress struct{ tasks, done int }

func (p *progress) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case event.ApplicationStart:
		p.line("application %s is %s", m.Name, m.AppID)
	case event.ExecutorChange:
		p.executorChange(m)
	case event.StageSubmitted:
		if p.stages == nil {
			p.stages = map[int32]*stageProgress{}
		}
		p.stages[m.StageID] = &stageProgress{tasks: m.Tasks}
		p.line("stage %d.%d: %d tasks", m.StageID, m.Attempt, m.Tasks)
	case event.TaskEnd:
		p.taskEnd(m)
	case event.StageCompleted:
		if m.Failure != "" {
			p.line("stage %d.%d failed: %s", m.StageID, m.Attempt, m.Failure)
		}
	case event.Starving:
		p.line("no executor takes the tasks that wait; %d are registered: see the Master's log for what it waits for", m.Executors)
	case event.JobStart, event.JobEnd:
	default:
		c.Unsupported(m)
	}
}

func (p *progress) executorChange(m event.ExecutorChange) {
	switch m.Kind {
	case event.ExecutorAdded:
		p.line("executor %s registered, %d cores at %s", m.ExecutorID, m.Cores, m.Host)
	case event.ExecutorLost:
		p.line("executor %s is gone: %s", m.ExecutorID, m.Reason)
	}
}

// taskEnd tells of failures, and of the end of a stage and each quarter before it.
func (p *progress) taskEnd(m event.TaskEnd) {
	if m.Failure != "" {
		p.line("task %d in stage %d.%d failed on executor %s: %s", m.Index, m.StageID, m.StageAttempt, m.ExecutorID, m.Failure)
		return
	}
	s := p.stages[m.StageID]
	if s == nil {
		return
	}
	s.done++
	if s.done == s.tasks || s.tasks >= 8 && s.done%(s.tasks/4) == 0 {
		p.line("stage %d.%d: %d of %d tasks done", m.StageID, m.StageAttempt, s.done, s.tasks)
	}
}

func (p *progress) line(format string, args ...any) {
	fmt.Fprintf(p.out, "  "+format+"\n", args...) // a display that is gone is not the job's business
}
