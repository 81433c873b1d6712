package bus

import (
	"errors"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/listener"
	"github.com/coherer/coherer/actors/driver/status"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// Config is what a Bus is made of.
type Config struct {
	// User runs the application.
	User string
	// Log takes the lines of the event log; nil writes no event log.
	Log Log
	// The bus keeps Status up to date for Query; nil keeps no status.
	Status *status.Store
	// Process describes the driver's process.
	Process Process
}

// Process describes the process of a driver, for people.
type Process struct {
	// Runtime has what Spark says of Java and Scala: the keys are Spark's.
	Runtime listener.Properties
	// System are properties of the machine and of the process.
	System listener.Properties
	// Measure measures the process, as executor.IO has it; nil measures nothing.
	Measure func() *app.ExecutorMetrics
}

// Bus is the endpoint.
type Bus struct {
	cfg     Config
	appID   string // "": events wait in held
	began   int64
	held    []listener.Event
	stages  stages
	running map[int64]*listener.TaskInfo // attempts that have not ended
	peaks   stagePeaks
	log     logger
	ended   bool
}

// New makes a Bus without events.
func New(cfg Config) *Bus {
	return &Bus{cfg: cfg, stages: stages{}, running: map[int64]*listener.TaskInfo{}, peaks: stagePeaks{}, log: logger{to: cfg.Log}}
}

// OnStart is a callback of the endpoint.
func (s *Bus) OnStart(c *rpcenv.Context) {
	s.began = c.Now().UnixMilli()
	s.measureFrom(c)
	s.log.start(c)
}

// Receive is a callback of the endpoint.
func (s *Bus) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case event.ApplicationStart:
		s.applicationStart(c, m)
	case event.ExecutorRegistered:
		s.executorRegistered(c, m)
	case event.ExecutorChange: // Spark's listeners hear of no other change than the last
		s.post(c, &listener.ExecutorRemoved{Timestamp: c.Now().UnixMilli(), ExecutorID: m.ExecutorID, Reason: m.Reason})
	case event.BlockManagerAdded:
		s.blockManagerAdded(c, m)
	case event.BlockManagerRemoved:
		s.blockManagerRemoved(c, m)
	case event.JobStart:
		s.jobStart(c, m)
	case event.JobEnd:
		s.jobEnd(c, m)
	case event.StageSubmitted:
		s.stageSubmitted(c, m)
	case event.StageCompleted:
		s.stageCompleted(c, m)
	case event.TaskStart:
		s.taskStart(c, m)
	case event.TaskGettingResult:
		s.taskGettingResult(c, m)
	case event.TaskEnd:
		s.taskEnd(c, m)
	case event.SpeculativeTaskSubmitted:
		s.post(c, &listener.SpeculativeTaskSubmitted{StageID: m.StageID, Attempt: m.StageAttempt, Index: m.Index, Partition: m.Partition})
	case event.Exclusion:
		s.exclusion(c, m)
	case event.ExecutorMetricsUpdate:
		s.executorMetricsUpdate(c, m)
	case MeasureDriver:
		s.measureDriver(c)
	case event.BlockUpdated:
		s.blockUpdated(c, m)
	case event.UnpersistRDD:
		s.post(c, &listener.UnpersistRDD{ID: m.ID})
	case event.UnschedulableTaskSet, event.ShuffleForgotten: // Spark logs and keeps neither

	case Query:
		s.query(c, m)
	case Stop:
		s.stop(c, m)
	case SayDropped:
		s.log.sayDropped(c)
	default:
		c.Unsupported(m)
	}
}

// post hands an event to the listeners, when the application has started. It must not change any more.
func (s *Bus) post(c *rpcenv.Context, e listener.Event) {
	if s.appID == "" {
		if len(s.held) < queueCapacity.Get(c.Conf()) {
			s.held = append(s.held, e)
		} else {
			s.log.drop(c)
		}
		return
	}
	if s.cfg.Status != nil {
		s.cfg.Status.On(e)
	}
	if isLogged(c.Conf(), e) {
		s.log.add(c, e)
	}
}

// isLogged reports whether the event log has events of a kind.
func isLogged(c *conf.Conf, e listener.Event) bool {
	switch e.(type) {
	case *listener.BlockUpdated:
		return logBlockUpdates.Get(c)
	case *listener.ExecutorMetricsUpdate: // what matters of it comes with the end of a stage
		return false
	}
	return true
}

func (s *Bus) query(c *rpcenv.Context, m Query) {
	if s.cfg.Status == nil {
		rpcenv.Fail(c, m, errNoStatus)
		return
	}
	value, err := s.cfg.Status.Answer(m.Of, c.Now().UnixMilli())
	rpcenv.Reply(c, m, Status{Value: value, Err: err})
}

// errNoStatus fails a Query of a driver without pages.
var errNoStatus = errors.New("this driver keeps no status: set spark.ui.enabled")

// stop ends the stream: the log has no event that comes later.
func (s *Bus) stop(c *rpcenv.Context, m Stop) {
	if !s.ended {
		s.ended = true
		if s.appID != "" {
			s.post(c, &listener.ApplicationEnd{Timestamp: c.Now().UnixMilli(), ExitCode: &m.Code})
		}
		s.log.end(c)
	}
	call := rpcenv.Defer(c, m)
	s.log.whenEnded(c, func() { call.Reply(&rpc.Bool{Value: true}) })
}
