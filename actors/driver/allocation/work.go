package allocation

import "github.com/coherer/coherer/actors/driver/event"

// attempt names one attempt of a stage.
type attempt struct{ stage, number int32 }

// work is the tasks of an application as its listener hears of them. It mirrors ExecutorAllocationListener.
type work struct {
	// stages are the attempts that are not over.
	stages map[attempt]*progress
	// running attempts of tasks, by the attempt of their stage; they may go on when the stage's attempt is over.
	running map[attempt]int
	total   int // of running
	// unschedulable are attempts of stages whose rest no executor may run.
	unschedulable map[attempt]bool
}

// progress is one attempt of a stage: its tasks, and which of them were started; copies are slow tasks that wait to be started a
// second time.
type progress struct {
	tasks           int
	started, copies map[int32]bool
}

func newWork() work {
	return work{stages: map[attempt]*progress{}, running: map[attempt]int{}, unschedulable: map[attempt]bool{}}
}

func (w *work) stageSubmitted(m event.StageSubmitted) {
	w.stages[attempt{m.StageID, m.Attempt}] = &progress{tasks: m.Tasks, started: map[int32]bool{}, copies: map[int32]bool{}}
}

// stageCompleted forgets a stage; true: it was the last one.
func (w *work) stageCompleted(m event.StageCompleted) bool {
	delete(w.stages, attempt{m.StageID, m.Attempt})
	delete(w.unschedulable, attempt{m.StageID, m.Attempt})
	return len(w.stages) == 0
}

func (w *work) speculativeTask(m event.SpeculativeTaskSubmitted) {
	if p := w.stages[attempt{m.StageID, m.StageAttempt}]; p != nil {
		p.copies[m.Index] = true
	}
}

func (w *work) unschedulableSet(m event.UnschedulableTaskSet) {
	a := attempt{m.StageID, m.StageAttempt}
	if m.Schedulable {
		delete(w.unschedulable, a)
	} else {
		w.unschedulable[a] = true
	}
}

func (w *work) taskStart(m event.TaskStart) {
	a := attempt{m.StageID, m.StageAttempt}
	w.running[a]++
	w.total++
	switch p := w.stages[a]; {
	case p == nil:
	case m.Speculative:
		delete(p.copies, m.Index)
	default:
		p.started[m.Index] = true
	}
}

// taskEnd follows each taskStart, and comes once more when the output is lost. A task that failed waits again.
func (w *work) taskEnd(m event.TaskEnd) {
	a := attempt{m.StageID, m.StageAttempt}
	switch p := w.stages[a]; {
	case p == nil:
	case m.Failure == "":
		delete(p.copies, m.Index) // the task needs none any more
	case failed(m) && !m.Speculative:
		delete(p.started, m.Index)
	}
	if w.running[a] == 0 || m.Resubmitted {
		return
	}
	w.total--
	if w.running[a]--; w.running[a] == 0 {
		delete(w.running, a)
	}
}

// failed reports whether an attempt neither succeeded nor was killed.
func failed(m event.TaskEnd) bool { return m.Failure != "" && !m.Killed }

// pending is how many tasks wait, copies included.
func (w *work) pending() int {
	n := w.copies()
	for _, p := range w.stages {
		n += p.tasks - len(p.started)
	}
	return n
}

// copies is how many slow tasks wait to be started a second time.
func (w *work) copies() int {
	n := 0
	for _, p := range w.stages {
		n += len(p.copies)
	}
	return n
}

// tasks are those that wait and those that run.
func (w *work) tasks() int { return w.pending() + w.total }
