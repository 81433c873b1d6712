package bus

import (
	"cmp"
	"maps"
	"slices"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/listener"
	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// MeasureDriver is the timer that measures the driver's process, each spark.executor.heartbeatInterval (SparkContext.reportHeartBeat).
type MeasureDriver struct{ rpcenv.Local }

// allStages is the stage, and the attempt, of measures of the driver: they are those of all stages (EventLoggingListener.DRIVER_STAGE_KEY).
const allStages = -1

// stageAttempt is an attempt of a stage.
type stageAttempt struct{ stage, attempt int32 }

// stagePeaks are the peaks of each executor, and of the driver, in the attempts of stages that run, when the event log wants them. They
// stand for EventLoggingListener.liveStageExecutorMetrics.
type stagePeaks map[stageAttempt]map[string]listener.ExecutorMetrics

// note enters measures of an executor; those of an attempt that is unknown or over are of no use.
func (p stagePeaks) note(at stageAttempt, executor string, m listener.ExecutorMetrics) {
	of := p[at]
	if of == nil {
		return
	}
	was, known := of[executor]
	if !known {
		was = listener.Unmeasured
	}
	was.Max(&m)
	of[executor] = was
}

// sorted are the attempts, in their order.
func (p stagePeaks) sorted() []stageAttempt {
	return slices.SortedFunc(maps.Keys(p), func(a, b stageAttempt) int {
		return cmp.Or(cmp.Compare(a.stage, b.stage), cmp.Compare(a.attempt, b.attempt))
	})
}

func (s *Bus) stagePeaksBegin(c *rpcenv.Context, at stageAttempt) {
	if s.cfg.Log != nil && logStageMetrics.Get(c.Conf()) {
		s.peaks[at] = map[string]listener.ExecutorMetrics{}
	}
}

// stagePeaksEnd writes the peaks of an attempt to the event log alone, as Spark does: the other listeners had each measure.
func (s *Bus) stagePeaksEnd(c *rpcenv.Context, at stageAttempt) {
	of := s.peaks[at]
	delete(s.peaks, at)
	for _, id := range slices.Sorted(maps.Keys(of)) {
		s.log.add(c, &listener.StageExecutorMetrics{ExecutorID: id, StageID: at.stage, Attempt: at.attempt, Metrics: of[id]})
	}
}

func (s *Bus) executorMetricsUpdate(c *rpcenv.Context, m event.ExecutorMetricsUpdate) {
	e := &listener.ExecutorMetricsUpdate{ExecutorID: m.ExecutorID, Tasks: []listener.TaskUpdate{}, Executors: []listener.PeakMetrics{}}
	for _, p := range m.Peaks {
		metrics := peaksOf(p.GetMetrics())
		e.Executors = append(e.Executors, listener.PeakMetrics{StageID: p.GetStage(), Attempt: p.GetStageAttempt(), Metrics: metrics})
		s.peaks.note(stageAttempt{p.GetStage(), p.GetStageAttempt()}, m.ExecutorID, metrics)
	}
	s.post(c, e)
}

// measureFrom begins to measure the driver.
func (s *Bus) measureFrom(c *rpcenv.Context) {
	if s.cfg.Process.Measure != nil {
		period := executor.ExecutorHeartbeatInterval.Get(c.Conf())
		c.Every(period, period, MeasureDriver{})
	}
}

func (s *Bus) measureDriver(c *rpcenv.Context) {
	m := peaksOf(s.cfg.Process.Measure())
	for _, at := range s.peaks.sorted() {
		s.peaks.note(at, driverID, m)
	}
	s.post(c, &listener.ExecutorMetricsUpdate{
		ExecutorID: driverID, Tasks: []listener.TaskUpdate{},
		Executors: []listener.PeakMetrics{{StageID: allStages, Attempt: allStages, Metrics: m}},
	})
}

// peaksOf are measures of a process in an event; nil: nothing was measured. Go's heap stands for that of the JVM, and what else Go has of
// the system for the memory beside it. Go's collector runs beside the program: its cycles count as concurrent ones, its pauses as their time.
// The driver of Spark measures trees of processes where a setting says so; that is not done here: they are 0.
func peaksOf(m *app.ExecutorMetrics) listener.ExecutorMetrics {
	if m == nil {
		return listener.Unmeasured
	}
	return listener.ExecutorMetrics{
		JVMHeapMemory: m.GetHeap(), JVMOffHeapMemory: m.GetOffHeap(), OnHeapExecutionMemory: m.GetExecution(),
		OnHeapStorageMemory: m.GetStorage(), OnHeapUnifiedMemory: m.GetUnified(), ConcurrentGCCount: m.GetGcCount(),
		ConcurrentGCTime: m.GetGcMs(), TotalGCTime: m.GetGcMs(),
	}
}
