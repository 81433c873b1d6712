package allocation

import (
	"cmp"
	"slices"
	"time"

	"github.com/coherer/coherer/actors/driver/event"
)

// monitor knows the executors: which are idle, since when, and which have map outputs that a job may need.
type monitor struct {
	settings  Config
	executors map[string]*tracked
	// writes is which shuffle a stage writes, of stages of jobs that are not over.
	writes map[int32]int32
	jobs   map[int32]event.JobStart // that are not over
	needed map[int32]int            // how many of these need a shuffle
}

// tracked is one executor.
type tracked struct {
	id      string
	running int
	// idleSince is when it came, or its last task ended.
	idleSince time.Time
	// removing: it will end as it was asked to. leaving: it ends of itself.
	removing, leaving bool
	// shuffles that it has map outputs of, also those that no job needs any more, until they are forgotten.
	shuffles map[int32]bool
}

// newMonitor makes a monitor without executors.
func newMonitor(s Config) *monitor {
	return &monitor{
		settings: s, executors: map[string]*tracked{}, writes: map[int32]int32{}, jobs: map[int32]event.JobStart{}, needed: map[int32]int{},
	}
}

// Executors is the number of executors, including those that were asked to end.
func (m *monitor) Executors() int { return len(m.executors) }

// change enters what happened to an executor.
func (m *monitor) change(e event.ExecutorChange, now time.Time) {
	switch e.Kind {
	case event.ExecutorAdded:
		m.executors[e.ExecutorID] = &tracked{id: e.ExecutorID, idleSince: now, shuffles: map[int32]bool{}}
	case event.ExecutorLossPending:
		m.leaves(e.ExecutorID)
	case event.ExecutorLost:
		delete(m.executors, e.ExecutorID)
	}
}

// leaves notes that an executor ends, whatever is asked of it.
func (m *monitor) leaves(id string) {
	if x := m.executors[id]; x != nil {
		x.leaving = true
	}
}

func (m *monitor) taskStart(e event.TaskStart) {
	if x := m.executors[e.ExecutorID]; x != nil {
		x.running++
	}
}

// taskEnd frees the executor, which has a map output from now on if the stage writes them.
func (m *monitor) taskEnd(e event.TaskEnd, now time.Time) {
	x := m.executors[e.ExecutorID]
	// Resubmitted follows an end that was counted. Without a running task the start was before this monitor.
	if x == nil || x.running == 0 || e.Resubmitted {
		return
	}
	x.running--
	x.idleSince = now
	if !m.settings.Tracking {
		return
	}
	if shuffle, writes := m.writes[e.StageID]; writes && e.Failure == "" {
		x.shuffles[shuffle] = true
	}
}

// jobStart notes which shuffles a job needs, also those whose outputs earlier jobs have left.
func (m *monitor) jobStart(e event.JobStart) {
	m.jobs[e.JobID] = e
	for _, shuffle := range e.Shuffles {
		m.needed[shuffle]++
	}
}

// stageSubmitted notes which shuffle a stage writes, if any.
func (m *monitor) stageSubmitted(e event.StageSubmitted) {
	if e.Shuffle != nil {
		m.writes[e.StageID] = *e.Shuffle
	}
}

// jobEnd gives the job's shuffles up: executors that were kept for them alone have been idle since their last task.
func (m *monitor) jobEnd(e event.JobEnd) {
	j := m.jobs[e.JobID]
	delete(m.jobs, e.JobID)
	for _, shuffle := range j.Shuffles {
		if m.needed[shuffle]--; m.needed[shuffle] == 0 {
			delete(m.needed, shuffle)
		}
	}
	for _, stage := range j.Stages {
		if m.needed[m.writes[stage]] == 0 { // else another job may need the stage
			delete(m.writes, stage)
		}
	}
}

// shuffleForgotten notes that no later job will need a shuffle.
func (m *monitor) shuffleForgotten(e event.ShuffleForgotten) {
	for _, x := range m.executors {
		delete(x.shuffles, e.Shuffle)
	}
}

// needs reports whether a job that is not over needs outputs that the executor has.
func (m *monitor) needs(x *tracked) bool {
	for shuffle := range x.shuffles {
		if m.needed[shuffle] > 0 {
			return true
		}
	}
	return false
}

// Idle are the executors that have been idle for too long, the longest first.
func (m *monitor) Idle(now time.Time) []string {
	var out []*tracked
	for _, x := range m.sorted() {
		if x.running == 0 && !m.needs(x) && !x.removing && !x.leaving && now.Sub(x.idleSince) >= m.settings.Idle {
			out = append(out, x)
		}
	}
	// Stable: of several that became idle at once the lowest number goes first.
	slices.SortStableFunc(out, func(a, b *tracked) int { return a.idleSince.Compare(b.idleSince) })
	ids := make([]string, len(out))
	for i, x := range out {
		ids[i] = x.id
	}
	return ids
}

// Remaining is how many there will be when all that were asked to end have ended.
func (m *monitor) Remaining() int {
	n := 0
	for _, x := range m.executors {
		if !x.removing && !x.leaving {
			n++
		}
	}
	return n
}

// Removing says which of the executors that were asked to end will do so; the others stay.
func (m *monitor) Removing(ids []string) {
	for _, id := range ids {
		if x := m.executors[id]; x != nil {
			x.removing = true
		}
	}
}

// sorted are the executors by id, ids that are numbers as numbers.
func (m *monitor) sorted() []*tracked {
	var out []*tracked
	for _, x := range m.executors {
		out = append(out, x)
	}
	slices.SortFunc(out, func(a, b *tracked) int { return cmp.Or(cmp.Compare(len(a.id), len(b.id)), cmp.Compare(a.id, b.id)) })
	return out
}
