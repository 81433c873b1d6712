package executor

import (
	"slices"
	"time"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
	storagepb "github.com/coherer/coherer/messages/storage"
)

// state is what an Executor knows.
type state struct {
	ready          bool // LaunchedExecutor was sent
	stopping       bool
	decommissioned bool // it ends when no task is left
	tasks          map[int64]*task
	lineages       map[lineageKey]*rdd.Lineage
	making         map[lineageKey][]func(*rdd.Lineage, error) // tasks that wait for a lineage
	// outputs are the map outputs of shuffles as the driver reported them; those of an older epoch are forgotten.
	outputs map[int32][]*storagepb.MapStatus
	asking  map[int32][]func(error) // tasks that wait for the outputs of a shuffle
	epoch   int64
	reports reports
	own     ownOutputs
	// migration moves blocks away, once the executor is decommissioned; nil: nothing is to be moved.
	migration *migration
	// peaks are those of the process since tasks of an attempt of a stage began to run, until a heartbeat has them after the last one's end.
	peaks map[stageAttempt]*app.ExecutorMetrics
	// registering: the block manager is being registered again.
	registering bool
	broadcasts  broadcasts
}

// task is an attempt that runs.
type task struct {
	desc   *app.TaskDescription
	work   *work  // nil until it begins
	cancel func() // of the work
	killed string // why it was killed
	// launched is when it came, gcMs what the garbage collector had taken then.
	launched time.Time
	gcMs     int64
	peaks    *app.ExecutorMetrics // nil: nothing is measured
	uses     *rdd.Lineage         // whose broadcasts it uses; nil: it uses none
}

// lineageKey names a lineage, as the driver has it: jobs are pure functions of their arguments.
type lineageKey struct{ job, args, digest string }

func keyOf(d *app.TaskDescription) lineageKey {
	return lineageKey{d.GetJob(), string(d.GetJobArgs()), d.GetJobDigest()}
}

func newState() state {
	return state{
		tasks: map[int64]*task{}, lineages: map[lineageKey]*rdd.Lineage{}, making: map[lineageKey][]func(*rdd.Lineage, error){},
		outputs: map[int32][]*storagepb.MapStatus{}, asking: map[int32][]func(error){},
		own:        ownOutputs{sizes: map[outputKey][]int64{}},
		peaks:      map[stageAttempt]*app.ExecutorMetrics{},
		broadcasts: newBroadcasts(),
	}
}

// runningTasks are the ids of the attempts that run, ascending.
func (s *state) runningTasks() []int64 {
	ids := make([]int64, 0, len(s.tasks))
	for id := range s.tasks {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// progress is how far the attempts have come that have read something, ascending by id.
func (s *state) progress(now time.Time) []*app.TaskProgress {
	var out []*app.TaskProgress
	for _, id := range s.runningTasks() {
		if w := s.tasks[id].work; w != nil {
			if records, ms := w.progress(now); records > 0 {
				out = append(out, &app.TaskProgress{TaskId: id, RecordsRead: records, RunMs: ms})
			}
		}
	}
	return out
}

// see forgets map outputs that a newer epoch made doubtful.
func (s *state) see(epoch int64) {
	if epoch > s.epoch {
		s.epoch = epoch
		clear(s.outputs)
	}
}
