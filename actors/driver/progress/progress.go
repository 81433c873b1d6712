// Package progress shows people how far an application is: it prints a line for each of the driver's events that matters.
package progress

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/oneline"
)

// Name is what the endpoint is called.
const Name = "Progress"

// Progress is an endpoint of the driver's Env, to be the Listener of its Config (Spark's ConsoleProgressBar).
type Progress struct {
	out    io.Writer
	asks   string
	app    string // its id, once it has one
	stages map[int32]*stage
}

// stage is how far a stage is.
type stage struct {
	tasks, done int
	failed      string // the first line of the failure of a task, the last one shown
}

// New makes a Progress that writes to out. asks names the daemon that the application asks for executors, such as "Master".
func New(out io.Writer, asks string) *Progress {
	return &Progress{out: out, asks: asks, stages: map[int32]*stage{}}
}

// Receive is a callback of the endpoint.
func (p *Progress) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case event.ApplicationStart:
		p.app = m.AppID
		p.line("application %s is %s", m.Name, m.AppID)
	case event.ExecutorChange:
		p.executorChange(m)
	case event.StageSubmitted:
		p.stages[m.StageID] = &stage{tasks: m.Tasks}
		p.line("stage %d.%d: %d tasks", m.StageID, m.Attempt, m.Tasks)
	case event.TaskEnd:
		p.taskEnd(m)
	case event.StageCompleted:
		switch {
		case m.Failure == "":
		case event.ByCancel(m.Failure):
			p.line("stage %d.%d is cancelled with its job", m.StageID, m.Attempt)
		case strings.HasPrefix(m.Failure, event.Cancelled): // the program says why its job failed
			p.line("stage %d.%d is cancelled: its job failed", m.StageID, m.Attempt)
		case p.shown(m.StageID, firstLine(m.Failure)):
			p.line("stage %d.%d failed with this task", m.StageID, m.Attempt)
		default:
			p.line("stage %d.%d failed: %s", m.StageID, m.Attempt, firstLine(m.Failure))
		}
	case event.Starving:
		see := "the " + p.asks + " has not taken the application: coherer status --master says whether it is there, and its log what it waits for"
		if p.app != "" {
			see = "coherer why app " + p.app + " says why (with --master, of a cluster that coherer run did not start)"
		}
		p.line("no executor takes the tasks that wait; %d are registered: %s", m.Executors, cmp.Or(m.Why, see))
	case event.JobStart, event.JobEnd, event.TaskStart, event.ShuffleForgotten, event.SpeculativeTaskSubmitted:
	case event.UnschedulableTaskSet:
		if !m.Schedulable {
			p.line("stage %d.%d: no executor may run the tasks that are left: too many failed there", m.StageID, m.StageAttempt)
		}
	default:
		c.Unsupported(m)
	}
}

func (p *Progress) executorChange(m event.ExecutorChange) {
	switch m.Kind {
	case event.ExecutorAdded:
		p.line("executor %s registered, %s at %s", m.ExecutorID, cores(m.Cores), m.Host)
	case event.ExecutorLost:
		p.line("executor %s is gone: %s", m.ExecutorID, m.Reason)
	}
}

func cores(n int) string {
	if n == 1 {
		return "1 core"
	}
	return fmt.Sprintf("%d cores", n)
}

// firstLine is what progress shows of a failure: the job's error and the executor's log have the stack, or what else follows.
func firstLine(failure string) string {
	lines := strings.Split(strings.TrimSpace(failure), "\n")
	// Spark's text of a fetch that failed has its message on the second line.
	if strings.HasSuffix(lines[0], "message=") && len(lines) > 1 {
		return lines[0] + lines[1]
	}
	return lines[0]
}

// taskEnd reports failures, the end of a stage and each quarter before it.
func (p *Progress) taskEnd(m event.TaskEnd) {
	switch {
	case m.Killed:
		return // at the driver's wish
	case m.Resubmitted: // the end of its executor was said
		if s := p.stages[m.StageID]; s != nil && s.done > 0 {
			s.done--
		}
		return
	case m.Failure != "":
		failed := firstLine(m.Failure)
		p.line("task %d in stage %d.%d failed on executor %s: %s", m.Index, m.StageID, m.StageAttempt, m.ExecutorID, failed)
		if s := p.stages[m.StageID]; s != nil {
			s.failed = failed
		}
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

// shown reports whether the line of a task has said why its stage fails: a FetchFailed fails both, in the same words.
func (p *Progress) shown(stage int32, failure string) bool {
	s := p.stages[stage]
	return s != nil && s.failed == failure
}

func (p *Progress) line(format string, args ...any) {
	oneline.Fprintf(p.out, "  "+format+"\n", args...) // a display that is gone is not the job's business
}
