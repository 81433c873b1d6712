//coherer:pure

package status

import (
	"github.com/coherer/coherer/actors/driver/listener"
	"github.com/coherer/coherer/rpcenv/conf"
)

// Store is what is known of one application.
type Store struct {
	limits limits
	cpus   int // of a task, by the default profile

	version     string
	app         listener.ApplicationStart
	end         int64 // 0: it runs
	environment listener.EnvironmentUpdate
	profiles    []listener.ResourceProfileAdded

	jobs      map[int32]*job
	stages    map[stageKey]*stage
	tasks     map[int64]*task // that run
	executors map[string]*executor
	rdds      map[int32]*rdd
}

// New makes a Store without events.
func New(c *conf.Conf) *Store {
	return &Store{
		limits: limits{uiRetainedJobs.Get(c), uiRetainedStages.Get(c), uiRetainedTasks.Get(c), uiRetainedDeadExecutors.Get(c)},
		jobs:   map[int32]*job{}, stages: map[stageKey]*stage{}, tasks: map[int64]*task{}, executors: map[string]*executor{},
		rdds: map[int32]*rdd{}, cpus: 1,
	}
}

// On takes an event. Those that are unknown change nothing.
func (s *Store) On(e listener.Event) {
	switch e := e.(type) {
	case *listener.LogStart:
		s.version = e.SparkVersion
	case *listener.ApplicationStart:
		s.app = *e
	case *listener.ApplicationEnd:
		s.end = e.Timestamp
	case *listener.EnvironmentUpdate:
		s.environment = *e
	case *listener.ResourceProfileAdded:
		s.profiles = append(s.profiles, *e)
		if n := int(e.Tasks.Get("cpus").Amount); e.ID == 0 && n > 0 {
			s.cpus = n
		}
	case *listener.JobStart:
		s.jobStart(e)
	case *listener.JobEnd:
		s.jobEnd(e)
	case *listener.StageSubmitted:
		s.stageSubmitted(e)
	case *listener.StageCompleted:
		s.stageCompleted(e)
	case *listener.TaskStart:
		s.taskStart(e)
	case *listener.TaskGettingResult:
		if t := s.tasks[e.Task.ID]; t != nil {
			t.info = e.Task
		}
	case *listener.TaskEnd:
		s.taskEnd(e)
	default:
		s.onExecutors(e)
	}
}

func (s *Store) onExecutors(e listener.Event) {
	switch e := e.(type) {
	case *listener.ExecutorAdded:
		s.executorAdded(e)
	case *listener.ExecutorRemoved:
		s.executorRemoved(e)
	case *listener.BlockManagerAdded:
		s.blockManagerAdded(e)
	case *listener.ExecutorMetricsUpdate:
		s.executorMetrics(e)
	case *listener.StageExecutorMetrics:
		s.stageExecutorMetrics(e)
	case *listener.BlockUpdated:
		s.blockUpdated(e)
	case *listener.UnpersistRDD:
		s.unpersist(e.ID)
	case *listener.Exclusion:
		s.exclusion(e)
	}
}
